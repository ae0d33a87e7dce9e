// SPDX-License-Identifier: MIT
// XXH3-64 from libxxhash: faster than memory can be read, so every byte of a recording can be covered.

import LivecapCxxhash

/// Checksums of contiguous bytes.
package enum Checksum {
    /// The XXH3-64 of `bytes`.
    package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
    }
}

/// The unseeded XXH3-64 of bytes that arrive in pieces. Allocates once, in `init`.
package struct RunningChecksum: ~Copyable {
    private let state: OpaquePointer

    package init() {
        guard let state = XXH3_createState() else { preconditionFailure("no memory for 600 bytes") }
        self.state = state
        XXH3_64bits_reset(state)
    }

    deinit { XXH3_freeState(state) }

    /// Discards everything added so far.
    mutating func reset() { XXH3_64bits_reset(state) }

    /// Adds the next piece.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        XXH3_64bits_update(state, bytes.baseAddress, bytes.count)
    }

    /// The checksum of everything added since the last reset.
    package var value: UInt64 { XXH3_64bits_digest(state) }
}
