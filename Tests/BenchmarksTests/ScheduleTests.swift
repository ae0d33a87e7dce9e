// SPDX-License-Identifier: MIT
// The ground truth for judging photos: which frame is nearest to a moment, and when that became known.

import LivecapFrames
import Testing

@testable import LivecapBenchmarks

@Suite struct ScheduleTests {
    private static let start = Timestamp(nanoseconds: 1_000_000_000)

    /// Frames 0 to 9 without frame 5, at 10 fps, each visible 2 ms after its time. If `damageEvery` is set, every Nth
    /// one is damaged.
    private func truth(damageEvery: Int = 0) -> ScheduleTruth {
        let schedule = Schedule(rate: FrameRate(10), damageEvery: damageEvery, capacity: 16)
        schedule.started(after: Self.start, before: Self.start + .nanoseconds(50))
        for (counter, number) in [0, 1, 2, 3, 4, 6, 7, 8, 9].enumerated() {
            schedule.note(counter, number: number, visible: schedule.time(of: number) + .milliseconds(2))
        }
        return ScheduleTruth(schedule)
    }

    private func moment(_ frames: Double) -> Timestamp { Self.start + .seconds(frames / 10) }

    @Test func nearestDeliveredFrameIsTheTruth() {
        let truth = truth()
        #expect(truth.nearest(to: moment(2.4))?.number == 2)
        #expect(truth.nearest(to: moment(2.6))?.number == 3)
        #expect(truth.nearest(to: moment(5.1))?.number == 6)
        #expect(truth.nearest(to: moment(-3))?.number == 0)
        #expect(truth.nearest(to: moment(30))?.number == 9)
        #expect(truth.isNearest(2, to: moment(2.4)) && !truth.isNearest(3, to: moment(2.4)))
        #expect(!truth.isNearest(5, to: moment(5)))
    }

    @Test func damagedFramesAreNoAnswer() {
        #expect(truth(damageEvery: 3).nearest(to: moment(7.9))?.number == 7)
    }

    @Test func aFrameIsKnownAsSoonAsNoOtherCanBeNearer() {
        let truth = truth()
        // Early in an interval the earlier frame is the nearest. Late in it the following frame must have arrived.
        #expect(truth.known(moment(2.2)) == moment(2) + .milliseconds(2))
        #expect(truth.known(moment(2.7)) == moment(3) + .milliseconds(2))
        #expect(truth.known(moment(2.2), after: 2) == moment(4) + .milliseconds(2))
        #expect(truth.known(moment(9.9)) == nil)
    }
}
