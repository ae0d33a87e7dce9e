// SPDX-License-Identifier: MIT
// Moments have one calendar time, however often it is asked for, until the clock is set.

import LivecapFrames
import Testing

@testable import LiveCapture

@Suite struct SteadyWallClockTests {
    private let clock = SteadyWallClock()
    private let moment = Timestamp(nanoseconds: 5_000_000_000)

    private func reading(_ sinceEpoch: Duration) -> CalendarTime {
        CalendarTime(sinceEpoch: sinceEpoch, utcOffset: .seconds(3600))
    }

    @Test func jitterOfReadingsIsLeftOut() {
        let first = clock.time(of: moment, read: reading(.seconds(1000)))
        #expect(first == reading(.seconds(1000)))
        #expect(clock.time(of: moment, read: reading(.seconds(1000) + .nanoseconds(480))) == first)
        let later = moment + .milliseconds(33)
        let expected = reading(.seconds(1000) + .milliseconds(33))
        #expect(
            clock.time(of: later, read: reading(.seconds(1000) + .milliseconds(33) - .microseconds(20))) == expected)
    }

    @Test func aClockThatWasSetIsFollowed() {
        _ = clock.time(of: moment, read: reading(.seconds(1000)))
        #expect(clock.time(of: moment, read: reading(.seconds(2000))) == reading(.seconds(2000)))
        #expect(clock.time(of: moment, read: reading(.seconds(2000) + .nanoseconds(1))) == reading(.seconds(2000)))
    }
}
