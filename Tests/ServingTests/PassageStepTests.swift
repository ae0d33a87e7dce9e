// SPDX-License-Identifier: MIT
// When a camera's own H.264 is passed on, frame by frame.

import LivecapFrames
import Testing

@testable import LivecapServing

@Suite struct PassageStepTests {
    private typealias Frame = PassageStep.Frame

    private static func time(_ milliseconds: Int) -> Timestamp { .zero + .milliseconds(1_000_000 + milliseconds) }

    private func key(_ milliseconds: Int) -> Frame { Frame(time: Self.time(milliseconds), isKey: true) }
    private func other(_ milliseconds: Int) -> Frame { Frame(time: Self.time(milliseconds)) }

    /// Frames in order, and what becomes of each.
    private func decisions(_ frames: [Frame]) -> [Bool] {
        var step = PassageStep()
        return frames.map { step.passes($0) }
    }

    /// One that passes since 1 s, after key frames at 0 and 1 s.
    private func passing() -> PassageStep {
        var step = PassageStep()
        for milliseconds in [0, 1000] { _ = step.passes(key(milliseconds)) }
        #expect(step.isPassing)
        return step
    }

    @Test func itBeginsWithTheSecondOfTwoKeysThatAreNear() {
        #expect(
            decisions([other(0), key(33), other(66), key(1000), other(1033)]) == [false, false, false, true, true])
    }

    @Test(arguments: [(2000, true), (2100, true), (2101, false), (10_000, false)])
    func keysMustComeOften(_ milliseconds: Int, _ isPassed: Bool) {
        #expect(decisions([key(0), key(milliseconds)]) == [false, isPassed])
    }

    @Test func whatIsUnsuitableOrNotWholeIsNoBeginning() {
        for change in [\Frame.isSuitable, \.isWhole] {
            var second = key(1000)
            second[keyPath: change] = false
            #expect(decisions([key(0), second, other(1033), key(2000)]) == [false, false, false, true])
        }
    }

    @Test func aFrameThatBuildsOnOthersNeedsNoParameters() {
        var frame = other(1033)
        frame.isSuitable = false
        #expect(decisions([key(0), key(1000), frame]) == [false, true, true])
    }

    @Test func aLossEndsItForHalfAMinute() {
        var step = passing()
        var frame = other(1033)
        frame.isWhole = false
        let keys = stride(from: 2000, through: 32_000, by: 1000).map { key($0) }
        let passed = ([frame] + keys).map { step.passes($0) }
        // 30 s after 1.033 s.
        #expect(passed == [Bool](repeating: false, count: 31) + [true])
    }

    @Test func otherParametersEndIt() {
        var step = passing()
        var frame = key(2000)
        frame.isSuitable = false
        let passed = step.passes(frame)
        #expect(!passed)
    }

    @Test func anOverdueKeyEndsIt() {
        var step = passing()
        let frames = [other(3500), other(4000), other(4001), key(4100), key(5000)]
        let passed = frames.map { step.passes($0) }
        #expect(passed == [true, true, false, false, false])
    }

    @Test func aKeyThatIsALittleLateDoesNot() {
        var step = passing()
        let passed = [key(3500), key(6000)].map { step.passes($0) }
        #expect(passed == [true, true])
    }

    @Test func aSlowViewerEndsIt() {
        var step = passing()
        step.noteSlowViewer(at: Self.time(1500))
        #expect(!step.isPassing)
        let keys = stride(from: 2000, through: 31_500, by: 500).map { key($0) }
        let passed = ([other(1533)] + keys).map { step.passes($0) }
        #expect(passed == [Bool](repeating: false, count: 60) + [true])
    }

    @Test func oneThatWasTooSlowForEncodedFramesDelaysIt() {
        var step = PassageStep()
        step.noteSlowViewer(at: Self.time(0))
        let keys = stride(from: 1000, through: 30_000, by: 1000).map { key($0) }
        let passed = keys.map { step.passes($0) }
        #expect(passed == [Bool](repeating: false, count: 29) + [true])
    }

    @Test func whatFailsSoonIsTriedLessOften() {
        var step = passing()
        var pauses: [Int] = []
        var now = 1000
        for _ in 0..<7 {
            now += 500
            step.noteSlowViewer(at: Self.time(now))
            let stopped = now
            while !step.isPassing {
                now += 500
                _ = step.passes(key(now))
            }
            pauses.append((now - stopped) / 1000)
        }
        #expect(pauses == [30, 60, 120, 240, 480, 480, 480])
        // What has lasted is tried again soon.
        let lasting = (1...1000).map { step.passes(key(now + $0 * 500)) }
        #expect(!lasting.contains(false))
        now += 500_000
        step.noteSlowViewer(at: Self.time(now))
        let passed = [29_500, 29_900, 30_000].map { step.passes(key(now + $0)) }
        #expect(passed == [false, false, true])
    }

    @Test func aClockThatGoesBackSaysNothing() {
        var step = passing()
        step.noteSlowViewer(at: Self.time(1500))
        let passed = [key(-5000), key(-4000)].map { step.passes($0) }
        #expect(passed == [false, true])
    }
}
