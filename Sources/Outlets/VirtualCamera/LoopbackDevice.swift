// SPDX-License-Identifier: MIT
// A video device that takes pictures and shows them to others, such as one of v4l2loopback's.

import Glibc
import LivecapCV4L2
import LivecapFrames
import Synchronization

/// An output device of V4L2's, written to. Its format is set once and stays, because programs that look at it would not
/// survive another.
final class LoopbackDevice: PictureSink {
    private let path: String
    private let descriptor: Int32
    private let hasShown = Atomic<Bool>(false)

    init(_ path: String, _ size: FrameSize) throws(VirtualCameraError) {
        self.path = path
        descriptor = cv4l2_open(path)
        guard descriptor >= 0 else { throw .failed(path, call: "open", errno: -descriptor) }
        do throws(VirtualCameraError) { try Self.setUp(descriptor, path, size) } catch {
            _ = cv4l2_close(descriptor)
            throw error
        }
    }

    deinit { _ = cv4l2_close(descriptor) }

    /// Checks that pictures can be written to it, and sets their format: `VIDIOC_QUERYCAP`, `VIDIOC_S_FMT`.
    private static func setUp(
        _ descriptor: Int32, _ path: String, _ size: FrameSize
    ) throws(VirtualCameraError) {
        var capability = v4l2_capability()
        guard cv4l2_querycap(descriptor, &capability) == 0 else {
            throw .notAnOutput(path: path, detail: "it is no video device")
        }
        let isOwn = capability.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        let capabilities = isOwn ? capability.device_caps : capability.capabilities
        guard capabilities & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0 else {
            throw .notAnOutput(path: path, detail: "it is a camera, or in use")
        }
        guard capabilities & UInt32(V4L2_CAP_READWRITE) != 0 else {
            throw .notAnOutput(path: path, detail: "it cannot be written to")
        }
        let stride = (size.width + 1) / 2 * 4
        var format = v4l2_format()
        format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        format.fmt.pix.width = UInt32(size.width)
        format.fmt.pix.height = UInt32(size.height)
        format.fmt.pix.pixelformat = PixelFormat.yuyv.fourCC
        format.fmt.pix.bytesperline = UInt32(stride)
        format.fmt.pix.sizeimage = UInt32(stride * size.height)
        format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        format.fmt.pix.colorspace = V4L2_COLORSPACE_SRGB.rawValue
        let result = cv4l2_s_fmt(descriptor, &format)
        guard result == 0 else { throw .failed(path, call: "VIDIOC_S_FMT", errno: -result) }
        let kept = format.fmt.pix
        let asked = "\(PixelFormat.yuyv) \(size)"
        guard kept.width == UInt32(size.width), kept.height == UInt32(size.height),
            kept.pixelformat == PixelFormat.yuyv.fourCC, kept.bytesperline == UInt32(stride)
        else {
            let (found, pixels) = (PixelFormat(fourCC: kept.pixelformat), (Int(kept.width), Int(kept.height)))
            throw .refused(
                path: path, asked: asked, kept: "\(found) \(FrameSize(width: pixels.0, height: pixels.1))")
        }
    }

    /// It does not report its readers.
    func onDemand(_ body: @escaping @Sendable (PictureDemand) -> Void) { body(.some) }

    func show(_ pixels: UnsafeRawBufferPointer, at time: Timestamp) throws(VirtualCameraError) {
        let written = write(descriptor, pixels.baseAddress!, pixels.count)
        if written > 0 && !hasShown.exchange(true, ordering: .relaxed) {
            // v4l2loopback 0.12, Debian 12's, notices only the end of writers that have started a stream: with its
            // `exclusive_caps`, the device would take no pictures after this program until the module is loaded again.
            // Others refuse it, as pictures are being written.
            _ = cv4l2_output_on(descriptor)
        }
        // A device that is not ready for a picture misses it.
        guard written < 0, ![EAGAIN, EINTR].contains(errno) else { return }
        if errno == ENODEV { throw .gone(path) }
        throw .failed(path, call: "write", errno: errno)
    }
}
