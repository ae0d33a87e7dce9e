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
        let woken = signal.wait(until: deadline) { nextCounter > counter || isEnded }
        if nextCounter > counter { return .arrived }
        return woken ? .ended : .timedOut
    }

    /// Sleeps until a frame newer than `time` has been published, at most until `deadline` on CLOCK_MONOTONIC.
    public func wait(forNewerThan time: Timestamp, until deadline: Timestamp = .distantFuture) -> WaitOutcome {
        let woken = signal.wait(until: deadline) { newestTime.map { $0 > time } ?? false || isEnded }
        if let newest = newestTime, newest > time { return .arrived }
        return woken ? .ended : .timedOut
    }

    /// The time of the newest frame.
    public var newestTime: Timestamp? {
        guard let newest = pinNewest() else { return nil }
        unpin(newest.slot)
        return newest.time
    }
}
