// SPDX-License-Identifier: MIT
// Formats of dates are checked when they are typed, and say what strftime says.

import Foundation
import Testing

@testable import LivecapFrames

@Suite struct DateFormatTests {
    /// 2026-11-30 15:45:10, in a zone an hour ahead of UTC.
    private static let moment = CalendarTime(sinceEpoch: .seconds(1_796_049_910), utcOffset: .seconds(3600))

    @Test(arguments: [
        ("%Y-%m-%d %H:%M:%S", "2026-11-30 15:45:10"), ("%d.%m.%y (%H:%M)", "30.11.26 (15:45)"),
        ("%A %e %B", "Monday 30 November"), ("%F %T %z", "2026-11-30 15:45:10 +0100"), ("100%%", "100%"),
        ("Porch", "Porch"),
    ]) func aMomentIsWritten(text: String, written: String) throws {
        let format = try #require(DateFormat(text))
        #expect(Self.moment.formatted(format.text) == written)
    }

    @Test(arguments: [
        "", "%", "%Q", "%s", "%n", "%N", "%3d", "é", "%Y\n", "日", "a~b", String(repeating: "x", count: 65),
    ]) func whatCannotBeDrawnIsNoFormat(text: String) { #expect(DateFormat(text) == nil) }

    @Test func secondsBefore1970AreRoundedDown() {
        let moment = CalendarTime(sinceEpoch: .milliseconds(-500))
        #expect(moment.formatted("%F %T") == "1969-12-31 23:59:59")
    }

    @Test func itIsKeptAsText() throws {
        let data = try JSONEncoder().encode([DateFormat.usual])
        #expect(String(decoding: data, as: UTF8.self) == #"["%Y-%m-%d %H:%M:%S"]"#)
        #expect(try JSONDecoder().decode([DateFormat].self, from: data) == [.usual])
        let damaged = Data(#"["%Q"]"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([DateFormat].self, from: damaged) }
    }

    @Test func aClockKnowsTheCalendarOrNothing() {
        let anchor = WallClockAnchor(monotonic: Timestamp(nanoseconds: 1000), calendar: Self.moment, zoneName: "CET")
        let later = Timestamp(nanoseconds: 1000) + .seconds(5)
        #expect(FrameClock.recording(anchor).wallTime(of: later) == Self.moment.advanced(by: .seconds(5)))
        #expect(FrameClock.unknown.wallTime(of: later) == nil)
    }
}
