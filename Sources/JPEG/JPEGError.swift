// SPDX-License-Identifier: MIT
// What can go wrong with a JPEG picture.

import Frames

/// Why a picture could not be decoded or encoded.
public enum JPEGError: Error, Hashable, Sendable {
    /// The bytes are no JPEG picture, or none that can be decoded; what the library says.
    case undecodable(String)
    /// The picture has another size than asked for.
    case wrongSize(asked: FrameSize, found: FrameSize)
    /// The picture's chroma is sampled otherwise than asked for.
    case wrongSampling(asked: ChromaSampling, found: ChromaSampling)
    /// The place for the result, or the bytes given, are too few.
    case tooFewBytes(needed: Int, given: Int)
    /// Encoding failed; what the library says.
    case unencodable(String)
    /// The library could not be set up: out of memory.
    case noMemory
}

/// How the chroma of a JPEG picture is sampled. The numbers are TurboJPEG's.
public enum ChromaSampling: Int32, Hashable, Sendable, CaseIterable {
    /// A chroma sample a pixel.
    case s444 = 0
    /// A chroma sample for two pixels side by side: what most webcams send.
    case s422 = 1
    /// A chroma sample for a square of four pixels.
    case s420 = 2
    /// No chroma.
    case grey = 3
    /// A chroma sample for two pixels one above the other.
    case s440 = 4
    /// A chroma sample for four pixels side by side.
    case s411 = 5
}
