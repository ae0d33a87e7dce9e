// SPDX-License-Identifier: MIT
// A camera that is switched off while nothing needs it, and on again at the first need.

import Camera
import FrameRing
import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct IdleTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)

    private func started(
        idleOff: Duration? = .milliseconds(20), isResponsive: Bool = true
    ) async throws -> CaptureSession {
        let scene = CaptureSource.synthetic(
            try SyntheticSettings("tripod:prerender=2"), pixelFormat: .yuyv, size: FrameSize(width: 96, height: 64),
            rate: FrameRate(100))
        var options = SessionOptions(idleOff: idleOff)
        (options.threads, options.memory, options.formats, options.isRealTime) = (2, 64 << 20, [.jpeg], false)
        options.isResponsiveCaptureEnabled = isResponsive
        let session = try await CaptureSession(source: scene, options: options)
        try await session.start()
        return session
    }

    private func waitUntilOff(_ session: CaptureSession, times: Int = 1) async {
        var left = times
        for await event in session.events where event == .switchedOff {
            left -= 1
            if left == 0 { return }
        }
    }

    @Test(arguments: [true, false]) func aTapSwitchesItOnAndItsPhotoSaysSo(isResponsive: Bool) async throws {
        let session = try await started(isResponsive: isResponsive)
        await waitUntilOff(session)
        #expect(session.photoOutput.readiness.current.state == .notReadyCameraOff)
        let photo = try await session.photoOutput.photo(quick)
        #expect(photo.wasCameraOff && photo.isExposureSettled)
        #expect(photo.reference.id.epoch == 1)
        #expect(photo.lag > .zero)
        await session.stop()
    }

    @Test func onAgainItWorksAsBefore() async throws {
        let session = try await started()
        await waitUntilOff(session)
        #expect(try await session.photoOutput.photo(quick).wasCameraOff)
        do {
            // Keeps it on, however long the next tap takes to come.
            let frames = session.frames(.every)
            try await session.photoOutput.readiness.ready()
            #expect(try await session.photoOutput.photo(quick).wasCameraOff == false)
            withExtendedLifetime(frames) {}
        }
        await until { session.photoOutput.readiness.current.state == .notReadyCameraOff }
        await session.stop()
    }

    @Test func momentsInTheHistoryNeedNoCamera() async throws {
        let session = try await started()
        await waitUntilOff(session)
        let newest = try #require(session.ring.leaseNewest()?.metadata.id)
        let earlier = FrameID(epoch: 0, counter: newest.counter - 2)
        #expect(try await session.photoOutput.photo(quick, at: .frame(earlier)).wasCameraOff == false)
        await session.stop()
    }

    @Test func aPastMomentWithoutTheCameraHasNoPhoto() async throws {
        let session = try await started()
        await waitUntilOff(session)
        let newest = try #require(session.ring.newestTime)
        // Later than the last frame, and earlier than any press can be.
        await until { Timestamp.now - newest > .milliseconds(1200) }
        let failure = await session.photoOutput.capture(quick, at: .at(newest + .milliseconds(100))).failure()
        guard case .noFrame = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        await session.stop()
    }

    @Test func waitingUntilReadySwitchesItOn() async throws {
        let session = try await started(idleOff: .milliseconds(200))
        await waitUntilOff(session)
        try await session.photoOutput.readiness.ready()
        let epoch = session.ring.leaseNewest()?.metadata.id.epoch
        #expect(epoch == 1)
        await session.stop()
    }

    @Test func anAnnouncedRequestSwitchesItOn() async throws {
        let session = try await started(idleOff: .milliseconds(200))
        await waitUntilOff(session)
        let request = session.photoOutput.readiness.track()
        for await event in session.events where event == .interruptionEnded { break }
        let photo = try await session.photoOutput.capture(quick, tracked: request).photo()
        #expect(photo.reference.id.epoch == 1)
        await session.stop()
    }

    @Test func whoFollowsFramesKeepsItOn() async throws {
        let session = try await started()
        await waitUntilOff(session)
        do {
            let frames = session.frames(.every)
            for _ in 0..<50 {
                let epoch = await frames.next()?.metadata.id.epoch
                #expect(epoch == 1)
            }
        }
        await waitUntilOff(session, times: 2)
        await session.stop()
    }

    @Test func withoutTheOptionItStaysOn() async throws {
        let session = try await started(idleOff: nil)
        let frames = session.frames(.every)
        for _ in 0..<50 {
            let epoch = await frames.next()?.metadata.id.epoch
            #expect(epoch == 0)
        }
        await session.stop()
    }

    @Test func aStopNeedsNoCamera() async throws {
        let session = try await started()
        await waitUntilOff(session)
        await session.stop()
        #expect(session.hasEnded)
    }
}
