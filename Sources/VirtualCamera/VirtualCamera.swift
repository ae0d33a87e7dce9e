// SPDX-License-Identifier: MIT
// A camera for programs that know nothing of livecap: it shows the newest frame of a host.

import LivecapFrames
import LivecapPictures
import LivecapStreams
import LivecapThreads
import Synchronization

/// Where the pictures of a virtual camera go.
protocol PictureSink: AnyObject, Sendable {
    /// Whether anybody takes pictures. If nobody does, none are made.
    var isWatched: Bool { get }
    /// Calls `body` whenever that may have changed. To be called once; `body` must not wait.
    func onChange(_ body: @escaping @Sendable () -> Void)
    /// Shows a YUYV picture of the agreed size, taken at `time`. Used by one thread.
    /// - Throws: `gone`, after which it is not called again.
    func show(_ pixels: UnsafeRawBufferPointer, at time: Timestamp) throws(VirtualCameraError)
}

/// A virtual camera, which shows the pictures of its output. A slow program costs it pictures, and nobody else anything.
public final class VirtualCamera: Sendable {
    /// What people call it.
    public let name: String
    /// What makes its pictures, once it is added to a host.
    package let output: FrameOutput
    private let sink: any PictureSink
    private let end = Guarded(End())
    private let isCancelled = Atomic<Bool>(false)
    private let thread = Guarded<SystemThread?>(nil)

    private struct End: Sendable {
        var failure: VirtualCameraError?
        var isTold: (@Sendable (VirtualCameraError) -> Void)?
    }

    /// A node of PipeWire's that browsers, OBS and others list as a camera. It shows `view` of the source's frames.
    /// - Throws: `noPipeWire`, `notRunning`, `unsuitable` if its frames cannot be converted, `failed`.
    public static func pipeWire(
        _ source: SourceDescription, view: PictureView = .whole
    ) throws(VirtualCameraError) -> VirtualCamera {
        let (settings, format) = try pictures(of: source.format, view)
        let node = try PipeWireNode(source, format.size)
        return try VirtualCamera(node, settings, "PipeWire's camera '\(source.name)'")
    }

    /// An output device of V4L2's, such as one of v4l2loopback's. It shows `view` of the source's frames.
    /// - Throws: `notAnOutput`, `refused`, `unsuitable` if its frames cannot be converted, `failed`.
    public static func loopback(
        _ source: SourceDescription, path: String, view: PictureView = .whole
    ) throws(VirtualCameraError) -> VirtualCamera {
        let (settings, format) = try pictures(of: source.format, view)
        return try VirtualCamera(LoopbackDevice(path, format.size), settings, path)
    }

    /// Pictures in YUYV with limited range, which every program that takes a camera understands. A zoom enlarges to the
    /// size of the whole view. Their size stays when the source is another one.
    private static func pictures(
        of frames: FrameFormat, _ view: PictureView
    ) throws(VirtualCameraError) -> (settings: PictureSettings, format: FrameFormat) {
        let upright = PictureView(mount: view.mount).size(of: frames.size)
        let settings = PictureSettings(format: .yuyv, size: upright, view: view, range: .limited)
        do throws(PictureError) {
            return (settings, try PictureConverter(frames, [settings]).formats[0])
        } catch { throw .unsuitable("\(frames.pixelFormat)") }
    }

    private init(
        _ sink: any PictureSink, _ pictures: PictureSettings, _ name: String
    ) throws(VirtualCameraError) {
        (self.name, self.sink) = (name, sink)
        output = FrameOutput(FrameOutputSettings(pictures: pictures))
        do throws(SystemShortage) {
            // The thread holds this value until it ends.
            let started = try SystemThread(name: "virtual camera") { self.run() }
            thread.withLock { $0 = started }
        } catch { throw .failed("the thread 'virtual camera'", call: error.call, errno: error.errno) }
        sink.onChange { [output, weak sink] in output.setWanted(sink?.isWatched ?? false) }
        output.setWanted(sink.isWatched)
    }

    /// Why it shows nothing any more; nil as long as it works.
    public var failure: VirtualCameraError? { end.withLock { $0.failure } }

    /// Calls `body` when it fails, or at once if it has. To be called once.
    package func onFailure(_ body: @escaping @Sendable (VirtualCameraError) -> Void) {
        let failure = end.withLock { end in
            end.isTold = body
            return end.failure
        }
        if let failure { body(failure) }
    }

    /// Whether programs take its pictures, as far as is known: v4l2loopback does not say, and always counts.
    public var isWatched: Bool { failure == nil && sink.isWatched }

    /// Removes the camera. Its output is to be removed from its host, too.
    public func close() {
        isCancelled.store(true, ordering: .relaxed)
        output.wake()
        thread.withLock { $0.take() }?.join()
    }

    private func run() {
        do throws(VirtualCameraError) {
            while let picture = output.next(unless: { isCancelled.load(ordering: .relaxed) }) {
                try picture.withBytes { (bytes) throws(VirtualCameraError) in
                    try bytes.withUnsafeBytes { (bytes) throws(VirtualCameraError) in
                        try sink.show(bytes, at: picture.frame.time)
                    }
                }
            }
        } catch {
            let isTold = end.withLock { end in
                end.failure = error
                return end.isTold
            }
            output.setWanted(false)
            isTold?(error)
        }
    }
}

extension HostSinks {
    /// Shows the host's frames at a camera that no host has yet.
    package func add(_ camera: VirtualCamera) {
        do throws(OutputError) { try add(camera.output) } catch { preconditionFailure("a camera has one host") }
    }
}
