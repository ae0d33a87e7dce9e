// SPDX-License-Identifier: MIT
// Lost frames, late frames and restarts, detected from sequence numbers and times alone.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct SequenceTrackerTests {
    private let interval = Duration.milliseconds(33)

    private func verdicts(_ frames: [(UInt32, Int64)]) -> [SequenceTracker.Verdict] {
        var tracker = SequenceTracker(interval: interval)
        return frames.map { tracker.note(sequence: $0, time: Timestamp(nanoseconds: $1 * 1_000_000)) }
    }

    @Test func continuousNumbersAreNoGap() {
        #expect(verdicts([(7, 0), (8, 33), (9, 66)]) == [.first, .next, .next])
    }

    @Test func missingNumbersAreLostFrames() {
        #expect(verdicts([(0, 0), (1, 33), (5, 165)]) == [.first, .next, .lost(3)])
    }

    @Test func numbersWrapAroundWithoutAGap() {
        #expect(verdicts([(.max - 1, 0), (.max, 33), (0, 66), (1, 99)]) == [.first, .next, .next, .next])
    }

    @Test func lossAcrossTheWrapIsCounted() {
        #expect(verdicts([(.max, 0), (2, 99)]) == [.first, .lost(2)])
    }

    @Test func goingBackIsARestartAndNotAMillionLostFrames() {
        #expect(verdicts([(1_000_000, 0), (0, 33), (1, 66)]) == [.first, .restarted, .next])
    }

    @Test func theSameNumberTwiceIsNoGapAndNoRestart() {
        #expect(verdicts([(4, 0), (4, 33), (5, 66)]) == [.first, .next, .next])
    }

    @Test func aLongSilenceWithoutMissingNumbersIsLate() {
        #expect(verdicts([(0, 0), (1, 33), (2, 200)]) == [.first, .next, .late])
    }

    @Test func slowdownInTheDarkIsReportedLateOnce() {
        var tracker = SequenceTracker(interval: interval)
        let verdicts = (0..<60).map { frame in
            // 30 fps until the light goes out, then 7.5 fps.
            let time = frame < 5 ? Int64(frame) * 33 : 132 + Int64(frame - 4) * 133
            return tracker.note(sequence: UInt32(frame), time: Timestamp(nanoseconds: time * 1_000_000))
        }
        #expect(verdicts.filter { $0 == .late }.count == 1)
        #expect(verdicts.suffix(50).allSatisfy { $0 == .next })
    }

    @Test func exposureStretchingStepByStepIsNotLate() {
        var tracker = SequenceTracker(interval: interval)
        var time: Int64 = 0
        _ = tracker.note(sequence: 0, time: .zero)
        for (number, stretched) in stride(from: Int64(33), through: 200, by: 8).enumerated() {
            for repetition in 0..<8 {
                time += stretched
                let sequence = UInt32(number * 8 + repetition + 1)
                let verdict = tracker.note(sequence: sequence, time: Timestamp(nanoseconds: time * 1_000_000))
                #expect(verdict == .next)
            }
        }
        #expect(tracker.interval > .milliseconds(150))
    }

    @Test func afterARestartAnyNumberIsTheFirst() {
        var tracker = SequenceTracker(interval: interval)
        _ = tracker.note(sequence: 90, time: .zero)
        tracker.restart()
        #expect(tracker.note(sequence: 3, time: .zero + interval) == .first)
    }
}
