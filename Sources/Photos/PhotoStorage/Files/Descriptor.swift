// SPDX-License-Identifier: MIT
// An open file or folder that is closed with its owner.

import Glibc
import LivecapCSystem

/// A descriptor with one owner.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    deinit { close(number) }

    /// Gives the descriptor to a caller, who closes it.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}

/// An open file whose bytes can be locked. Its locks end with it, or with the process.
struct LockFile: ~Copyable, Sendable {
    private let file: Descriptor
    var number: Int32 { file.number }

    init(_ file: consuming Descriptor) { self.file = file }

    // Closing alone is not enough: a child process between fork and exec shares the open file.
    deinit { _ = lc_unlock_bytes(file.number) }

    /// Tries to lock the byte at `offset`, without waiting. Returns whether this open file now has the lock.
    func lock(at offset: Int64) -> Bool { lc_lock_byte(number, offset) == 0 }
    /// Locks the byte at `offset` as soon as nobody else has. The file belongs to the library at `path`.
    func waitForLock(at offset: Int64, of path: String) throws(LibraryError) {
        let result = lc_lock_byte_waiting(number, offset)
        guard result == 0 else { throw .fileError(path, call: "fcntl", errno: -result) }
    }
}

/// The current time in nanoseconds since 1970, UTC.
func utcNow() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
