// SPDX-License-Identifier: MIT
// How effort follows what pictures take, and what pictures look like with less of it.

import LivecapDetection
import LivecapFrames
import LivecapThreads
import Testing

@testable import LivecapEffects

@Suite struct EffectPaceTests {
    private static let interval = Duration.nanoseconds(33_333_334)

    /// Feeds frames of 30 a second, of which each takes a share of the time between two.
    private func feed(_ pace: inout EffectPace, _ seconds: Double, share: Double, passed: Int = 0) {
        for _ in 0..<Int((seconds * 30 / Double(1 + passed)).rounded(.up)) {
            pace.note(Self.interval * (1 + passed), passed: passed, work: Self.interval * share)
        }
    }

    @Test func effortStaysFullWhileThereIsTime() {
        var pace = EffectPace()
        feed(&pace, 60, share: 0.75)
        #expect(pace.progress.effort == .full && !pace.progress.lowersRate)
    }

    @Test func effortGoesDownStepByStepAfterHalfASecond() {
        var pace = EffectPace()
        feed(&pace, 0.4, share: 0.9)
        #expect(pace.progress.effort == .full)
        feed(&pace, 0.1, share: 0.9)
        #expect(pace.progress.effort == .lean)
        feed(&pace, 0.5, share: 0.9)
        #expect(pace.progress.effort == .least)
        feed(&pace, 10, share: 0.9)
        #expect(pace.progress.effort == .least)
    }

    @Test func oneSlowPictureChangesNothing() {
        var pace = EffectPace()
        for _ in 0..<20 {
            feed(&pace, 0.5, share: 0.4)
            pace.note(Self.interval * 2, passed: 1, work: Self.interval * 1.5)
        }
        #expect(pace.progress.effort == .full && !pace.progress.lowersRate)
    }

    @Test func effortGoesUpAfterFiveCalmSeconds() {
        var pace = EffectPace()
        feed(&pace, 1, share: 0.9)
        feed(&pace, 4.9, share: 0.3)
        #expect(pace.progress.effort == .least)
        feed(&pace, 0.2, share: 0.3)
        #expect(pace.progress.effort == .lean)
        feed(&pace, 4.8, share: 0.3)
        #expect(pace.progress.effort == .lean)
        feed(&pace, 0.4, share: 0.3)
        #expect(pace.progress.effort == .full)
    }

    @Test func betweenBothLimitsNothingChanges() {
        var pace = EffectPace()
        feed(&pace, 0.5, share: 0.9)
        feed(&pace, 60, share: 0.6)
        #expect(pace.progress.effort == .lean)
    }

    /// With effects that fit with less effort only, it tries ever more rarely.
    @Test func effortDoesNotSwing() {
        var pace = EffectPace()
        var changes: [Duration] = []
        var (time, last) = (Duration.zero, EffectEffort.full)
        while time < .seconds(300) {
            pace.note(Self.interval, passed: 0, work: Self.interval * (pace.progress.effort == .full ? 0.9 : 0.4))
            time += Self.interval
            guard pace.progress.effort != last else { continue }
            last = pace.progress.effort
            changes.append(time)
        }
        // 5, 10, 20, 40, 60, 60 and 60 seconds at lean.
        #expect(changes.count == 15, "\(changes)")
        for (down, up) in zip(changes, changes.dropFirst()).enumerated().filter({ $0.offset % 2 == 0 }).map(\.element) {
            #expect(up - down >= .seconds(5))
        }
    }

    @Test func ratesAreThoseOfFramesAndPictures() throws {
        var pace = EffectPace()
        feed(&pace, 1.9, share: 0.4)
        #expect(pace.progress.rates == nil)
        feed(&pace, 0.2, share: 0.4)
        let full = try #require(pace.progress.rates)
        #expect(abs(full.drawn - 30) < 0.01 && abs(full.came - 30) < 0.01)
        // Every second frame is passed over.
        feed(&pace, 4, share: 1.4, passed: 1)
        let half = try #require(pace.progress.rates)
        #expect(abs(half.drawn - 15) < 0.01 && abs(half.came - 30) < 0.01)
        #expect(pace.progress.lowersRate && pace.progress.effort == .least)
        feed(&pace, 4, share: 0.4)
        #expect(pace.progress.lowersRate)
        feed(&pace, 4, share: 0.4)
        #expect(!pace.progress.lowersRate)
    }

    /// A camera in the dark delivers fewer frames, and there is more time for each.
    @Test func framesThatDoNotComeCountForNothing() {
        var pace = EffectPace()
        for _ in 0..<100 { pace.note(Self.interval * 3, passed: 0, work: Self.interval * 1.2) }
        #expect(pace.progress.effort == .full && !pace.progress.lowersRate)
    }

    @Test func framesWithoutAnIntervalAreLeftOut() {
        var pace = EffectPace()
        for _ in 0..<100 { pace.note(.zero, passed: 9, work: .seconds(1)) }
        #expect(pace.progress == EffectProgress(effort: .full))
    }
}

@Suite struct EffortMeterTests {
    /// A clock that a test sets.
    private final class Clock {
        var now = Timestamp.zero
        var isUnderPressure = false
    }

    private let clock = Clock()
    private var meter: EffortMeter {
        EffortMeter({ [clock] in clock.now }, isUnderPressure: { [clock] in clock.isUnderPressure })
    }

    private func draw(_ meter: inout EffortMeter, _ count: Int, took: Duration, passed: Int = 0) {
        for _ in 0..<count {
            meter.pass(passed)
            meter.begin()
            clock.now += took
            meter.end(after: .milliseconds(40) * (1 + passed))
        }
    }

