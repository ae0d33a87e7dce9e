// SPDX-License-Identifier: MIT
// Fewer frames while the machine is under pressure.

import Glibc
import LivecapEffects
import LivecapFrames
import LivecapHandFilledHost
import LivecapStreams
import Testing

@testable import LivecapLiveFusion

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct PressureRateTests {
    @Test func thoseWhoWantTheNewestFrameGetNoMoreThanTheRate() throws {
        var host = try HandFilledHost()
        let newest = FrameOutput()
        let every = FrameOutput(FrameOutputSettings(delivery: .every, depth: 2))
        try host.sinks.add(newest)
        try host.sinks.add(every)
        host.sinks.limit(to: FrameRate(5))
        var (taken, all) = (0, 0)
        func publish(_ numbers: Range<Int>) {
            for number in numbers {
                host.publish(number)
                if case .picture = every.next(until: .distantFuture) { all += 1 }
                wait {
                    if case .picture = newest.next(until: .now) { taken += 1 }
                    return taken + (newest.statistics.dropped[.rate] ?? 0) == number + 1
                }
            }
        }
        publish(0..<30)
        #expect(taken == 5 && all == 30)
        host.sinks.limit(to: nil)
        publish(30..<36)
        #expect(taken == 11 && newest.statistics.lost == 0)
    }

    @Test func aStageThatFusesTakesNoMoreThanTheRate() throws {
        try expectFewerFrames(of: StageHost.fusing(threads: 1) { Issue.record("\($0)") })
    }

    @Test func aStageThatDrawsEffectsTakesNoMoreThanTheRate() throws {
        try expectFewerFrames(of: StageHost.drawing(EffectBoard()) { Issue.record("\($0)") })
    }

    private func expectFewerFrames(of stage: StageHost) throws {
        var host = try HandFilledHost()
        host.sinks.limit(to: FrameRate(5))
        _ = host.sinks.attach(stage)
        let output = FrameOutput(FrameOutputSettings(delivery: .every, depth: 2))
        try stage.sinks.add(output)
        var (times, next): ([Timestamp], Int) = ([], 0)
        while times.count < 5 {
            let (picture, number) = try host.picture(output, from: next)
            times.append(picture.frame.time)
            next = number
        }
        // A frame that is taken late does not delay those after the next one.
        #expect(times[4] - times[0] > .milliseconds(780))
        stage.close()
    }
}
