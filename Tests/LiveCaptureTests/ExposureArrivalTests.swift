// SPDX-License-Identifier: MIT
// From the brightness of frames it is clear when an exposure is in force, however late a camera is.

import LivecapFrames
import Testing

@testable import LiveCapture

@Suite struct ExposureArrivalTests {
    /// The number of the frame at which the exposure has arrived; nil if it never does. The last level stays.
    private func arrival(change: Double, from level: Double?, _ levels: [Double?]) -> Int? {
        var arrival = ExposureArrival(change: change, from: level)
        for number in 0..<100 {
            let level = number < levels.count ? levels[number] : levels[levels.count - 1]
            if arrival.note(level, at: Timestamp(nanoseconds: Int64(number) * 33_000_000)) { return number }
        }
        return nil
    }

    @Test(arguments: 0...8) func framesOfTheOldExposureAreNotTaken(late: Int) throws {
        let number = try #require(arrival(change: 1, from: 0.3, Array(repeating: 0.3, count: late) + [0.45]))
        // Three alike, and at least six in all.
        #expect(number == max(late + 2, 5))
    }

    @Test func aChangeInTheWrongDirectionIsNone() {
        // The scene becomes darker, then the exposure brighter.
        #expect(arrival(change: 1, from: 0.3, [0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.5]) == 9)
        #expect(arrival(change: -1, from: 0.3, [0.3, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.1]) == 9)
    }

    @Test func whereNothingCanBeSeenTheNumberOfFramesDecides() {
        #expect(arrival(change: 0, from: 0.3, [0.3]) == 5)
        #expect(arrival(change: 1, from: 1, [1]) == 24)
        #expect(arrival(change: -1, from: 0, [0]) == 24)
    }

    @Test func aRampIsWaitedFor() throws {
        let number = try #require(arrival(change: 2, from: 0.1, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]))
        #expect(number == 8)
    }

    @Test func framesWithoutABrightnessAreNoReasonToWaitForEver() {
        #expect(arrival(change: 1, from: 0.3, [nil]) == 24)
    }
}
