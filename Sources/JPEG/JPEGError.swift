// SPDX-License-Identifier: MIT
// The errors of JPEG decoding and encoding.

import LivecapFrames

/// Why a picture could not be decoded or encoded.
package enum JPEGError: Error, Hashable, Sendable {
    /// The bytes are not a JPEG picture, or not one that can be decoded. The string is the library's message.
    case undecodable(String)
    /// The picture's size differs from the requested one.
    case wrongSize(asked: FrameSize, found: FrameSize)
    /// The picture's chroma sampling differs from the requested one.
    case wrongSampling(asked: ChromaSampling, found: ChromaSampling)
    /// The memory for the result, or the input, has too few bytes.
    case tooFewBytes(needed: Int, given: Int)
    /// Encoding failed. The string is the library's message.
    case unencodable(String)
    /// The library could not be initialised: out of memory.
    case noMemory
}

/// The chroma sampling of a JPEG picture. The raw values are TurboJPEG's.
package enum ChromaSampling: Int32, Hashable, Sendable, CaseIterable {
    /// One chroma sample per pixel.
    case s444 = 0
    /// One chroma sample per two horizontally adjacent pixels. Most webcams send this.
    case s422 = 1
    /// One chroma sample per square of four pixels.
    case s420 = 2
    /// No chroma.
    case grey = 3
    /// One chroma sample per two vertically adjacent pixels.
    case s440 = 4
    /// One chroma sample per four horizontally adjacent pixels.
    case s411 = 5
}
