// SPDX-License-Identifier: MIT
// Times of the calendar, with the time zone of the place they belong to.

import Glibc

/// A time of the calendar, and the time zone of the place it belongs to.
public struct CalendarTime: Hashable, Sendable {
    /// The time since the beginning of 1970 in UTC, without leap seconds.
    public var sinceEpoch: Duration
    /// The offset of local time from UTC; negative west of Greenwich.
    public var utcOffset: Duration

    /// Creates a time from UTC and the offset of local time.
    public init(sinceEpoch: Duration, utcOffset: Duration = .zero) {
        self.sinceEpoch = sinceEpoch
        self.utcOffset = utcOffset
    }

    /// The time `span` later, in the same time zone.
    public func advanced(by span: Duration) -> CalendarTime {
        CalendarTime(sinceEpoch: sinceEpoch + span, utcOffset: utcOffset)
    }
}

extension CalendarTime {
    /// Creates a time from the numbers that files and catalogues keep.
    package init(utcNanoseconds: Int64, zoneOffsetSeconds: Int32 = 0) {
        self.init(sinceEpoch: .nanoseconds(utcNanoseconds), utcOffset: .seconds(zoneOffsetSeconds))
    }

    /// The time since 1970 in nanoseconds, saturating.
    package var utcNanoseconds: Int64 { sinceEpoch.nanoseconds }
    /// The offset of local time in whole seconds, saturating.
    package var zoneOffsetSeconds: Int32 { Int32(clamping: utcOffset.nanoseconds / 1_000_000_000) }
}

extension CalendarTime: CustomStringConvertible {
    /// In ISO 8601, to the millisecond: `2026-11-21T22:30:15.042+02:00`.
    public var description: String {
        let local = local
        return "\(local.date)T\(local.time).\(local.milliseconds)\(zone)"
    }

    fileprivate var zone: String {
        let minutes = abs(zoneOffsetSeconds / 60)
        return "\(zoneOffsetSeconds < 0 ? "-" : "+")\(digits(minutes / 60, 2)):\(digits(minutes % 60, 2))"
    }

    /// Local time for people: `2026-11-21 22:30:15`.
    public var inWords: String { "\(local.date) \(local.time)" }

    /// The local date and time, in parts.
    package var local: (date: String, time: String, milliseconds: String) {
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

extension CalendarTime: Codable {
    /// Decodes a time in ISO 8601, as `encode` writes it: `2026-11-21T22:30:15.042000000+02:00`. Throws `DecodingError`
    /// for anything else.
    public init(from decoder: any Decoder) throws { self = try decoder.value { CalendarTime(exact: $0) } }

    /// Encodes the time in ISO 8601, to the nanosecond, and the zone to the minute.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: exact) }

    private var exact: String {
        let rest = utcNanoseconds % 1_000_000_000
        let shown = CalendarTime(sinceEpoch: sinceEpoch, utcOffset: .seconds(zoneOffsetSeconds / 60 * 60))
        let (date, time, _) = shown.local
        return "\(date)T\(time).\(digits(rest < 0 ? rest + 1_000_000_000 : rest, 9))\(shown.zone)"
    }

    private init?(exact text: String) {
        // Year, month, day, hour, minute, second, nanosecond, and hours and minutes of the zone.
        let numbers = text.split { !$0.isASCII || !$0.isNumber }.map { Int64($0) ?? -1 }
        guard numbers.count == 9, numbers.allSatisfy({ (0...999_999_999).contains($0) }) else { return nil }
        var date = tm()
        date.tm_year = Int32(numbers[0]) - 1900
        date.tm_mon = Int32(numbers[1]) - 1
        date.tm_mday = Int32(numbers[2])
        date.tm_hour = Int32(numbers[3])
        date.tm_min = Int32(numbers[4])
        date.tm_sec = Int32(numbers[5])
        let minutes = (numbers[7] * 60 + numbers[8]) * (text.dropFirst(20).contains("-") ? -1 : 1)
        let seconds = Duration.seconds(timegm(&date)) - .seconds(minutes * 60)
        self.init(sinceEpoch: seconds + .nanoseconds(numbers[6]), utcOffset: .seconds(minutes * 60))
        // Whatever reads as another time, such as 30 February, is none.
        guard exact == text else { return nil }
    }
}

private func digits(_ number: some BinaryInteger, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.count)) + text
}
