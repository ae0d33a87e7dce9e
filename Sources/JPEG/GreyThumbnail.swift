// SPDX-License-Identifier: MIT
// Small grey pictures of JPEG frames, for what only looks at brightness.

import LivecapFrames

/// A JPEG frame decoded at an eighth of its size without chroma, and the memory for it. Used by one thread.
package final class GreyThumbnail {
    private let size: FrameSize
    private var decoder: JPEGDecoder
    private let memory: UnsafeMutableRawBufferPointer

    /// Thumbnails of frames of a size; nil without memory for a decoder.
    package init?(of size: FrameSize) {
        guard let decoder = try? JPEGDecoder() else { return nil }
        self.size = size
        self.decoder = decoder
        memory = .allocate(byteCount: JPEGDecoder.eighth(of: size).area, alignment: 64)
    }

    deinit { memory.deallocate() }

    /// The decoded pixels, valid until the next call; nil if the frame cannot be read or lacks some of its data.
    package func make(of jpeg: RawSpan) -> UnsafeRawBufferPointer? {
        do throws(JPEGError) {
            guard try decoder.decodeGreyEighth(jpeg, size: size, into: memory) == nil else { return nil }
        } catch { return nil }
        return UnsafeRawBufferPointer(memory)
    }
}
