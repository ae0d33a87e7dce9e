// SPDX-License-Identifier: MIT
// Reports again and again that the time has come.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization

/// Times at a regular distance from a beginning. A plain value without a clock. Times that have passed unnoticed, as
/// while the machine slept, are left out, and later ones stay where they are.
package struct RegularTimes: Sendable {
    /// The distance from one to the next.
    package let interval: Duration
    /// The next one.
    package private(set) var next: Timestamp

    /// Times at every `interval`, which is above zero, after `start`.
    package init(every interval: Duration, after start: Timestamp) {
        precondition(interval > .zero, "time goes on")
        self.interval = interval
        next = start + interval
    }

    /// The time that is due at `now`: the latest until then; nil if none is.
    package mutating func take(at now: Timestamp) -> Timestamp? {
        guard next <= now else { return nil }
        let span = max(1, interval.nanoseconds)
        let due = next + .nanoseconds((now - next).nanoseconds / span * span)
        next = due + .nanoseconds(span)
        return due
    }
}

/// Reports regular times, of CLOCK_MONOTONIC, by a thread of its own.
package final class TriggerTimer: Sendable {
    private let state = State()
    private let thread: Guarded<SystemThread?> = Guarded(nil)

    private final class State: Sendable {
        let isOver = Atomic<Bool>(false)
        let signal = OwnedSignal()
    }

    /// Calls `take` with each time, `interval` after the one before, the first of them `interval` from now.
    /// - Throws: the shortage, if there is no thread left for it.
    package init(every interval: Duration, _ take: @escaping @Sendable (Timestamp) -> Void) throws(SystemShortage) {
        let state = state
        let begun = Timestamp.now
        let started = try SystemThread(name: "timer") {
            var times = RegularTimes(every: interval, after: begun)
            while !state.signal.wait(until: times.next, for: { state.isOver.load(ordering: .acquiring) }) {
                if let due = times.take(at: .now) { take(due) }
            }
        }
        thread.withLock { $0 = started }
    }

    deinit { leave() }

    /// Reports nothing more. Does not wait for a report that is being made.
    package func leave() {
        state.isOver.store(true, ordering: .releasing)
        state.signal.notify()
        thread.withLock { $0.take() }?.detach()
    }
}
