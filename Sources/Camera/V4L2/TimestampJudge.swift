// SPDX-License-Identifier: MIT
// Whether a driver's time can be believed.

import CV4L2
import Frames

/// A frame's time as decided.
struct JudgedTime: Hashable {
    let time: Timestamp
    let source: TimestampSource
    let uncertainty: TimeSpan
    /// The driver's time was refused.
    let isDistrusted: Bool
}

/// Refuses driver times that lie in the future, go backwards, are far too old or are on another clock, and takes the
/// time of dequeuing instead. A pure state machine: no clock, no device.
struct TimestampJudge {
    /// A frame can wait this long in the driver's queue before we take it, on a starved machine.
    private static let oldest = TimeSpan.milliseconds(2000)
    /// Rounding: drivers tell microseconds.
    private static let slack = TimeSpan.microseconds(1)

    /// The driver's last time, believed or not, as long as it could have been true.
    private var lastDriver = Timestamp(nanoseconds: .min)
    /// The last time decided on: what a ring's frames are in the order of.
    private var last = Timestamp(nanoseconds: .min)

    /// Decides on a frame's time. `driver` is nil when the driver's clock is not CLOCK_MONOTONIC.
    mutating func judge(
        driver: Timestamp?, source: TimestampSource, dequeued: Timestamp, interval: TimeSpan
    ) -> JudgedTime {
        if let driver, driver <= dequeued + Self.slack, dequeued - driver <= Self.oldest {
            let isForward = driver > lastDriver
            lastDriver = driver
            if isForward {
                // After a refused time the dequeue time before can lie ahead of the driver's: one bad time must not
                // turn trust off, so the time is moved behind it and its uncertainty says by how much.
                last = max(driver, last + .nanoseconds(1))
                // The driver stamps the first packet; light was gathered somewhere in the interval before it.
                return JudgedTime(
                    time: last, source: source, uncertainty: interval + (last - driver), isDistrusted: false)
            }
        }
        last = max(last, dequeued)
        return JudgedTime(time: last, source: .dequeue, uncertainty: interval * 2, isDistrusted: true)
    }
}

extension v4l2_buffer {
    /// The driver's time where it is on CLOCK_MONOTONIC.
    var monotonicTime: Timestamp? {
        guard flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) else {
            return nil
        }
        let (nanoseconds, overflow) = Int64(timestamp.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow, nanoseconds >= 0 else { return nil }
        return Timestamp(nanoseconds: nanoseconds) + .microseconds(Int64(timestamp.tv_usec))
    }

    /// What the driver's time is the time of.
    var timestampSource: TimestampSource {
        flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE)
            ? .startOfExposure : .endOfFrame
    }
}
