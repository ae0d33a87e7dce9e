// SPDX-License-Identifier: MIT
// Days of the calendar, to select photos by.

import Glibc
import LivecapFrames

/// A range of days, in the local time of the places where photos were taken.
public struct CalendarDays: Hashable, Codable, Sendable {
    /// The first day, counted from 1970-01-01; nil if the range has no beginning.
    let first: Int64?
    /// The last day, counted likewise; nil if the range has no end.
    let last: Int64?

    /// Parses a day, `2026-11-22`, a month, `2026-11`, a year, `2026`, `today` or `yesterday`, or a range of those,
    /// such as `2026-10..yesterday`, one end of which may be left out. Nil for any other text. Today is the day of
    /// `now`, where that time is.
    public init?(_ text: String, now: CalendarTime = WallClockAnchor.now.calendar) {
        guard let dots = text.firstRange(of: "..") else {
            guard let days = Self.days(text, now) else { return nil }
            first = days.lowerBound
            last = days.upperBound
            return
        }
        let from = text[..<dots.lowerBound]
        let to = text[dots.upperBound...]
        first = Self.days(from, now)?.lowerBound
        last = Self.days(to, now)?.upperBound
        guard (first != nil) == !from.isEmpty, (last != nil) == !to.isEmpty, !(from.isEmpty && to.isEmpty) else {
            return nil
        }
        if let first, let last, last < first { return nil }
    }

    /// The days that a word stands for, counted from 1970-01-01; nil if it is no date.
    private static func days(_ text: some StringProtocol, _ now: CalendarTime) -> ClosedRange<Int64>? {
        let today = (now.utcNanoseconds + now.utcOffset.nanoseconds).quotientRoundedDown(by: nanosecondsPerDay)
        switch text {
        case "today": return today...today
        case "yesterday": return (today - 1)...(today - 1)
        default: break
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == Array([4, 2, 2].prefix(parts.count)), parts.count <= 3,
            parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let numbers = parts.compactMap { Int32($0) }
        let year = numbers[0]
        let month = numbers.count > 1 ? numbers[1] : 1
        guard let first = day(year: year, month: month, day: numbers.count > 2 ? numbers[2] : 1) else { return nil }
        switch numbers.count {
        case 1: return day(year: year + 1, month: 1, day: 1).map { first...($0 - 1) }
        case 2:
            let next = day(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
            return next.map { first...($0 - 1) }
        default: return first...first
        }
    }

    /// The days from 1970-01-01 to a date; nil if there is no such date.
    private static func day(year: Int32, month: Int32, day: Int32) -> Int64? {
        var date = tm()
        date.tm_year = year - 1900
        date.tm_mon = month - 1
        date.tm_mday = day
        let seconds = timegm(&date)
        // A date that does not exist, such as 30 February, becomes another one.
        guard date.tm_mon == month - 1, date.tm_mday == day else { return nil }
        return Int64(seconds / secondsPerDay)
    }
}

extension CalendarDays {
    /// The UTC times of those days for any place on Earth, to search an index with: local time differs from UTC by a
    /// day at most.
    var aroundUTC: ClosedRange<Int64> {
        let from = first.map { ($0 - 1) * nanosecondsPerDay } ?? .min
        return from...max(from, last.map { ($0 + 2) * nanosecondsPerDay } ?? .max)
    }

    /// The same in local time.
    var local: ClosedRange<Int64> {
        let from = first.map { $0 * nanosecondsPerDay } ?? .min
        return from...max(from, last.map { ($0 + 1) * nanosecondsPerDay - 1 } ?? .max)
    }
}

private let secondsPerDay = 86_400
private let nanosecondsPerDay: Int64 = 86_400_000_000_000

extension Int64 {
    fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
