// SPDX-License-Identifier: MIT
// Memory that planes lie in together.

import CSystem

/// One block of zeroed memory for several planes, handed out piece by piece while they are made; it goes when the last of
/// them does. Planes of a frame are read in many places at once, a row here and a row there, so the block asks for large
/// pages: processors remember few places of small ones.
final class PlaneMemory: @unchecked Sendable {  // handing out ends before anybody else sees it
    /// How much it is.
    let byteCount: Int
    private let base: UnsafeMutableRawPointer
    private var used = 0
    /// Where planes begin: with a line of the cache.
    private static let alignment = 64

    /// Memory for planes of so many bytes each.
    init(_ pieces: [Int]) {
        byteCount = pieces.reduce(0) { $0 + Self.rounded($1) }
        base = Self.mapped(max(1, byteCount))
    }

    deinit { lc_unmap_memory(base, max(1, byteCount)) }

    /// Zeroed memory on large pages; it is to be unmapped.
    static func mapped(_ bytes: Int) -> UnsafeMutableRawPointer {
        guard let memory = lc_map_memory(bytes) else {
            // As any other memory that is not to be had.
            preconditionFailure("no memory for \(bytes) bytes to work in")
        }
        return memory
    }

    /// The next piece.
    func take(_ bytes: Int) -> UnsafeMutableRawPointer {
        let piece = base + used
        used += Self.rounded(bytes)
        precondition(used <= byteCount, "more than was asked for")
        return piece
    }

    private static func rounded(_ bytes: Int) -> Int { (bytes + alignment - 1) & -alignment }
}
