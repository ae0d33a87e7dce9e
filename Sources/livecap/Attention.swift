// SPDX-License-Identifier: MIT
// What wakes the thread of a command that waits for the end of its work.

import LivecapFrames
import LivecapThreads
import Synchronization

/// Wakes a command's thread whenever something has happened that it may have to say or do.
final class Attention: Sendable {
    private let calls = Atomic<UInt64>(0)
    private let bell = Doorbell(spinNanoseconds: 0)

    /// Something has happened.
    func call() {
        calls.wrappingAdd(1, ordering: .releasing)
        bell.ring()
    }

    /// The number of calls so far.
    var count: UInt64 { calls.load(ordering: .acquiring) }

    /// Sleeps until there have been more calls than `seen`, or a time has come.
    func wait(after seen: UInt64, until time: Timestamp) {
        bell.wait(until: time.nanoseconds) { count != seen }
    }
}
