// SPDX-License-Identifier: MIT
// An open file or folder that is closed with its owner.

import CSystem
import Glibc

/// A descriptor with one owner.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    deinit { close(number) }
}

/// The file whose bytes are locked, open. Its locks end with it, or with the process.
struct LockFile: ~Copyable, Sendable {
    private let file: Descriptor
    var number: Int32 { file.number }

    init(_ file: consuming Descriptor) { self.file = file }

    // Closing alone would not do: a process that is being started has the open file, too, until it runs its program.
    deinit { _ = lc_unlock_bytes(file.number) }

    /// Waits for no one: whether the byte at `offset` is now locked by this open file alone.
    func lock(at offset: Int64) -> Bool { lc_lock_byte(number, offset) == 0 }
}

/// Nanoseconds since 1970, UTC.
func utcNow() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
