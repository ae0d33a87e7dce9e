// SPDX-License-Identifier: MIT
// Decides whether a driver's timestamp can be trusted.

import LivecapCV4L2
import LivecapFrames

/// A frame's timestamp as decided.
struct JudgedTime: Hashable {
    let time: Timestamp
    let source: TimestampSource
    let uncertainty: Duration
    /// Whether the driver's timestamp was rejected.
    let isDistrusted: Bool
}

/// Rejects driver timestamps that lie in the future, go backwards, are far too old or use another clock, and uses the
/// time of dequeuing instead. A pure state machine: no clock, no device.
struct TimestampJudge {
    /// On a starved machine, a frame can wait this long in the driver's queue before it is dequeued.
    private static let oldest = Duration.milliseconds(2000)
    /// Allowance for rounding: drivers report microseconds.
    private static let slack = Duration.microseconds(1)

    /// The driver's latest plausible timestamp (not in the future and not too old), whether or not it was accepted.
    private var lastDriver = Timestamp(nanoseconds: .min)
    /// The latest time decided on. A ring's frames must be in the order of these times.
    private var last = Timestamp(nanoseconds: .min)

    /// Decides on a frame's time. `driver` is nil if the driver's clock is not CLOCK_MONOTONIC.
    mutating func judge(
        driver: Timestamp?, source: TimestampSource, dequeued: Timestamp, interval: Duration
    ) -> JudgedTime {
        if let driver, driver <= dequeued + Self.slack, dequeued - driver <= Self.oldest {
            let isForward = driver > lastDriver
            lastDriver = driver
            if isForward {
                // After a rejected timestamp, the dequeue time used in its place can be later than the driver's next
                // timestamp. So that one bad timestamp does not end trust in the driver, the time is moved just after
                // it, and the uncertainty grows by the difference.
                last = max(driver, last + .nanoseconds(1))
                // The driver stamps the first packet. The light was gathered at some time in the interval before it.
                return JudgedTime(
                    time: last, source: source, uncertainty: interval + (last - driver), isDistrusted: false)
            }
        }
        last = max(last, dequeued)
        return JudgedTime(time: last, source: .dequeue, uncertainty: interval * 2, isDistrusted: true)
    }
}

extension v4l2_buffer {
    /// The driver's timestamp, if it is on CLOCK_MONOTONIC.
    var monotonicTime: Timestamp? {
        guard flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) else {
            return nil
        }
        let (nanoseconds, overflow) = Int64(timestamp.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow, nanoseconds >= 0 else { return nil }
        return Timestamp(nanoseconds: nanoseconds) + .microseconds(Int64(timestamp.tv_usec))
    }

    /// The event that the driver's timestamp marks.
    var timestampSource: TimestampSource {
        flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
            ? .startOfExposure : .endOfFrame
    }
}
