// SPDX-License-Identifier: MIT
// Calendar times in the time zone where a photo was taken.

import Glibc

/// A calendar time, and the time zone it belongs to.
public struct CalendarTime: Hashable, Sendable {
    /// Nanoseconds since 1970, UTC.
    public var utcNanoseconds: Int64
    /// How far local time was ahead of UTC, in seconds.
    public var zoneOffsetSeconds: Int32

    /// Creates a time in a zone.
    public init(utcNanoseconds: Int64, zoneOffsetSeconds: Int32 = 0) {
        (self.utcNanoseconds, self.zoneOffsetSeconds) = (utcNanoseconds, zoneOffsetSeconds)
    }
}

extension CalendarTime: CustomStringConvertible {
    /// In ISO 8601: `2026-11-21T22:30:15.042+02:00`.
    public var description: String {
        let local = local
        let minutes = abs(zoneOffsetSeconds / 60)
        let zone = "\(zoneOffsetSeconds < 0 ? "-" : "+")\(digits(minutes / 60, 2)):\(digits(minutes % 60, 2))"
        return "\(local.date)T\(local.time).\(local.milliseconds)\(zone)"
    }

    /// Local time for people: `2026-11-21 22:30:15`.
    public var inWords: String { "\(local.date) \(local.time)" }

    /// The local date and time, in parts.
    var local: (date: String, time: String, milliseconds: String) {
        // Rounded down, even before 1970.
        let (whole, rest) = utcNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        var second = time_t(whole - (rest < 0 ? 1 : 0) + Int64(zoneOffsetSeconds))
        let milliseconds = (rest < 0 ? rest + 1_000_000_000 : rest) / 1_000_000
        var parts = tm()
        gmtime_r(&second, &parts)
        return (
            "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))",
            "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))",
            digits(milliseconds, 3)
        )
    }
}

private func digits(_ number: some BinaryInteger, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.count)) + text
}
