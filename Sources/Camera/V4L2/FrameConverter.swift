// SPDX-License-Identifier: MIT
// Formats livecap does not read, turned into I420 by libv4lconvert.

import CV4L2
import Frames

/// libv4lconvert for one open device: the camera's own format in, I420 out. The capture thread's alone.
final class FrameConverter {
    /// What the camera delivers.
    var source = v4l2_format()
    /// What frames become.
    private(set) var destination = v4l2_format()
    private let state: OpaquePointer

    /// The conversion libv4lconvert thinks best for `size`: `v4lconvert_try_format`. Nil when it knows none.
    init?(_ device: borrowing V4L2Device, size: FrameSize) {
        guard let state = cv4l2_converter_create(device.descriptor) else { return nil }
        self.state = state
        destination.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        destination.fmt.pix.pixelformat = PixelFormat.i420.fourCC
        destination.fmt.pix.width = UInt32(size.width)
        destination.fmt.pix.height = UInt32(size.height)
        destination.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        let isPossible = cv4l2_converter_try(state, &destination, &source) == 0
        guard isPossible, destination.fmt.pix.pixelformat == PixelFormat.i420.fourCC else { return nil }
    }

    deinit { cv4l2_converter_destroy(state) }

    /// Converts one frame: `v4lconvert_convert`. The bytes written, or nil when the frame is damaged.
    func convert(_ bytes: UnsafeRawBufferPointer, into slot: UnsafeMutableRawBufferPointer) -> Int? {
        let written = cv4l2_convert(
            state, &source, &destination, bytes.baseAddress, Int32(bytes.count), slot.baseAddress, Int32(slot.count))
        return written < 0 ? nil : Int(written)
    }
}
