// SPDX-License-Identifier: MIT
// Waits for another thread: spins briefly, because waits are usually short, and then sleeps.

import LivecapCSystem
import Synchronization

/// Lets threads wait for a condition that other threads make true before they ring.
///
/// No ring is lost. The sleeper counts itself in, reads the word, checks its condition, and sleeps only while the word
/// still has the value it read. The ringer makes the condition true, changes the word, and then checks for sleepers.
/// All four accesses to the word and the count are sequentially consistent, so at least one side sees the other.
package struct Doorbell: ~Copyable, @unchecked Sendable {  // safe: only atomics lie there
    private let words: UnsafeMutablePointer<Words>
    private let spinNanoseconds: Int64

    /// Needs a fixed address, because the kernel is given it.
    private struct Words: ~Copyable {
        let word = Atomic<UInt32>(0)
        let sleepers = Atomic<UInt32>(0)
    }

    /// Creates a doorbell whose waiters spin for `spinNanoseconds` before they sleep.
    package init(spinNanoseconds: Int64) {
        self.spinNanoseconds = spinNanoseconds
        words = .allocate(capacity: 1)
        words.initialize(to: Words())
    }

    deinit { words.deinitialize(count: 1).deallocate() }

    /// Wakes all sleepers so that they check their conditions again. Never waits.
    package borrowing func ring() {
        words.pointee.word.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if words.pointee.sleepers.load(ordering: .sequentiallyConsistent) != 0 { _ = lc_futex_wake_all(address) }
    }

    /// Waits until `condition` holds. The condition must read with acquiring loads. The caller spins for `nanoseconds`
    /// (default: the doorbell's `spinNanoseconds`) before it sleeps.
    package borrowing func wait(awakeFor nanoseconds: Int64? = nil, for condition: () -> Bool) {
        if condition() || holds(within: nanoseconds ?? spinNanoseconds, condition) { return }
        words.pointee.sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { words.pointee.sleepers.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        while true {
            // Read before checking the condition: if the word changes in between, the kernel does not put us to sleep.
            let seen = words.pointee.word.load(ordering: .sequentiallyConsistent)
            if condition() { return }
            _ = lc_futex_wait_until(address, seen, -1)
        }
    }

    /// Waits without spinning until `condition` holds or `deadline` (nanoseconds on CLOCK_MONOTONIC) has passed.
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
