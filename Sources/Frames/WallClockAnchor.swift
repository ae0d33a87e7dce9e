// SPDX-License-Identifier: MIT
// Relates the monotonic clock to the calendar.

import Glibc

/// Ties a recording's clock to the calendar. Measured once, when the recording begins.
public struct WallClockAnchor: Hashable, Sendable {
    /// CLOCK_MONOTONIC at the time of the anchor.
    public var monotonic: Timestamp
    /// The same time in nanoseconds since 1970, UTC.
    public var utcNanoseconds: Int64
    /// The offset of local time from UTC, positive if ahead.
    public var zoneOffsetSeconds: Int32
    /// The abbreviation of the local time zone ("CEST").
    public var zoneName: String

    /// Creates an anchor from all its parts.
    public init(monotonic: Timestamp, utcNanoseconds: Int64, zoneOffsetSeconds: Int32, zoneName: String) {
        self.monotonic = monotonic
        self.utcNanoseconds = utcNanoseconds
        self.zoneOffsetSeconds = zoneOffsetSeconds
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
            monotonic: monotonic, utcNanoseconds: Int64(utc.tv_sec) * 1_000_000_000 + Int64(utc.tv_nsec),
            zoneOffsetSeconds: Int32(local.tm_gmtoff), zoneName: local.tm_zone.map { String(cString: $0) } ?? "UTC")
    }
}
