// SPDX-License-Identifier: MIT
// An open file or folder that is closed with its owner.

import CSystem
import Glibc

/// A descriptor with one owner.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    deinit { close(number) }
}

/// Waits for no one: whether the byte at `offset` is now locked by this descriptor alone. Whoever has the lock loses it when
/// the descriptor is closed, however that comes.
func lockByte(_ descriptor: Int32, at offset: Int64) -> Bool { lc_lock_byte(descriptor, offset) == 0 }

/// Nanoseconds since 1970, UTC.
func utcNow() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
