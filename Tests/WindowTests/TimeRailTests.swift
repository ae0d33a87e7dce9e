// SPDX-License-Identifier: MIT
// Places on the rail, and the moments they stand for.

import LivecapFrames
import LivecapWindow
import Testing

@Suite struct TimeRailTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }

    /// Four seconds of frames every 50 ms; the first half second is about to leave.
    private var rail: TimeRail {
        TimeRail(oldest: at(10_000), newest: at(14_000), interval: .milliseconds(50), left: 100, right: 450)
    }

    @Test func theOldestMomentsCannotBeChosen() { #expect(rail.oldest == at(10_500)) }

    @Test func aShortHistoryKeepsMostOfItself() {
        let rail = TimeRail(oldest: at(0), newest: at(400), interval: .milliseconds(50), left: 0, right: 10)
        #expect(rail.oldest == at(100))
    }

    @Test(arguments: [(100, 10_500), (0, 10_500), (275, 12_250), (300, 12_500)])
    func placesAreMoments(x: Int, milliseconds: Int64) { #expect(rail.moment(at: x) == at(milliseconds)) }

    @Test(arguments: [450, 449, 9999]) func theRightEndIsNow(x: Int) { #expect(rail.moment(at: x) == nil) }

    @Test func momentsHavePlaces() {
        #expect(rail.place(of: nil) == 450)
        #expect(rail.place(of: at(12_250)) == 275)
        #expect(rail.place(of: at(0)) == 100 && rail.place(of: at(99_000)) == 450)
    }

    @Test func stepsGoFromOneFrameToTheNext() {
        #expect(rail.step(from: nil, by: .milliseconds(-50)) == at(13_950))
        #expect(rail.step(from: at(13_950), by: .milliseconds(-50)) == at(13_900))
        #expect(rail.step(from: at(13_950), by: .milliseconds(50)) == nil)
        #expect(rail.step(from: at(10_600), by: .seconds(-5)) == at(10_500))
    }

    @Test func withoutAPastThereIsOnlyNow() {
        let rail = TimeRail(oldest: at(5), newest: at(5), interval: .milliseconds(50), left: 0, right: 0)
        #expect(rail.moment(at: 0) == nil && rail.step(from: nil, by: .seconds(-1)) == nil)
        #expect(rail.place(of: at(1)) == rail.right)
    }
}
