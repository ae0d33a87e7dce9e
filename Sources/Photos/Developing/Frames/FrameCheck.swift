// SPDX-License-Identifier: MIT
// Finds the frames of a file that cannot be decoded, although their bytes are those that were recorded.

import LivecapFrames

/// Decodes JPEG frames to check them, without making pictures of them. One thread at a time.
package struct FrameCheck {
    private let reader: FrameReader
    private let size: FrameSize

    /// Creates a check of such frames; nil if they need no decoding, or are larger than any picture.
    package init?(_ format: FrameFormat) {
        guard format.pixelFormat.isJPEG, format.problem(for: .jpeg) == nil else { return nil }
        do throws(PhotoError) { reader = try FrameReader() } catch { return nil }
        size = format.size
    }

    /// Whether a frame can be decoded to the end.
    package func isSound(_ bytes: RawSpan) -> Bool { reader.flaw(in: bytes, size) == nil }
}
