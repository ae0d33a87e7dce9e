// SPDX-License-Identifier: MIT
// Movies in parts: when one ends, and what is in each.

import LivecapFrames

/// When a movie goes on in another file. Each part begins with a picture that needs no other, and is complete and
/// durable before the next one has its name. Together, they have every picture and every sample of sound once.
public enum MovieSplit: Hashable, Codable, Sendable {
    /// Before the first picture that is this much later than the part's first one: at least 100 ms.
    case duration(Duration)
    /// Before the file would exceed this number of bytes: at least 16 KiB.
    case bytes(Int)
}

extension MovieSplit {
    /// Whether parts would hold next to nothing.
    var isTooSmall: Bool {
        switch self {
        case .duration(let length): length < .milliseconds(100)
        case .bytes(let count): count < 16 << 10
        }
    }
}

/// One file of a movie.
public struct MoviePartSummary: Hashable, Sendable {
    /// Its path.
    public var path: String
    /// When it begins, since the movie's first picture.
    public var begin: Duration
    /// The number of pictures in it, also those that are shown again.
    public var pictures: Int
    /// Its size.
    public var byteCount: Int
}
