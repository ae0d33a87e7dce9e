// SPDX-License-Identifier: MIT
// Waiting for frames that are not there yet.

import Frames

/// How a wait ended.
public enum WaitOutcome: Hashable, Sendable {
    /// What was waited for is there.
    case arrived
    /// The deadline passed first.
    case timedOut
    /// It will never come: the stream has ended.
    case ended
}

extension FrameRing {
    /// Sleeps until a frame with `counter` or a later one has been published, at most until `deadline` on
    /// CLOCK_MONOTONIC.
    public func wait(forCounter counter: UInt64, until deadline: Timestamp = .distantFuture) -> WaitOutcome {
        wait(until: deadline) { table.nextCounter > counter }
    }

    /// Sleeps until a frame newer than `time` has been published, at most until `deadline` on CLOCK_MONOTONIC.
    public func wait(forNewerThan time: Timestamp, until deadline: Timestamp = .distantFuture) -> WaitOutcome {
        wait(until: deadline) { table.newestTime > time.nanoseconds }
    }

    private func wait(until deadline: Timestamp, for hasArrived: () -> Bool) -> WaitOutcome {
        let isOver = table.signal.wait(until: deadline) { hasArrived() || table.isEnded }
        // Looked at again after the end was seen: what came before the end has arrived.
        return hasArrived() ? .arrived : isOver ? .ended : .timedOut
    }

    /// The time of the newest frame; nil while there was none.
    public var newestTime: Timestamp? {
        let nanoseconds = table.newestTime
        return nanoseconds == .min ? nil : Timestamp(nanoseconds: nanoseconds)
    }
}
