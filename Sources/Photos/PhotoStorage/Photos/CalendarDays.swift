// SPDX-License-Identifier: MIT
// Days of the calendar, to select photos by.

import Glibc

/// A range of days, in the local time of the places where photos were taken.
public struct CalendarDays: Hashable, Codable, Sendable {
    /// The first day, counted from 1970-01-01; nil if the range has no beginning.
    let first: Int64?
    /// The last day, counted likewise; nil if the range has no end.
    let last: Int64?

    /// Parses a day, `2026-11-22`, or a range of days, `2026-11-20..2026-11-22`, one end of which may be left out. Nil
    /// for any other text.
    public init?(_ text: String) {
        guard let dots = text.firstRange(of: "..") else {
            guard let day = Self.day(text) else { return nil }
            first = day
            last = day
            return
        }
        let (from, to) = (text[..<dots.lowerBound], text[dots.upperBound...])
        first = Self.day(from)
        last = Self.day(to)
        guard (first != nil) == !from.isEmpty, (last != nil) == !to.isEmpty, !(from.isEmpty && to.isEmpty) else {
            return nil
        }
        if let first, let last, last < first { return nil }
    }

    /// The days from 1970-01-01 to a date; nil if the text is not a date.
    private static func day(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let year = Int32(parts[0]), let month = Int32(parts[1]), let day = Int32(parts[2])
        else { return nil }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (year - 1900, month - 1, day)
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
