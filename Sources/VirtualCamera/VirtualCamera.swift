// SPDX-License-Identifier: MIT
// A camera for programs that know nothing of livecap: it shows the newest frame of a ring.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapThreads
import Synchronization

/// Where the pictures of a virtual camera go. Used by one thread at a time.
protocol PictureSink: AnyObject {
    /// Whether anybody takes pictures. If nobody does, none are made.
    var isWatched: Bool { get }
    /// Shows a YUYV picture of the agreed size, taken at `time`.
    /// - Throws: `gone`, after which it is not called again.
    func show(_ pixels: UnsafeRawBufferPointer, at time: Timestamp) throws(VirtualCameraError)
}

/// A virtual camera, fed by a thread of its own until the ring ends. A slow program costs it frames, and nobody else
/// anything.
public final class VirtualCamera: Sendable {
    /// What people call it.
    public let name: String
    private let shared = Guarded<VirtualCameraError?>(nil)
    private let isCancelled = Atomic<Bool>(false)
    private let watched = Atomic<Bool>(false)
    private let thread = Guarded<SystemThread?>(nil)

    /// A node of PipeWire's that browsers, OBS and others list as a camera. It shows `view` of the frames.
    /// - Throws: `noPipeWire`, `notRunning`, `unsuitable` if its frames cannot be converted, `failed`.
    public static func pipeWire(
        _ ring: Ring, _ source: SourceDescription, view: PictureView = .whole
    ) throws(VirtualCameraError) -> VirtualCamera {
        let pictures = try pictures(of: ring.format, view)
        let node = try PipeWireNode(source, pictures.formats[0].size)
        return try VirtualCamera(ring, node, pictures, "PipeWire's camera '\(source.name)'")
    }

    /// An output device of V4L2's, such as one of v4l2loopback's. It shows `view` of the frames.
    /// - Throws: `notAnOutput`, `refused`, `unsuitable` if its frames cannot be converted, `failed`.
    public static func loopback(
        _ ring: Ring, _ source: SourceDescription, path: String, view: PictureView = .whole
    ) throws(VirtualCameraError) -> VirtualCamera {
        let pictures = try pictures(of: ring.format, view)
        return try VirtualCamera(ring, LoopbackDevice(path, pictures.formats[0].size), pictures, path)
    }

    /// Pictures in YUYV with limited range, which every program that takes a camera understands. A zoom enlarges to the
    /// size of the whole view.
    private static func pictures(
        of frames: FrameFormat, _ view: PictureView
    ) throws(VirtualCameraError) -> PictureConverter {
        let upright = PictureView(mount: view.mount).size(of: frames.size)
        let settings = PictureSettings(format: .yuyv, size: upright, view: view, range: .limited)
        do throws(PictureError) { return try PictureConverter(frames, [settings]) } catch {
            throw .unsuitable("\(frames.pixelFormat)")
        }
    }

    private init(
        _ ring: Ring, _ sink: sending any PictureSink, _ pictures: sending PictureConverter, _ name: String
    ) throws(VirtualCameraError) {
        self.name = name
        let box = Box(sink: sink, pictures: pictures)
        do throws(SystemShortage) {
            // The thread holds this value until it ends.
            let started = try SystemThread(name: "virtual camera") { self.run(ring, box.sink, box.pictures) }
            thread.withLock { $0 = started }
        } catch { throw .failed("the thread 'virtual camera'", call: error.call, errno: error.errno) }
    }

    /// Why it shows nothing any more; nil as long as it works.
    public var failure: VirtualCameraError? { shared.withLock { $0 } }

    /// Whether programs take its pictures, as far as is known: v4l2loopback does not say, and always counts.
    public var isWatched: Bool { watched.load(ordering: .relaxed) }

    /// Removes the camera.
    public func close() {
        // Pairs with the acquiring load in `run`.
        isCancelled.store(true, ordering: .releasing)
        thread.withLock { $0.take() }?.join()
    }

    private func run(_ ring: Ring, _ sink: any PictureSink, _ pictures: PictureConverter) {
        let picture = UnsafeMutableRawBufferPointer.allocate(byteCount: pictures.formats[0].byteCount, alignment: 64)
        defer { picture.deallocate() }
        PictureConverter.clear(picture, pictures.formats[0])
        var frames = FrameSubscription(to: ring)
        do throws(VirtualCameraError) {
            while !isCancelled.load(ordering: .acquiring) {
                watched.store(sink.isWatched, ordering: .relaxed)
                switch frames.poll(.newest) {
                case .ended: return
                case .timedOut: _ = ring.wait(forCounter: frames.nextCounter, until: .now + Self.look)
                case .frame(let frame):
                    guard sink.isWatched, frame.metadata.isUsable, frame.withBytes({ pictures.take($0) }) else {
                        continue
                    }
                    _ = pictures.draw(0, into: picture)
                    try sink.show(UnsafeRawBufferPointer(picture), at: frame.metadata.time)
                }
            }
        } catch {
            watched.store(false, ordering: .relaxed)
            shared.withLock { $0 = error }
        }
    }

    /// How often the thread looks whether it should end, when no frames come.
    private static let look = Duration.milliseconds(100)
}

/// Moves a sink and its converter to their thread. `@unchecked`: both arrive by `sending`, so nobody else has them.
private struct Box: @unchecked Sendable {
    let sink: any PictureSink
    let pictures: PictureConverter
}
