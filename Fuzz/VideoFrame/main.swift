// SPDX-License-Identifier: MIT
// Fuzzes what is read of a camera's frame of H.264 or HEVC before it is decoded, and of its parameters.

import Camera
import FuzzSupport
import LivecapFrames

fuzz { bytes, count in
    let frame = UnsafeRawBufferPointer(start: bytes, count: count)
    for format in [PixelFormat.h264, .hevc] {
        let content = VideoFrame(frame, of: format)
        if case .recovery(let frames) = content { precondition((0...3600).contains(frames), "it is not far away") }
        // What was read of a whole copy is the same: nothing after the frame's end counts.
        let copy = Array(frame)
        precondition(copy.withUnsafeBytes { VideoFrame($0, of: format) } == content, "it depends on the bytes alone")
        // A delimiter of units before it changes nothing that has units.
        let delimited = [0, 0, 1, format == .hevc ? 0x46 : 0x09, 0x50] + copy
        let again = delimited.withUnsafeBytes { VideoFrame($0, of: format) }
        precondition(again == content || content == .garbage, "a delimiter says nothing")
    }
    if let sequence = H264Sequence(in: frame) {
        let (width, height) = (sequence.size.width, sequence.size.height)
        precondition((1...32768).contains(width) && (1...65536).contains(height), "the size is possible")
        let isShown = H264Sequence.isShownAtOnce(frame, size: sequence.size)
        precondition(!isShown || sequence.isInOrder && sequence.isUsual, "only what is in order is shown at once")
    } else {
        precondition(!H264Sequence.isShownAtOnce(frame, size: FrameSize(width: 16, height: 16)), "there is no size")
    }
    return 0
}
