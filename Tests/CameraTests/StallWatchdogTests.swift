// SPDX-License-Identifier: MIT
// How long silence is tolerated, and how many restarts are tried.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct StallWatchdogTests {
    private let interval = Duration.milliseconds(33)

    private func at(_ milliseconds: Int64) -> Timestamp { .zero + .milliseconds(milliseconds) }

    @Test func theFirstFrameMayTakeSeconds() {
        var watchdog = StallWatchdog(now: .zero)
        #expect(watchdog.noteSilence(now: at(3_900), interval: interval) == .wait)
        #expect(watchdog.noteSilence(now: at(4_000), interval: interval) == .restart)
    }

    @Test func patienceGrowsWithTheInterval() {
        var watchdog = StallWatchdog(now: .zero)
        watchdog.noteFrame(now: at(100))
        #expect(watchdog.patience(interval: interval) == .milliseconds(1500))
        #expect(watchdog.patience(interval: .milliseconds(1000)) == .milliseconds(10_000))
    }

    @Test func silenceIsGivenUpAfterTwoRestarts() {
        var watchdog = StallWatchdog(now: .zero)
        watchdog.noteFrame(now: at(100))
        #expect(watchdog.noteSilence(now: at(1_700), interval: interval) == .restart)
        #expect(watchdog.noteSilence(now: at(1_750), interval: interval) == .wait)
        #expect(watchdog.noteSilence(now: at(3_300), interval: interval) == .restart)
        #expect(watchdog.noteSilence(now: at(4_900), interval: interval) == .giveUp(after: .milliseconds(4_800)))
    }

    @Test func oneFrameBetweenFailuresIsNoRecovery() {
        var watchdog = StallWatchdog(now: .zero)
        for attempt in Int64(1)...2 {
            #expect(watchdog.noteFailure(now: at(attempt * 100)) == .restart)
            watchdog.noteFrame(now: at(attempt * 100 + 40))
        }
        #expect(watchdog.noteFailure(now: at(300)) == .giveUp(after: .milliseconds(60)))
    }

    @Test func aSecondOfFramesForgivesEarlierRestarts() {
        var watchdog = StallWatchdog(now: .zero)
        for second in Int64(1)...10 {
            #expect(watchdog.noteFailure(now: at(second * 1000)) == .restart)
            watchdog.noteFrame(now: at(second * 1000 + 40))
            watchdog.noteFrame(now: at(second * 1000 + 1000))
        }
    }
}
