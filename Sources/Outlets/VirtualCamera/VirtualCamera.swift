// SPDX-License-Identifier: MIT
// A camera for programs that know nothing of livecap: it shows the newest frame of a host.

import LivecapFrames
import LivecapPictures
import LivecapStreams
import LivecapThreads

/// A virtual camera, which shows the pictures of its output. A slow program costs it pictures, and nobody else
/// anything.
public final class VirtualCamera: Sendable {
    /// What people call it.
    public let name: String
    /// What makes its pictures, once it is added to a host.
    package let output: FrameOutput
    private let sink: any PictureSink
    private let audience: CameraAudience
    private let thread = Guarded<SystemThread?>(nil)

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
        self.name = name
        self.sink = sink
        output = FrameOutput(FrameOutputSettings(pictures: pictures))
        audience = CameraAudience(output)
        do throws(SystemShortage) {
            // The thread holds this value until it is closed, or has failed.
            let started = try SystemThread(name: "virtual camera") { self.run() }
            thread.withLock { $0 = started }
        } catch { throw .failed("the thread 'virtual camera'", call: error.call, errno: error.errno) }
        // Without a reference to the sink, which must not be released where this is called.
        sink.onDemand { [audience] in audience.note($0) }
    }

    /// Why it shows nothing any more; nil as long as it works.
    public var failure: VirtualCameraError? { audience.failure }

    /// Calls `body` once when it has failed.
    package func onFailure(_ body: @escaping @Sendable (VirtualCameraError) -> Void) { audience.onFailure(body) }

    /// Calls `body` whenever `isWatched` or `failure` may have changed, on a thread that must not wait.
    package func onChange(_ body: @escaping @Sendable () -> Void) { audience.onChange(body) }

    /// Whether programs take its pictures, as far as is known: v4l2loopback does not say, and always counts.
    public var isWatched: Bool { audience.isWatched }

    /// Removes the camera. Its output is to be removed from its host, too.
    public func close() {
        audience.close()
        thread.withLock { $0.take() }?.join()
    }

    private func run() {
        while let picture = output.next(unless: { audience.isOver }) {
            do throws(VirtualCameraError) {
                try picture.withBytes { (bytes) throws(VirtualCameraError) in
                    try bytes.withUnsafeBytes { (bytes) throws(VirtualCameraError) in
                        try sink.show(bytes, at: picture.frame.time)
                    }
                }
            } catch { audience.note(.never(error)) }
        }
        audience.reportFailure()
    }
}

extension HostSinks {
    /// Shows the host's frames at a camera that no host has yet.
    package func add(_ camera: VirtualCamera) {
        do throws(OutputError) { try add(camera.output) } catch { preconditionFailure("a camera has one host") }
    }
}
