// SPDX-License-Identifier: MIT
// Which timestamps of a driver are trusted.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct TimestampJudgeTests {
    private let interval = Duration.milliseconds(33)

    private func at(_ milliseconds: Int64) -> Timestamp { .zero + .milliseconds(milliseconds) }

    private func judge(_ judge: inout TimestampJudge, driver: Int64?, dequeued: Int64) -> JudgedTime {
        judge.judge(
            driver: driver.map { at($0) }, source: .startOfExposure, dequeued: at(dequeued), interval: interval)
    }

    @Test func plausibleTimeIsTrusted() {
        var state = TimestampJudge()
        let time = judge(&state, driver: 10_000, dequeued: 10_030)
        #expect(
            time
                == JudgedTime(
                    time: at(10_000), source: .startOfExposure, uncertainty: interval, isDistrusted: false))
    }

    @Test(
        arguments: [
            (10_050, "the future"), (9_000 - 2_001 + 1_030, "far too old"), (nil, "another clock"),
            (Int64.max / 1_000_000, "near the end of time"),
        ] as [(Int64?, String)])
    func implausibleTimeIsReplacedByDequeueTime(driver: Int64?, why: String) {
        var state = TimestampJudge()
        let time = judge(&state, driver: driver, dequeued: 10_030)
        #expect(time.time == at(10_030), "\(why)")
        #expect(time.source == .dequeue && time.isDistrusted)
    }

    @Test func timesNeverGoBackwards() {
        var state = TimestampJudge()
        _ = judge(&state, driver: 10_000, dequeued: 10_030)
        let backwards = judge(&state, driver: 9_990, dequeued: 10_063)
        #expect(backwards.time == at(10_063) && backwards.isDistrusted)
        let standing = judge(&state, driver: 10_063, dequeued: 10_063)
        #expect(standing.time > backwards.time)
    }

    @Test func oneBadTimeDoesNotTurnTrustOff() {
        // Stamped at the first packet and dequeued 35 ms later, with frames 33 ms apart: each is dequeued after
        // the next is stamped.
        var state = TimestampJudge()
        var last = Timestamp.zero
        var refused: [Int64] = []
        for frame in Int64(0)..<300 {
            let stamp = 10_000 + frame * 33
            let time = judge(&state, driver: frame == 100 ? stamp + 60_000 : stamp, dequeued: stamp + 35)
            if time.isDistrusted { refused.append(frame) }
            #expect(time.time > last)
            last = time.time
        }
        #expect(refused == [100])
    }

    @Test func trustReturnsAfterTheDriversClockWasSetBack() {
        var state = TimestampJudge()
        _ = judge(&state, driver: 10_000, dequeued: 10_030)
        #expect(judge(&state, driver: 9_900, dequeued: 10_063).isDistrusted)
        #expect(!judge(&state, driver: 10_090, dequeued: 10_100).isDistrusted)
    }

    @Test func trustReturnsWithTheNextPlausibleTime() {
        var state = TimestampJudge()
        _ = judge(&state, driver: 20_000, dequeued: 10_000)
        let next = judge(&state, driver: 10_020, dequeued: 10_050)
        #expect(!next.isDistrusted && next.time == at(10_020))
    }
}
