// SPDX-License-Identifier: MIT
// How sessions end, and what happens to the shots that are on their way.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct SessionEndTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)

    @Test func shotsWithTheirFramesAreFinishedAndTheOthersFail() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<10)
        let (past, future) = (
            session.photoOutput.capture(quick, at: .at(moment(40))),
            session.photoOutput.capture(quick, at: .at(moment(900)))
        )
        session.end()
        #expect(try await past.photo().reference.id.counter == 4)
        #expect(await future.failure() == .streamEnded(nil))
    }

    @Test func aFailureIsTheReason() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<10)
        let (past, later, future) = (
            session.photoOutput.capture(quick, at: .at(moment(40))),
            session.photoOutput.capture(PhotoSettings(quality: .mean, frames: 4, laterFrames: 3), at: .at(moment(90))),
            session.photoOutput.capture(quick, at: .at(moment(900)))
        )
        script.play(.fail(.disconnected(path: "script")))
        #expect(try await past.photo().reference.id.counter == 4)
        // The frames that have arrived must be enough.
        #expect(try await later.photo().used.map(\.frame.id.counter) == [6, 7, 8, 9])
        #expect(await future.failure() == .streamEnded(.disconnected(path: "script")))
        session.end()
        #expect(session.failure == .disconnected(path: "script"))
    }

    @Test func aSourceThatEndsBeforeItBegins() async throws {
        let (session, script) = try scripted()
        let shot = session.photoOutput.capture(quick)
        session.begin()
        script.play(.end)
        #expect(await shot.failure() == .streamEnded(nil))
        session.end()
    }

    @Test func stoppedTwiceAndWithoutAStart() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<3)
        session.end()
        session.end()
        session.begin()
        #expect(await session.photoOutput.capture(quick).failure() == .notRunning)

        let (idle, _) = try scripted()
        let shot = idle.photoOutput.capture(quick)
        idle.end()
        #expect(await shot.failure() == .streamEnded(nil))
    }

    @Test func droppedWithoutAStop() async throws {
        let shot: PhotoCapture
        do {
            let (session, script) = try scripted()
            session.begin()
            script.frames(0..<10)
            shot = session.photoOutput.capture(quick, at: .at(moment(40)))
        }
        #expect(try await shot.photo().reference.id.counter == 4)
    }

    /// A second stop must not end the workers that the first one still waits for.
    @Test(arguments: 0..<8) func stoppedFromSeveralThreadsAtOnce(round: Int) async throws {
        let (session, script) = try scripted()
        session.begin()
        let shots = (0..<10).map { session.photoOutput.capture(quick, at: .at(moment(Double(10 * $0)))) }
        script.frames(0..<8)
        let threads = (0..<3).map { number in try! SystemThread(name: "stop \(number)") { session.end() } }
        for thread in threads { thread.join() }
        #expect(session.photoOutput.shotsInProgress == 0)
        for shot in shots[..<8] { #expect(await shot.story() == "begin captured photo") }
        for shot in shots[8...] {
            #expect(["begin captured photo", "stream-ended"].contains(await shot.story()))
        }
    }

    @Test func stoppedWhileAnotherThreadWaitsForAPhoto() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<5)
        let waiter = Task { await session.photoOutput.capture(quick, at: .at(moment(5000))).failure() }
        await until { session.photoOutput.shotsInProgress == 1 }
        let thread = try! SystemThread(name: "stop") { session.end() }
        #expect(await waiter.value == .streamEnded(nil))
        thread.join()
    }

    @Test func twoSessionsAtOnceDoNotMind() async throws {
        let (first, script) = try scripted()
        let (second, other) = try scripted()
        first.begin()
        second.begin()
        script.frames(0..<10)
        other.frames(0..<5)
        let shot = second.photoOutput.capture(quick, at: .at(moment(30)))
        first.end()
        #expect(try await shot.photo().reference.id.counter == 3)
        other.frames(5..<10)
        #expect(try await second.photoOutput.photo(quick, at: .at(moment(80))).reference.id.counter == 8)
        second.end()
    }

    /// If a camera falls silent, a shot uses the frames that have arrived, or fails. It never waits for ever.
    @Test func aStalledCameraKeepsNobodyWaiting() async throws {
        let (session, script) = try scripted(clock: .monotonic, begin: .now - .milliseconds(90)) {
            $0.patience.more = .milliseconds(20)
        }
        session.begin()
        script.frames(0..<10)
        let newest = try #require(session.ring.newestTime)
        let photo = try await session.photoOutput.photo(
            PhotoSettings(quality: .mean, frames: 4, laterFrames: 3), at: .at(newest))
        #expect(photo.used.map(\.frame.id.counter) == [6, 7, 8, 9])
        let late = await session.photoOutput.capture(quick, at: .at(newest + .milliseconds(60))).failure()
        #expect(late == .noFrame(at: newest + .milliseconds(60), distance: .milliseconds(60)))
        session.end()
    }

    @Test func aCameraWithoutAFirstFrameKeepsNobodyWaiting() async throws {
        let (session, _) = try scripted(clock: .monotonic) {
            $0.patience = Patience(intervals: 1, more: .zero, firstFrame: .milliseconds(20))
        }
        session.begin()
        let tap = Timestamp.now
        #expect(await session.photoOutput.capture(quick, at: .at(tap)).failure() == .noFrame(at: tap, distance: nil))
        session.end()
    }
}
