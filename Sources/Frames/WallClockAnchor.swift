// SPDX-License-Identifier: MIT
// Relates the monotonic clock to the calendar.

import Glibc

/// Ties a recording's clock to the calendar. Measured once, when the recording begins.
public struct WallClockAnchor: Hashable, Codable, Sendable {
    /// CLOCK_MONOTONIC at the time of the anchor.
    public var monotonic: Timestamp
    /// The same time on the calendar.
    public var calendar: CalendarTime
    /// The abbreviation of the local time zone ("CEST").
    public var zoneName: String

    /// Creates an anchor from all its parts.
    public init(monotonic: Timestamp, calendar: CalendarTime, zoneName: String) {
        self.monotonic = monotonic
        self.calendar = calendar
        self.zoneName = zoneName
    }

    /// An anchor at the current time.
    public static var now: WallClockAnchor {
        var utc = timespec()
        let monotonic = Timestamp.now
        clock_gettime(CLOCK_REALTIME, &utc)
        var local = tm()
        localtime_r(&utc.tv_sec, &local)
        return WallClockAnchor(
            monotonic: monotonic,
            calendar: CalendarTime(
                sinceEpoch: .seconds(utc.tv_sec) + .nanoseconds(utc.tv_nsec), utcOffset: .seconds(local.tm_gmtoff)),
            zoneName: local.tm_zone.map { String(cString: $0) } ?? "UTC")
    }
}
