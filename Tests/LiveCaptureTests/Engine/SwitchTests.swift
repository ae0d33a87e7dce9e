// SPDX-License-Identifier: MIT
// Readiness, overlap and prioritization in whole sessions: every state is reached by real events.

import FrameRing
import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct SwitchTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)

    @Test func readinessFollowsTheSession() async throws {
        let (session, script) = try scripted()
        let readiness = session.photoOutput.readiness
        #expect(readiness.current.state == .notRunning)
        session.begin()
        #expect(readiness.current.state == .notReadyMomentarily)
        script.frames(0..<4)
        wait { readiness.current.state == .ready }
        // The same reason twice: each restart is reported.
        for round in 1...2 {
            script.play(.restart("no frames"))
            wait { readiness.current.state == .notReadyMomentarily }
            script.frames((10 * round)..<(10 * round + 4))
            wait { readiness.current.state == .ready }
        }
        session.end()
        #expect(readiness.current.state == .notRunning)
        var story: [SessionEvent] = []
        for await event in session.events {
            if event == .stopped { break }
            story.append(event)
        }
        let mishaps = story.filter {
            switch $0 {
            case .interrupted, .interruptionEnded: true
            default: false
            }
        }
        let interruption = [SessionEvent.interrupted(reason: "no frames"), .interruptionEnded]
        #expect(mishaps == interruption + interruption)
        #expect(story.first == .running && story.last == .ended)
        #expect(story.count { if case .exposureSettled(true, _) = $0 { true } else { false } } == 3)
    }

    @Test func aProgramCanWaitUntilThereIsRoomForSettingsOfItsOwn() async throws {
        let (session, script) = try scripted()
        let largest = PhotoSettings(quality: .mean, frames: 16)
        await #expect(throws: PhotoError.notRunning) { try await session.photoOutput.ready(for: largest) }
        session.begin()
        let waiting = Task { try await session.photoOutput.ready(for: largest) }
        script.frames(0..<4)
        try await waiting.value
        session.end()
    }

    @Test func withoutOverlapTheNextTapWaits() async throws {
        let driven = try HandDrivenDesk { $0.isResponsiveCaptureEnabled = false }
        let readiness = driven.desk.readiness
        _ = driven.desk.exposureChanged(isSettled: true, isDone: true)
        driven.frames(0..<20)
        #expect(readiness.current.state == .ready)
        let first = driven.tap(at: 190, PhotoSettings(quality: .mean, frames: 2, laterFrames: 1))
        #expect(readiness.current.state == .notReadyWaitingForCapture)
        let second = driven.tap(at: 190, quick)
        driven.frame(at: 200)
        #expect(driven.places == "waiting 1, reading 1, ready 0, in work 0")
        driven.work()
        #expect(await first.story() == "begin captured photo")
        #expect(await second.story() == "begin captured photo")
        #expect(readiness.current.state == .ready)
        #expect(driven.isAtRest())
    }

    /// A shot that waits for the frames of an earlier one must not hold up the source that delivers
    /// them.
    @Test func withoutOverlapATapDoesNotKeepTheFramesOfTheOneBeforeFromComing() async throws {
        let driven = try HandDrivenDesk(isFast: true) { $0.isResponsiveCaptureEnabled = false }
        driven.frames(0..<20)
        let first = driven.tap(at: 190, PhotoSettings(quality: .mean, frames: 4, laterFrames: 3))
        let second = driven.tap(at: 190, quick)
        #expect(!driven.desk.isHoldingUp)
        driven.frames(20..<23)
        #expect(driven.desk.isHoldingUp)
        driven.work()
        #expect(!driven.desk.isHoldingUp)
        for shot in [first, second] { #expect(await shot.story() == "begin captured photo") }
    }

    @Test func aWholeSessionWithoutOverlapAtTheFastPace() async throws {
        let session = try fastSession("tripod:frames=30", size: FrameSize(width: 64, height: 48)) {
            $0.isResponsiveCaptureEnabled = false
        }
        let later = PhotoSettings(quality: .mean, frames: 4, laterFrames: 3)
        let shots = [300, 310, 320].map { session.photoOutput.capture(later, at: .offset(.milliseconds($0))) }
        session.begin()
        for (shot, counter) in zip(shots, [9, 9, 10] as [UInt64]) {
            #expect(try await shot.photo().reference.id.counter == counter)
        }
        session.end()
    }

    @Test func aTrackedRequestCountsUntilItIsTakenOver() async throws {
        let driven = try HandDrivenDesk { $0.isResponsiveCaptureEnabled = false }
        let readiness = driven.desk.readiness
        _ = driven.desk.exposureChanged(isSettled: true, isDone: true)
        driven.frames(0..<20)
        let (kept, dropped) = (readiness.track(), readiness.track())
        #expect(readiness.current.state == .notReadyWaitingForCapture)
        dropped.cancel()
        let shot = driven.desk.submit(quick, at: .at(moment(100)), into: nil, number: nil, kept)
        #expect(readiness.current.state == .notReadyWaitingForProcessing)
        driven.work()
        #expect(await shot.story() == "begin captured photo")
        #expect(readiness.current.state == .ready)
    }

    @Test func tapsInQuickSuccessionGetLessAndTheSameEveryTime() async throws {
        func given() async throws -> [PhotoQuality] {
            let session = try fastSession("tripod:frames=20", size: FrameSize(width: 64, height: 48)) {
                $0.isFastCapturePrioritizationEnabled = true
            }
            let shots = (0..<5).map {
                session.photoOutput.capture(
                    PhotoSettings(quality: .quality), at: .offset(.milliseconds(Int64(100 + 10 * $0))))
            }
            session.begin()
            var given: [PhotoQuality] = []
            for shot in shots {
                let photo = try await shot.photo()
                #expect(photo.qualityAsked == .quality && photo.isPrioritized == (photo.qualityGiven == .balanced))
                given.append(photo.qualityGiven)
            }
            session.end()
            return given
        }
        let once = try await given()
        #expect(once.first == .quality && once.last == .balanced)
        #expect(try await given() == once)
    }

    /// Shots that share most of their frames, made by different numbers of workers, and twice by
    /// the same number.
    @Test(.timeLimit(.long)) func overlappingShotsGiveTheSameBytes() async throws {
        func bytes(threads: Int) async throws -> [[UInt8]] {
            let session = try fastSession("object:frames=16,seed=5", size: FrameSize(width: 64, height: 48)) {
                $0.threads = threads
            }
            let kinds = [
                PhotoSettings(quality: .mean, frames: 4), PhotoSettings(quality: .speed),
                PhotoSettings(quality: .single),
            ]
            let shots = kinds.indices.map {
                session.photoOutput.capture(kinds[$0], at: .offset(.milliseconds(Int64(200 + 20 * $0))))
            }
            session.begin()
            var all: [[UInt8]] = []
            for shot in shots { all.append(try await shot.photo().bytes) }
            session.end()
            return all
        }
        let once = try await bytes(threads: 1)
        for threads in [2, 2, 3] { #expect(try await bytes(threads: threads) == once, "\(threads) workers") }
    }
}
