// SPDX-License-Identifier: MIT
// Sessions as asynchronous programs use them: started, stopped, and started again with another source.

import Camera
import LivecapFrames
import Synchronization
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct StartAndStopTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)

    private func scene(_ pixelFormat: PixelFormat = .yuyv, width: Int = 96, _ text: String = "tripod:prerender=2")
        throws
        -> CaptureSource
    {
        .synthetic(
            try SyntheticSettings(text), pixelFormat: pixelFormat, size: FrameSize(width: width, height: 64),
            rate: FrameRate(30))
    }

    private var options: SessionOptions {
        var options = SessionOptions()
        (options.threads, options.memory, options.formats, options.isRealTime) = (2, 64 << 20, [.jpeg], false)
        return options
    }

    @Test func aPhotoCanBeTakenOnceTheSessionHasStarted() async throws {
        let session = try await CaptureSession(source: scene(), options: options)
        try await session.start()
        let photo = try await session.photoOutput.photo(quick, at: session.newest())
        #expect(photo.bytes.starts(with: [0xFF, 0xD8]))
        await session.stop()
    }

    @Test func aTaskThatIsCancelledAlreadyStartsNothing() async throws {
        let session = try await CaptureSession(source: scene(), options: options)
        let starting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await session.start()
        }
        await #expect(throws: SessionError.cancelled) { try await starting.value }
        #expect(await session.photoOutput.capture(quick).failure() == .notRunning)
    }

    @Test func aCancelledTaskGetsNoPhotoAndTheShotGoesOn() async throws {
        let session = try await CaptureSession(source: scene(), options: options)
        try await session.start()
        let capture = session.photoOutput.capture(quick, at: try session.newest())
        let photo = try await capture.photo()
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await capture.photo()
        }
        await #expect(throws: PhotoError.cancelled) { try await late.value }
        #expect(try await capture.photo().reference.id == photo.reference.id)
        await session.stop()
    }

    @Test func aRunningSessionDoesNotStart() async throws {
        let session = try await CaptureSession(source: scene(), options: options)
        try await session.start()
        await #expect(throws: SessionError.running) { try await session.start() }
        #expect(try await session.photoOutput.photo(quick, at: session.newest()).used.count > 0)
        await session.stop()
    }

    @Test func aStoppedSessionStartsAgain() async throws {
        let session = try await CaptureSession(source: scene(), options: options)
        let output = session.photoOutput
        output.isFastCapturePrioritizationEnabled = true
        try await session.start()
        let first = output.capture(quick, at: try session.newest())
        _ = try await first.photo()
        await session.stop()
        #expect(await output.capture(quick).failure() == .notRunning)
        try await session.start()
        let second = output.capture(quick, at: try session.newest())
        _ = try await second.photo()
        #expect(second.id.number == first.id.number + 2)
        #expect(output.isFastCapturePrioritizationEnabled)
        await session.stop()
    }

    @Test func aSessionWhoseSourceHasEndedStartsAgain() async throws {
        let session = try await CaptureSession(source: scene(.yuyv, "tripod:frames=3"), options: options)
        for _ in 1...2 {
            try await session.start()
            await until { session.hasEnded }
            // A busy machine may leave out frames of a scene at its own pace.
            #expect((1...3).contains(session.statistics.published))
        }
        await session.stop()
    }

    @Test func theFormatCanChangeBetweenTwoRuns() async throws {
        let session = try await CaptureSession(source: scene(.yuyv), options: options)
        try await session.start()
        await session.stop()
        try await session.setSource(scene(.nv12, width: 128))
        #expect(session.source.format.pixelFormat == .nv12)
        try await session.start()
        let photo = try await session.photoOutput.photo(quick, at: session.newest())
        #expect(photo.size.width == 128)
        await session.stop()
    }

    @Test func aSourceThatCannotBeOpenedLeavesTheSessionStopped() async throws {
        let session = try await CaptureSession(source: scene(), options: options)
        let missing = CaptureSource.replay("/nonexistent/recording.lcap")
        await #expect(throws: SessionError.self) { try await session.setSource(missing) }
        await #expect(throws: SessionError.self) { try await session.start() }
        try await session.setSource(scene())
        try await session.start()
        await session.stop()
    }

    @Test func aSourceWithoutFramesDoesNotStart() async throws {
        let (session, script) = try scripted()
        let starting = Task { await session.startError() }
        await until { session.photoOutput.readiness.current.state == .notReadyMomentarily }
        script.play(.end)
        #expect(await starting.value == .ended)
    }

    @Test func aCancelledStartStopsTheSession() async throws {
        let (session, _) = try scripted(clock: .monotonic)
        let starting = Task { await session.startError() }
        await until { session.photoOutput.readiness.current.state == .notReadyMomentarily }
        starting.cancel()
        #expect(await starting.value == .cancelled)
        #expect(session.hasEnded)
    }

    /// A stop that blocked the main actor would never let it release the source that the stop waits for.
    @Test @MainActor func aStopSuspendsItsActor() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<10)
        script.delaysStop.store(true, ordering: .releasing)
        let stopping = Task { @MainActor in await session.stop() }
        await until { script.isStopping.load(ordering: .acquiring) }
        script.delaysStop.store(false, ordering: .releasing)
        await stopping.value
        #expect(session.hasEnded)
    }

    @Test func cancellingShotsEndsTheStopSooner() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<5)
        let waiting = session.photoOutput.capture(quick, at: .at(moment(5000)))
        await session.stop(.cancellingShots)
        #expect(await waiting.failure() == .cancelled)
    }

    @Test func readinessWaitsForTheFirstFrame() async throws {
        let (session, script) = try scripted()
        let readiness = session.photoOutput.readiness
        await #expect(throws: PhotoError.notRunning) { try await readiness.ready() }
        session.begin()
        let ready = Task { try await readiness.ready() }
        script.frames(0..<40)
        try await ready.value
        session.end()
        await #expect(throws: PhotoError.notRunning) { try await readiness.ready() }
    }
}

extension CaptureSession {
    /// The time of the newest frame: a tap that no load of the machine makes late.
    fileprivate func newest() throws -> Tap { .at(try #require(ring.newestTime)) }

    /// Starts the session; the error, if it does not start.
    fileprivate func startError() async -> SessionError? {
        do throws(SessionError) {
            try await start()
            return nil
        } catch { return error }
    }
}
