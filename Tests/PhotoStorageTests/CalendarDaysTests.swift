// SPDX-License-Identifier: MIT
// Days of the calendar, as people name them.

import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct CalendarDaysTests {
    /// 2026-11-22 00:30 in a zone two hours ahead of UTC, where it is still the day before.
    private let now = CalendarTime(sinceEpoch: .seconds(1_795_300_200), utcOffset: .seconds(7200))

    private func days(_ text: String) throws -> ClosedRange<Int64>? {
        guard let days = CalendarDays(text, now: now) else { return nil }
        return (days.first ?? .min)...(days.last ?? .max)
    }

    /// 2026-11-22 is day 20779 of 1970, by `date -d 2026-11-22 +%s` and 86,400 seconds a day.
    @Test(arguments: [
        ("2026-11-22", 20779, 20779), ("today", 20779, 20779), ("yesterday", 20778, 20778),
        ("2026-11", 20758, 20787), ("2026-12", 20788, 20818), ("2026", 20454, 20818), ("2024-02", 19754, 19782),
        ("2026-11..today", 20758, 20779), ("2025..2026", 20089, 20818), ("2026-11-20..2026-11", 20777, 20787),
    ])
    func aWordStandsForItsDays(text: String, first: Int64, last: Int64) throws {
        #expect(try days(text) == first...last)
    }

    @Test func oneEndMayBeLeftOut() throws {
        #expect(try days("2026-11..") == 20758...Int64.max && days("..yesterday") == Int64.min...20778)
    }

    @Test(arguments: [
        "", "..", "2026-13", "2026-02-30", "2026-1", "26", "2026-11-22-01", "tomorrow", "today..yesterday", "-2026",
        "2026-11-", "2027..2026", "２０２６",
    ])
    func otherTextIsNoDate(_ text: String) { #expect(CalendarDays(text, now: now) == nil) }
}
