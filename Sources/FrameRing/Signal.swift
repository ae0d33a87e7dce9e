// SPDX-License-Identifier: MIT
// Wakes sleepers from a thread that must not wait, with a futex word and a count of sleepers.

import LivecapCSystem
import LivecapFrames
import Synchronization

/// A wake-up that costs the notifier one atomic addition and one load while nobody sleeps, and a system call otherwise.
/// The value is a plain address: its owner must call `deallocate`.
///
/// No wake-up is lost. The sleeper counts itself in, reads the word, checks its condition, and sleeps only while the
/// word still has the value it read. The notifier makes the condition true, changes the word, and then checks for
/// sleepers. All four accesses to the word and the count are sequentially consistent, so at least one side sees the
/// other.
struct Signal: @unchecked Sendable {  // safe: only atomics lie at the address, which never changes
    private let words: UnsafeMutablePointer<Words>

    /// Needs a fixed address, because the kernel is given it. It has a cache line of its own, so that readers that do
    /// not sleep leave it in the producer's cache.
    private struct Words: ~Copyable {
        let word = Atomic<UInt32>(0)
        let sleepers = Atomic<UInt32>(0)
    }

    init() {
        words = allocateLines(1)
        words.initialize(to: Words())
    }

    /// Frees the words. Nobody may be sleeping on them, wait or notify any more.
    func deallocate() { words.deinitialize(count: 1).deallocate() }

    /// Wakes all sleepers so that they check their conditions again. Never waits.
    @inline(__always)
    func notify() {
        words.pointee.word.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if words.pointee.sleepers.load(ordering: .sequentiallyConsistent) != 0 { _ = lc_futex_wake_all(address) }
    }

    /// Sleeps until `condition` holds or `deadline` (on CLOCK_MONOTONIC) has passed. Returns whether the condition
    /// holds.
    func wait(until deadline: Timestamp, for condition: () -> Bool) -> Bool {
        if condition() { return true }
        words.pointee.sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { words.pointee.sleepers.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        while true {
            // Read before checking the condition: if the word changes in between, the kernel does not put us to sleep.
            let seen = words.pointee.word.load(ordering: .sequentiallyConsistent)
            if condition() { return true }
            let forever = deadline == .distantFuture
            if !forever && Timestamp.now >= deadline { return false }
            _ = lc_futex_wait_until(address, seen, forever ? -1 : deadline.nanoseconds)
        }
    }

    /// The number of threads asleep or about to sleep, for tests.
    var sleeperCount: Int { Int(words.pointee.sleepers.load(ordering: .sequentiallyConsistent)) }

    private var address: UnsafePointer<UInt32> { UnsafeRawPointer(words).assumingMemoryBound(to: UInt32.self) }
}
