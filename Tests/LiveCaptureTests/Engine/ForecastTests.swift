// SPDX-License-Identifier: MIT
// The estimated wait of the next tap: for shots that occupy the room it needs, and for shots that wait before it.

import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct ForecastTests {
    private let sixteen = PhotoSettings(quality: .mean, frames: 16)

    /// A desk that knows how long things take, with room for one shot of sixteen frames and a few frames more. The
    /// source waits for the desk, so that no frame leaves the history meanwhile.
    private func taught(_ change: (inout SessionOptions) -> Void = { _ in }) throws -> HandDrivenDesk {
        let driven = try HandDrivenDesk(shots: 2, isFast: true, change)
        driven.desk.update { state in
            state.stream.isExposureDone = true
            state.estimates.times.learn(fusing: .mean, took: .seconds(100))
            state.estimates.times.learn(
                .init(format: .jpeg, includesComparison: false, isFused: true), took: .seconds(10))
        }
        driven.frames(0..<40)
        return driven
    }

    /// The estimated wait, to the nearest ten seconds. The learnt times are so long that the test's own time does not
    /// matter.
    private func wait(_ driven: HandDrivenDesk) -> Int? {
        driven.desk.readiness.current.estimatedWait.map { Int(($0.seconds / 10).rounded()) * 10 }
    }

    @Test func framesAreFreeWhenTheyAreFusedAndPlacesWhenTheFileIsThere() throws {
        let driven = try taught()
        let first = driven.tap(at: 150, sixteen)
        #expect(driven.desk.readiness.current.state == .notReadyWaitingForProcessing)
        #expect(wait(driven) == 100)
        driven.work()
        #expect(driven.desk.readiness.current.state == .ready)
        // The same frames twice: there is room for them, but not for a third file.
        let others = [380.0, 381].map { driven.tap(at: $0, sixteen) }
        // The learnt times have moved by a quarter towards the actual ones, which are short.
        let fusing = try #require(driven.desk.state.withLock { $0.estimates.times.fusing[.mean] }).seconds
        let encoding = 0.75 * 10
        #expect(abs(try #require(driven.desk.readiness.current.estimatedWait).seconds - fusing - encoding) < 1)
        _ = (first, others)
    }

    @Test func waitingShotsAreServedBeforeNewTaps() throws {
        let driven = try taught()
        let shots = [150.0, 390].map { driven.tap(at: $0, sixteen) }
        #expect(driven.places == "waiting 1, reading 1, ready 0, in work 0")
        // The second shot gets its frames when the first is fused. A tap now would share them, but gets a place only
        // when the first is done.
        #expect(wait(driven) == 110)
        shots[1].cancel()
        #expect(wait(driven) == 100)
        shots[0].cancel()
        #expect(wait(driven) == 0)
    }

    /// A new tap would only queue behind the waiting ones.
    @Test func nothingIsServedAtOnceWhileOthersWaitForRoom() async throws {
        let driven = try taught()
        // A shot that needs few frames does not overtake one that needs many.
        let little = PhotoSettings(quality: .mean, frames: 1)
        let shots = [(150.0, sixteen), (370, sixteen), (380, little)].map { driven.tap(at: $0.0, $0.1) }
        #expect(driven.places == "waiting 2, reading 1, ready 0, in work 0")
        #expect(driven.desk.readiness.current.state == .notReadyWaitingForProcessing)
        driven.work()
        for shot in shots { #expect(await shot.failure() == nil) }
        #expect(driven.desk.readiness.current.state == .ready)
    }

    @Test func whereShotsDoNotOverlapAllMustBeDone() throws {
        let driven = try taught { $0.isResponsiveCaptureEnabled = false }
        let shots = [100.0, 200].map { driven.tap(at: $0) }
        #expect(driven.desk.readiness.current.state == .notReadyWaitingForCapture)
        #expect(wait(driven) == 220)
        _ = shots
    }

    /// Frames that become pictures unchanged are not fused, and no time for fusing is estimated for them.
    @Test func picturesOfOneFrameAsItCameAreForeseen() throws {
        let format = FrameFormat(pixelFormat: .rgb24, size: HandFilledRing.format.size)
        let driven = try HandDrivenDesk(shots: 2, format: format, isFast: true)
        driven.desk.update { state in
            state.stream.isExposureDone = true
            state.estimates.times.learn(
                .init(format: .jpeg, includesComparison: false, isFused: false), took: .seconds(40))
        }
        driven.frames(0..<40)
        let single = PhotoSettings(quality: .single)
        let shots = [100.0, 200, 300].map { driven.tap(at: $0, single) }
        #expect(driven.places == "waiting 1, reading 2, ready 0, in work 0")
        #expect(driven.desk.readiness.current.state == .notReadyWaitingForProcessing)
        #expect(wait(driven) == 80)
        _ = shots
    }

    @Test func whatWasNeverDoneIsNotGuessed() throws {
        let driven = try taught()
        let shot = driven.tap(at: 150, PhotoSettings(quality: .balanced, frames: 16))
        #expect(driven.desk.readiness.current.state == .notReadyWaitingForProcessing)
        #expect(wait(driven) == nil)
        _ = shot
    }

    /// Its frames will leave the history before there is room. It will fail, so no other shot waits for it.
    @Test func shotsThatWillBeTooOldAreNotIncludedInTheWait() throws {
        let driven = try HandDrivenDesk(shots: 2, history: 40)
        driven.desk.update { state in
            state.stream.isExposureDone = true
            state.estimates.times.learn(fusing: .mean, took: .milliseconds(200))
            state.estimates.times.learn(
                .init(format: .jpeg, includesComparison: false, isFused: true), took: .milliseconds(10))
        }
        driven.frames(0..<40)
        let shots = [390.0, 150].map { driven.tap(at: $0, sixteen) }
        #expect(driven.places == "waiting 1, reading 1, ready 0, in work 0")
        // Frames come every 10 ms: in 200 ms the newest frame of the second shot is 44 frames back.
        let wait = try #require(driven.desk.readiness.current.estimatedWait)
        #expect(wait > .milliseconds(150) && wait <= .milliseconds(200))
        _ = shots
    }
}
