// SPDX-License-Identifier: MIT
// Waiting for frames that have not been published yet.

import LivecapFrames

/// How a wait ended.
public enum WaitOutcome: Hashable, Sendable {
    /// The awaited frame has been published.
    case arrived
    /// The deadline passed first.
    case timedOut
    /// The stream has ended, so the frame will never arrive.
    case ended
}

extension Ring {
    /// Sleeps until a frame with this `counter` or a later one has been published, at most until `deadline` on
    /// CLOCK_MONOTONIC.
    public func wait(forCounter counter: UInt64, until deadline: Timestamp = .distantFuture) -> WaitOutcome {
        wait(until: deadline) { table.nextCounter > counter }
    }

    /// Sleeps until a frame newer than `time` has been published, at most until `deadline` on CLOCK_MONOTONIC.
    public func wait(forNewerThan time: Timestamp, until deadline: Timestamp = .distantFuture) -> WaitOutcome {
        wait(until: deadline) { table.newestTime > time.nanoseconds }
    }

    /// Sleeps until a frame with this `counter` or a later one has been published, the stream has ended, `deadline` has
    /// passed, or `isCancelled` holds after a call of `wakeWaiters`.
    package func wait(
        forCounter counter: UInt64, until deadline: Timestamp = .distantFuture, unless isCancelled: () -> Bool
    ) {
        _ = table.signal.wait(until: deadline) {
            table.nextCounter > counter || table.isEnded || isCancelled()
        }
    }

    /// Sleeps until a frame newer than `time` has been published, at most until `deadline`, or until `isCancelled`
    /// holds after a call of `wakeWaiters`, as if the deadline had passed.
    package func wait(
        forNewerThan time: Timestamp, until deadline: Timestamp, unless isCancelled: () -> Bool
    ) -> WaitOutcome {
        wait(until: deadline, unless: isCancelled) { table.newestTime > time.nanoseconds }
    }

    /// Makes waiting readers check their conditions again.
    package func wakeWaiters() { table.signal.notify() }

    private func wait(
        until deadline: Timestamp, unless isCancelled: () -> Bool = { false }, for hasArrived: () -> Bool
    ) -> WaitOutcome {
        var hasEnded = false
        _ = table.signal.wait(until: deadline) {
            if hasArrived() { return true }
            hasEnded = table.isEnded
            return hasEnded || isCancelled()
        }
        // Check again after seeing the end: a frame published before the end has arrived.
        return hasArrived() ? .arrived : hasEnded ? .ended : .timedOut
    }

    /// The time of the newest frame; nil before the first frame.
    public var newestTime: Timestamp? {
        let nanoseconds = table.newestTime
        return nanoseconds == .min ? nil : Timestamp(nanoseconds: nanoseconds)
    }
}
