// SPDX-License-Identifier: MIT
// Learning how long shots take.

import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct StageTimesTests {
    @Test("At first no time is known, then only those of finished work")
    func ignorance() {
        var times = StageTimes()
        #expect(times.reading == nil && times.storing == nil)
        times.learn(fusing: .speed, took: .milliseconds(3))
        times.learn(
            StageTimes.Encoding(format: .png, includesComparison: false, isFused: true), took: .milliseconds(80))
        #expect(times.fusing == [.speed: .milliseconds(3)])
        #expect(times.durations.isEmpty)
        #expect(times.encoding[StageTimes.Encoding(format: .jpeg, includesComparison: false, isFused: true)] == nil)
    }

    @Test("It follows a machine that slows down, and one outlier moves it by a quarter")
    func learning() {
        var times = StageTimes()
        times.learn(.balanced, took: .milliseconds(100))
        times.learn(.balanced, took: .milliseconds(200))
        #expect(times.durations[.balanced] == .milliseconds(125))
        for _ in 0..<30 { times.learn(.balanced, took: .milliseconds(200)) }
        #expect(times.durations[.balanced]! > .milliseconds(199))
    }

    @Test("Clock readings in the wrong order give no negative time")
    func backwards() {
        var times = StageTimes()
        times.learn(readingTook: .milliseconds(-1))
        times.learn(storingTook: .milliseconds(-1))
        #expect(times.reading == .zero && times.storing == .zero)
    }
}
