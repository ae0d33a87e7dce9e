// SPDX-License-Identifier: MIT
// Converts formats that livecap does not read to I420, with libv4lconvert.

import LivecapCV4L2
import LivecapFrames

/// libv4lconvert for one open device: from the camera's own format to I420. Used only by the capture thread.
final class FrameConverter {
    /// The format that the camera delivers.
    var source = v4l2_format()
    /// The format that frames are converted to.
    private(set) var destination = v4l2_format()
    private let state: OpaquePointer

    /// Chooses libv4lconvert's best conversion for `size`: `v4lconvert_try_format`. Nil if there is none.
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

    /// Converts one frame: `v4lconvert_convert`. Returns the number of bytes written, or nil if the frame is damaged.
    func convert(_ bytes: UnsafeRawBufferPointer, into slot: UnsafeMutableRawBufferPointer) -> Int? {
        let written = cv4l2_convert(
            state, &source, &destination, bytes.baseAddress, Int32(bytes.count), slot.baseAddress, Int32(slot.count))
        return written < 0 ? nil : Int(written)
    }
}
