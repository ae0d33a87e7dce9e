// SPDX-License-Identifier: MIT
// Waking sleepers from a thread that must not wait: a futex word, and a count of who sleeps.

import CSystem
import Frames
import Synchronization

/// A wake-up that costs the notifier one atomic addition and one load while nobody sleeps, and a system call otherwise.
///
/// No wake-up is lost: the sleeper counts itself in, reads the word, looks at its condition, and sleeps only while the
/// word is still what it read; the notifier makes the condition true, changes the word, and then looks for sleepers.
/// All four are sequentially consistent, so one of the two sees the other.
final class Signal: Sendable {
    // Only atomics lie behind it, and it never changes.
    nonisolated(unsafe) private let storage: UnsafeMutablePointer<Words>

    /// On the heap at a fixed address, because the kernel is told it.
    private struct Words: ~Copyable {
        let word = Atomic<UInt32>(0)
        let sleepers = Atomic<UInt32>(0)
    }

    init() {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Words())
    }

    deinit { storage.deinitialize(count: 1).deallocate() }

    /// Wakes every sleeper whose condition may have become true. Never waits.
    func notify() {
        storage.pointee.word.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if storage.pointee.sleepers.load(ordering: .sequentiallyConsistent) != 0 {
            _ = lc_futex_wake_all(wordAddress)
        }
    }

    /// Sleeps until `condition` holds or `deadline` (on CLOCK_MONOTONIC) has passed; whether it holds.
    func wait(until deadline: Timestamp, for condition: () -> Bool) -> Bool {
        if condition() { return true }
        storage.pointee.sleepers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        defer { storage.pointee.sleepers.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
        while true {
            let seen = storage.pointee.word.load(ordering: .sequentiallyConsistent)
            if condition() { return true }
            let forever = deadline == .distantFuture
            if !forever && Timestamp.now >= deadline { return false }
            _ = lc_futex_wait_until(wordAddress, seen, forever ? -1 : deadline.nanoseconds)
        }
    }

    private var wordAddress: UnsafePointer<UInt32> {
        UnsafeRawPointer(storage).assumingMemoryBound(to: UInt32.self)
    }
}
