// SPDX-License-Identifier: MIT
// Waiting for another thread: awake for a moment, because it is mostly a moment, and then asleep.

import CSystem
import Synchronization

/// Where threads wait until a condition holds that others make true and then ring.
///
/// No ring is lost: the sleeper counts itself in, reads the word, looks at its condition, and sleeps only while the word is
/// still what it read; the ringer makes the condition true, changes the word, and then looks for sleepers. All four are
/// sequentially consistent, so one of the two sees the other.
package struct Doorbell: ~Copyable, @unchecked Sendable {  // only atomics lie at the address, and it never changes
    private let words: UnsafeMutablePointer<Words>
    private let wakefulNanoseconds: Int64

    /// At a fixed address, because the kernel is told it.
    private struct Words: ~Copyable {
        let word = Atomic<UInt32>(0)
        let sleepers = Atomic<UInt32>(0)
    }

    /// A doorbell whose waiters stay awake for so long before they sleep.
    package init(wakefulNanoseconds: Int64) {
        self.wakefulNanoseconds = wakefulNanoseconds
        words = .allocate(capacity: 1)
        words.initialize(to: Words())
    }

    deinit { words.deinitialize(count: 1).deallocate() }

    /// Wakes every sleeper to look at its condition again. Never waits.
    package borrowing func ring() {
        words.pointee.word.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if words.pointee.sleepers.load(ordering: .sequentiallyConsistent) != 0 { _ = lc_futex_wake_all(address) }
    }

    /// Returns when `condition`, which must read with acquiring loads, holds; awake for as long as said here, or for as long
    /// as usual.
    package borrowing func wait(awakeFor nanoseconds: Int64? = nil, for condition: () -> Bool) {
        if condition() || holds(within: nanoseconds ?? wakefulNanoseconds, condition) { return }
        words.pointee.sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { words.pointee.sleepers.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        while true {
            // Read before the condition: a ring in between keeps the kernel from putting us to sleep.
            let seen = words.pointee.word.load(ordering: .sequentiallyConsistent)
            if condition() { return }
            _ = lc_futex_wait_until(address, seen, -1)
        }
    }

    /// The same; returns at a time of CLOCK_MONOTONIC, in nanoseconds, at the latest.
    package borrowing func wait(until deadline: Int64, for condition: () -> Bool) {
        words.pointee.sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { words.pointee.sleepers.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        while true {
            let seen = words.pointee.word.load(ordering: .sequentiallyConsistent)
            if condition() || lc_monotonic_ns() >= deadline { return }
            _ = lc_futex_wait_until(address, seen, deadline)
        }
    }

    private borrowing func holds(within nanoseconds: Int64, _ condition: () -> Bool) -> Bool {
        guard nanoseconds > 0 else { return false }
        let deadline = lc_monotonic_ns() + nanoseconds
        repeat {
            for _ in 0..<16 {
                lc_spin_pause()
                if condition() { return true }
            }
        } while lc_monotonic_ns() < deadline
        return false
    }

    private var address: UnsafePointer<UInt32> { UnsafeRawPointer(words).assumingMemoryBound(to: UInt32.self) }
}
