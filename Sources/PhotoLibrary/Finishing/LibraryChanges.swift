// SPDX-License-Identifier: MIT
// Word of a change to those of the same process who wait for one.

import Threads

/// Wakes those who wait for a photo to come further.
final class LibraryChanges: Sendable {
    private let waiting = Guarded<[UInt64: CheckedContinuation<Void, Never>]>([:])

    /// Tells everybody who waits.
    func announce() {
        let woken = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting
        }
        for continuation in woken.values { continuation.resume() }
    }
}