    @Test func whatIsLoadedForTheFirstPictureDoesNotCount() {
        var meter = meter
        draw(&meter, 2, took: .seconds(1), passed: 20)
        draw(&meter, 100, took: .milliseconds(20))
        #expect(meter.progress.effort == .full && !meter.progress.lowersRate)
        draw(&meter, 13, took: .milliseconds(39))
        meter.settle()
        draw(&meter, 2, took: .seconds(1), passed: 20)
        #expect(meter.progress.effort >= .lean)
    }

    @Test func underPressureEffortIsLessAtOnce() {
        var meter = meter
        draw(&meter, 100, took: .milliseconds(10))
        clock.isUnderPressure = true
        #expect(meter.progress.effort == .lean)
        // Frames that are not taken then are not passed over for the sake of effects.
        draw(&meter, 100, took: .milliseconds(10), passed: 1)
        #expect(meter.progress.effort == .lean && !meter.progress.lowersRate)
        clock.isUnderPressure = false
        #expect(meter.progress.effort == .full)
    }

    @Test func whatWasMeasuredBeforeARestIsForgotten() {
        var meter = meter
        draw(&meter, 200, took: .milliseconds(60), passed: 1)
        #expect(meter.progress.effort == .least && meter.progress.lowersRate)
        meter.forget()
        #expect(meter.progress == EffectProgress(effort: .full))
    }
}

@Suite struct EffectProgressTests {
    private final class Drawer {}
    private let board = EffectBoard(EffectSettings(light: 1))
    private let first = Drawer()
    private let second = Drawer()

    @Test func theBoardTellsTheWorst() {
        let slow = EffectProgress(
            effort: .lean, rates: EffectProgress.Rates(drawn: 20, came: 30), lowersRate: true)
        #expect(board.progress == nil)
        board.report(EffectProgress(effort: .least), by: ObjectIdentifier(first))
        #expect(board.progress?.effort == .least)
        board.report(slow, by: ObjectIdentifier(second))
        #expect(board.progress == slow)
        board.report(nil, by: ObjectIdentifier(second))
        board.report(nil, by: ObjectIdentifier(first))
        #expect(board.progress == nil)
    }

    @Test func observersHearOfEffortButNotOfEveryRate() {
        let told = Guarded(0)
        let leave = board.onChange { told.withLock { $0 += 1 } }
        for rate in 0..<10 {
            let rates = EffectProgress.Rates(drawn: 30 - Double(rate) / 10, came: 30)
            board.report(EffectProgress(effort: .full, rates: rates), by: ObjectIdentifier(first))
        }
        #expect(told.withLock { $0 } == 1)
        board.report(EffectProgress(effort: .lean), by: ObjectIdentifier(first))
        board.report(EffectProgress(effort: .lean, lowersRate: true), by: ObjectIdentifier(first))
        #expect(told.withLock { $0 } == 3)
        leave()
    }
}

@Suite struct KeepingUpTests {
    private static let format = FrameFormat(
        pixelFormat: .i420, size: FrameSize(width: 64, height: 36), colorimetry: .jpeg)

    /// A clock that goes on by some time whenever it is read.
    private final class Clock {
        var step = Duration.zero
        private var time = Timestamp.zero

        func read() -> Timestamp {
            time += step
            return time
        }
    }

    private let clock = Clock()
    /// Brightening needs no nets.
    private let board = EffectBoard(EffectSettings(brighten: 0.5))

    private func drawn() throws -> FrameEffects {
        try FrameEffects(Self.format, board, by: LazyNets(in: ["/nonexistent"]), .best)
    }

    private func draw(_ effects: FrameEffects, _ numbers: Range<Int>) {
        let frame = [UInt8](repeating: 128, count: Self.format.byteCount)
        var picture = [UInt8](repeating: 0, count: effects.format.byteCount)
        for number in numbers {
            let metadata = FrameMetadata(
                time: Timestamp(nanoseconds: Int64(number) * 40_000_000), byteCount: frame.count,
                sequence: UInt32(number), timeSource: .scene, uncertainty: .zero,
                id: FrameID(epoch: 0, counter: UInt64(number)))
            _ = effects.add(metadata, frame.span.bytes)
            _ = picture.withUnsafeMutableBytes { effects.draw(into: $0) }
        }
    }

    @Test func theBoardTellsHowFramesAreDrawn() throws {
        let effects = try drawn()
        effects.keepUp(by: clock.read, isUnderPressure: { false })
        clock.step = .milliseconds(10)
        draw(effects, 0..<100)
        #expect(board.progress?.effort == .full && board.progress?.fps == 25)
        clock.step = .milliseconds(38)
        draw(effects, 100..<200)
        #expect(board.progress?.effort == .least && board.progress?.lowersRate == false)
        // While nothing is drawn, there is nothing to tell, and it begins anew with other effects.
        board.set(EffectSettings())
        draw(effects, 200..<201)
        #expect(board.progress == nil)
        board.set(EffectSettings(brighten: 1))
        draw(effects, 201..<202)
        #expect(board.progress == EffectProgress(effort: .full))
        effects.forgetFrames()
        #expect(board.progress == nil)
    }

    @Test func whatNobodyWaitsForIsDrawnInFull() throws {
        let effects = try drawn()
        draw(effects, 0..<100)
        #expect(board.progress == nil)
    }

    @Test func aDrawerThatIsGoneTellsNothing() throws {
        do {
            let effects = try drawn()
            effects.keepUp(by: clock.read, isUnderPressure: { true })
            draw(effects, 0..<10)
            #expect(board.progress?.effort == .lean)
        }
        #expect(board.progress == nil)
    }
}
