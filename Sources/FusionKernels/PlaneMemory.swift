// SPDX-License-Identifier: MIT
// One block of memory for the planes of a frame.

import LivecapCSystem

/// A block of zeroed memory that is divided among several planes as they are created, and freed with the last of
/// them.
///
/// A fusion reads a frame's planes in many places at once, a row here and a row there. The block therefore asks for
/// large pages: a processor's TLB holds too few entries for that many small ones.
package final class PlaneMemory: @unchecked Sendable {  // all pieces are taken before other threads see it
    /// The size of the block.
    package let byteCount: Int
    private let base: UnsafeMutableRawPointer
    private var used = 0
    /// Planes start on a cache line.
    private static let alignment = 64

    /// Allocates memory for planes of these sizes, in bytes.
    package init(_ pieces: [Int]) {
        byteCount = pieces.reduce(0) { $0 + Self.rounded($1) }
        base = Self.mapped(max(1, byteCount))
    }

    deinit { lc_unmap_memory(base, max(1, byteCount)) }

    /// Zeroed memory on large pages. The caller must unmap it.
    static func mapped(_ bytes: Int) -> UnsafeMutableRawPointer {
        guard let memory = lc_map_memory(bytes) else {
            // Traps, as any other allocation does that fails.
            preconditionFailure("no memory for \(bytes) bytes to work in")
        }
        return memory
    }

    /// Returns the next piece of the block.
    package func take(_ bytes: Int) -> UnsafeMutableRawPointer {
        let piece = base + used
        used += Self.rounded(bytes)
        precondition(used <= byteCount, "more than was asked for")
        return piece
    }

    private static func rounded(_ bytes: Int) -> Int { (bytes + alignment - 1) & -alignment }
}
