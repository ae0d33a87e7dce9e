// SPDX-License-Identifier: MIT
// What a session does while its camera is unplugged.

import Camera
import FrameRing
import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct UnplugTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)
    private let begin = Timestamp.now - .seconds(10)

    private func started() throws -> (session: CaptureSession, script: Script) {
        let made = try scripted(clock: .monotonic, begin: begin)
        made.session.begin()
        made.script.frames(0..<20)
        return made
    }

    private func waitUntilAway(_ session: CaptureSession) async {
        for await event in session.events { if case .interrupted = event { return } }
    }

    @Test func momentsBeforeItAreAnsweredFromTheRing() async throws {
        let (session, script) = try started()
        script.play(.leave)
        await waitUntilAway(session)
        let photo = try await session.photoOutput.photo(quick, at: .at(begin + .milliseconds(100)))
        #expect(photo.reference.time == begin + .milliseconds(100))
        await session.stop()
    }

    @Test func momentsAfterItFailAtOnceByName() async throws {
        let (session, script) = try started()
        script.play(.leave)
        await waitUntilAway(session)
        #expect(await session.photoOutput.capture(quick).failure() == .cameraAway)
        #expect(session.photoOutput.readiness.current.state == .notRunning)
        await session.stop()
    }

    @Test func momentsWhileAnotherProgramUsesItFailWithItsName() async throws {
        let (session, script) = try started()
        let busy = CameraError.busy(path: "/dev/video7", holder: "cheese (pid 7)")
        script.play(.busy(busy))
        await waitUntilAway(session)
        #expect(await session.photoOutput.capture(quick).failure() == .cameraBusy(busy))
        await session.stop()
    }

    @Test func aShotThatWaitsForLaterFramesIsMadeOfThoseThereAre() async throws {
        let (session, script) = try started()
        let settings = PhotoSettings(quality: .mean, frames: 4, laterFrames: 3)
        let capture = session.photoOutput.capture(settings, at: .at(begin + .milliseconds(180)))
        script.play(.leave)
        let photo = try await capture.photo()
        #expect(photo.reference.time == begin + .milliseconds(180))
        #expect(photo.used.map(\.frame.time).max() == begin + .milliseconds(190))
        await session.stop()
    }

    @Test func noPhotoHasFramesOfBothSides() async throws {
        let (session, script) = try started()
        script.play(.leave)
        await waitUntilAway(session)
        for number in 20..<26 { script.play(.frame(Double(10 * number))) }
        for await event in session.events where event == .interruptionEnded { break }
        let settings = PhotoSettings(quality: .mean, frames: 8)
        let photo = try await session.photoOutput.photo(settings, at: .at(begin + .milliseconds(220)))
        #expect(Set(photo.used.map(\.frame.id.epoch)) == [1])
        #expect(session.photoOutput.readiness.current.state != .notRunning)
        await session.stop()
    }
}
