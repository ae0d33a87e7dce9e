// SPDX-License-Identifier: MIT
// Waking sleepers from a thread that must not wait: a futex word, and a count of who sleeps.

import CSystem
import Frames
import Synchronization

/// A wake-up that costs the notifier one atomic addition and one load while nobody sleeps, and a system call otherwise.
/// A plain address; whoever made it ends its life.
///
/// No wake-up is lost: the sleeper counts itself in, reads the word, looks at its condition, and sleeps only while the
/// word is still what it read; the notifier makes the condition true, changes the word, and then looks for sleepers.
/// All four are sequentially consistent, so one of the two sees the other.
struct Signal: @unchecked Sendable {  // only atomics lie at the address, and it never changes
    private let words: UnsafeMutablePointer<Words>

    /// At a fixed address, because the kernel is told it, and on a line of its own: readers that do not sleep leave it
    /// in the producer's cache.
    private struct Words: ~Copyable {
        let word = Atomic<UInt32>(0)
        let sleepers = Atomic<UInt32>(0)
    }

    init() {
        words = allocateLines(1)
        words.initialize(to: Words())
    }

    /// Ends the words' life; nobody may sleep or notify any more.
    func deallocate() { words.deinitialize(count: 1).deallocate() }

    /// Wakes every sleeper whose condition may have become true. Never waits.
    @inline(__always)
    func notify() {
        words.pointee.word.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if words.pointee.sleepers.load(ordering: .sequentiallyConsistent) != 0 { _ = lc_futex_wake_all(address) }
    }

    /// Sleeps until `condition` holds or `deadline` (on CLOCK_MONOTONIC) has passed; whether it holds.
    func wait(until deadline: Timestamp, for condition: () -> Bool) -> Bool {
        if condition() { return true }
        words.pointee.sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { words.pointee.sleepers.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        while true {
            // Read before the condition: a change in between keeps the kernel from putting us to sleep.
            let seen = words.pointee.word.load(ordering: .sequentiallyConsistent)
            if condition() { return true }
            let forever = deadline == .distantFuture
            if !forever && Timestamp.now >= deadline { return false }
            _ = lc_futex_wait_until(address, seen, forever ? -1 : deadline.nanoseconds)
        }
    }

    /// How many are asleep or about to be: for tests.
    var sleeperCount: Int { Int(words.pointee.sleepers.load(ordering: .sequentiallyConsistent)) }

    private var address: UnsafePointer<UInt32> { UnsafeRawPointer(words).assumingMemoryBound(to: UInt32.self) }
}
