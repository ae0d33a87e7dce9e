// SPDX-License-Identifier: MIT
// Sessions that get another source, or another format, while they run.

import Camera
import Dispatch
import FrameRing
import LivecapFrames
import LivecapThreads
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct ChangeWhileRunningTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)

    private func scene(width: Int) throws -> CaptureSource {
        .synthetic(
            try SyntheticSettings("tripod:prerender=2"), pixelFormat: .yuyv, size: FrameSize(width: width, height: 64),
            rate: FrameRate(30))
    }

    /// A session that runs with frames 96 samples wide. `memory` is in mebibytes.
    private func running(memory: Int = 256, history: Duration = .seconds(60)) async throws -> CaptureSession {
        var options = SessionOptions()
        (options.threads, options.memory, options.formats, options.isRealTime) = (2, memory << 20, [.jpeg], false)
        options.history = history
        let session = try await CaptureSession(source: scene(width: 96), options: options)
        try await session.start()
        return session
    }

    private func newest(_ session: CaptureSession) throws -> FrameMetadata {
        let metadata = session.ring.leaseNewest()?.metadata
        return try #require(metadata)
    }

    @Test func photosOfBeforeAreWhatTheSourceOfThenSaw() async throws {
        let session = try await running()
        let before = try newest(session)
        try await session.setSource(scene(width: 128))
        let now = try newest(session)
        let output = session.photoOutput
        #expect(try await output.photo(quick, at: .at(now.time)).size.width == 128)
        #expect(try await output.photo(quick, at: .at(before.time)).size.width == 96)
        let photo = try await output.photo(quick, at: .frame(before.id))
        #expect(photo.size.width == 96 && photo.reference.id == before.id)
        #expect(try await output.photo(quick, at: .frame(now.id)).size.width == 128)
        await session.stop()
        #expect(await output.capture(quick, at: .at(before.time)).failure() == .notRunning)
    }

    @Test func whetherASourceCanBeTakenIsAnsweredBefore() async throws {
        let session = try await running()
        let (before, wider) = (session.source, try scene(width: 128))
        #expect(await session.canSetSource(wider) == nil)
        guard case .source(.noSuchDevice)? = await session.canSetSource(.camera("/dev/none")) else {
            return _ = Issue.record("there is no such camera")
        }
        guard case .source(.file)? = await session.canSetSource(.replay("/nonexistent")) else {
            return _ = Issue.record("there is no such file")
        }
        let odd = CaptureSource.synthetic(try SyntheticSettings("tripod"), pixelFormat: PixelFormat("ABCD"))
        guard case .source(.unsupported)? = await session.canSetSource(odd) else {
            return _ = Issue.record("there is no such format")
        }
        #expect(session.source == before && !session.hasEnded)
        await session.stop()
    }

    @Test func aSessionWithoutAWayBackSaysSo() async throws {
        var options = SessionOptions()
        (options.threads, options.memory, options.formats, options.isRealTime) = (2, 256 << 20, [.jpeg], false)
        let session = try CaptureSession(SyntheticCamera(SyntheticSettings("tripod")), options)
        try await session.start()
        let wider = try scene(width: 128)
        #expect(await session.canSetSource(wider) == .cannotReopen)
        await session.stop()
    }

    @Test func theSessionDoesNotEnd() async throws {
        let session = try await running()
        let first = session.photoOutput.capture(quick, at: .at(try newest(session).time))
        try await session.setSource(scene(width: 128))
        let second = session.photoOutput.capture(quick, at: .at(try newest(session).time))
        _ = try await (first.photo(), second.photo())
        #expect(first.id.number + 1 == second.id.number)
        #expect(session.photoOutput.readiness.current.state != .notRunning && !session.hasEnded)
        let description = session.source
        await session.stop()
        var events: [SessionEvent] = []
        for await event in session.events {
            events.append(event)
            if event == .stopped { break }
        }
        #expect(events.filter { $0 == .running }.count == 2 && events.contains(.sourceChanged(description)))
        #expect(events.filter { $0 == .ended }.count == 1, "\(events)")
    }

    @Test func aSourceThatIsRefusedDoesNotInterruptTheOldOne() async throws {
        let session = try await running()
        let before = try newest(session)
        for missing: CaptureSource in [.replay("/nonexistent.lcap"), .camera("/dev/none")] {
            await #expect(throws: SessionError.self) { try await session.setSource(missing) }
        }
        await until { (try? newest(session).id.counter).map { $0 > before.id.counter + 2 } ?? false }
        #expect(try newest(session).id.epoch == before.id.epoch)
        #expect(!session.hasEnded)
        await session.stop()
    }

    @Test func ifTheNewSourceCannotBeOpenedTheOldOneGoesOn() async throws {
        let session = try await running()
        let before = try newest(session)
        await #expect(throws: SessionError.self) {
            try await session.setSource(
                .custom { () throws(CameraError) in throw .sourceFailed(name: "a", reason: "b") })
        }
        #expect(session.source.format.size.width == 96)
        await until { session.ring.newestTime != nil }
        let photo = try await session.photoOutput.photo(quick, at: .at(try newest(session).time))
        #expect(photo.reference.id.epoch == before.id.epoch + 1)
        #expect(try await session.photoOutput.photo(quick, at: .frame(before.id)).reference.id == before.id)
        await session.stop()
    }

    @Test func aSessionThatChangesItsSourceHasNotEnded() async throws {
        let session = try await running()
        let seen = Guarded<[Bool]>([])
        let wider: CaptureSource = .custom { [session] in
            // The earlier source has ended, and this one has not begun.
            seen.withLock { $0.append(session.hasEnded) }
            return try SyntheticCamera(
                SyntheticSettings("tripod:prerender=2"), size: FrameSize(width: 128, height: 64), rate: FrameRate(30))
        }
        let failing: CaptureSource = .custom { [session] () throws(CameraError) in
            seen.withLock { $0.append(session.hasEnded) }
            throw .sourceFailed(name: "a", reason: "b")
        }
        try await session.setSource(wider)
        await #expect(throws: SessionError.self) { try await session.setSource(failing) }
        // Opened, failed, and opened again.
        #expect(seen.withLock { $0 } == [false, false, false])
        #expect(!session.hasEnded && session.failure == nil && session.source.format.size.width == 128)
        await session.stop()
        #expect(session.hasEnded)
    }

    @Test func aSessionThatLosesBothSourcesSaysWhy() async throws {
        let session = try await running()
        let isGone = Guarded(false)
        let leaving: CaptureSource = .custom { () throws(CameraError) in
            if isGone.withLock({ $0 }) { throw .sourceFailed(name: "the first", reason: "it has left") }
            return try SyntheticCamera(
                SyntheticSettings("tripod:prerender=2"), size: FrameSize(width: 128, height: 64), rate: FrameRate(30))
        }
        try await session.setSource(leaving)
        isGone.withLock { $0 = true }
        let refusal = SessionError.source(.sourceFailed(name: "the second", reason: "it is broken"))
        await #expect(throws: refusal) {
            try await session.setSource(
                .custom { () throws(CameraError) in throw .sourceFailed(name: "the second", reason: "it is broken") })
        }
        #expect(session.hasEnded)
        #expect(session.failure == .sourceFailed(name: "the first", reason: "it has left"))
    }

    @Test func aSourceWithoutAFrameGivesWayToTheOldOne() async throws {
        let session = try await running()
        await #expect(throws: SessionError.ended) { try await session.setSource(.custom { try Empty() }) }
        #expect(session.source.format.size.width == 96 && !session.hasEnded)
        await session.stop()
    }

    @Test func manyChangesInTurnAreAllServed() async throws {
        let session = try await running(history: .milliseconds(100))
        for turn in 0..<20 {
            let width = turn % 2 == 0 ? 128 : 96
            try await session.setSource(scene(width: width))
            #expect(session.source.format.size.width == width && !session.hasEnded)
        }
        await session.stop()
    }

    @Test func aStopDuringAChangeEndsTheSession() async throws {
        let session = try await running()
        let (begun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let slow: CaptureSource = .custom {
            begun.signal()
            mayGoOn.wait()
            return try SyntheticCamera(
                SyntheticSettings("tripod:prerender=2"), size: FrameSize(width: 128, height: 64), rate: FrameRate(30))
        }
        let changing = Task { try await session.setSource(slow) }
        await until { begun.wait(timeout: .now()) == .success }
        let stopping = Task { await session.stop() }
        await until { session.isBeingStopped }
        mayGoOn.signal()
        await stopping.value
        _ = await changing.result
        #expect(session.hasEnded && session.failure == nil)
    }

    /// Ends before its first frame.
    private final class Empty: FrameSource {
        private let source: SyntheticCamera
        init() throws {
            source = try SyntheticCamera(
                try SyntheticSettings("tripod"), size: FrameSize(width: 128, height: 64), rate: FrameRate(30))
        }
        var description: SourceDescription { source.description }
        func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
            try source.makeRing(capacity)
        }
        func start(_ producer: inout RingProducer) throws(CameraError) {}
        func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome { .ended }
        func stop() {}
        var interrupt: @Sendable () -> Void { {} }
    }

    /// As a camera does whose bus has no room for the format.
    private final class Refused: FrameSource {
        private let source: SyntheticCamera
        init() throws(CameraError) {
            source = try SyntheticCamera(
                try SyntheticSettings("tripod"), size: FrameSize(width: 128, height: 64), rate: FrameRate(30))
        }
        var description: SourceDescription { source.description }
        func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
            try source.makeRing(capacity)
        }
        func start(_ producer: inout RingProducer) throws(CameraError) {
            throw .noBandwidth(path: "/dev/video7", format: "YUYV")
        }
        func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome { .ended }
        func stop() {}
        var interrupt: @Sendable () -> Void { {} }
    }

    @Test func ifTheNewSourceFailsBeforeItsFirstFrameTheOldOneGoesOn() async throws {
        let session = try await running()
        let before = try newest(session)
        let refusal = SessionError.source(.noBandwidth(path: "/dev/video7", format: "YUYV"))
        await #expect(throws: refusal) {
            try await session.setSource(.custom { () throws(CameraError) in try Refused() })
        }
        #expect(session.source.format.size.width == 96 && !session.hasEnded)
        let output = session.photoOutput
        #expect(try await output.photo(quick, at: .at(newest(session).time)).size.width == 96)
        #expect(try await output.photo(quick, at: .frame(before.id)).reference.id == before.id)
        await session.stop()
    }

    @Test func framesOfARunBeforeTheStopHaveIdsOfTheirOwn() async throws {
        let session = try await running()
        let before = try newest(session)
        await session.stop()
        try await session.start()
        #expect(try newest(session).id.epoch > before.id.epoch)
        #expect(await session.photoOutput.capture(quick, at: .frame(before.id)).isOfFrameThatIsGone())
        await session.stop()
    }

    @Test func theHistoryOfBeforeEndsWithItsTime() async throws {
        let session = try await running(history: .milliseconds(200))
        let before = try newest(session)
        try await session.setSource(scene(width: 128))
        while await session.photoOutput.capture(quick, at: .at(before.time)).failure() == nil {
            try await Task.sleep(for: .milliseconds(5))
        }
        await session.stop()
    }

    @Test func withoutMemoryForBothTheHistoryOfBeforeIsGivenUp() async throws {
        let session = try await running(memory: 32)
        let before = try newest(session)
        try await session.setSource(scene(width: 2048))
        #expect(try await session.photoOutput.photo(quick, at: .at(newest(session).time)).size.width == 2048)
        #expect(await session.photoOutput.capture(quick, at: .frame(before.id)).isOfFrameThatIsGone())
        await session.stop()
    }

    @Test func streamsOfFramesEnd() async throws {
        let session = try await running()
        let frames = session.frames(.every)
        let changing = Task { [session] in try await session.setSource(scene(width: 128)) }
        while await frames.next() != nil {}
        try await changing.value
        #expect(session.source.format.size.width == 128)
        await session.stop()
    }

    @Test func aSessionThatIsReleasedMeanwhileEnds() async throws {
        var session: CaptureSession? = try await running()
        try await session?.setSource(scene(width: 128))
        weak let released = session
        session = nil
        await until { released == nil }
    }
}

extension PhotoCapture {
    /// Whether the shot fails because its frame is not in the history.
    fileprivate func isOfFrameThatIsGone() async -> Bool {
        switch await failure() {
        case .noSuchFrame, .tooOld: true
        default: false
        }
    }
}
