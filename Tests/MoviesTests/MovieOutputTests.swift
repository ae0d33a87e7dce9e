// SPDX-License-Identifier: MIT
// Movies of a session: they begin in the past, outlive its sources, and leave photos their frames.

import Foundation
import FrameRing
import LiveCapture
import LivecapFrames
import LivecapSound
import Testing

@testable import LivecapMovies

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct MovieOutputTests {
    private func scene(width: Int, fps: UInt32 = 30) throws -> CaptureSource {
        .synthetic(
            try SyntheticSettings("tripod:prerender=2"), pixelFormat: .yuyv, size: FrameSize(width: width, height: 64),
            rate: FrameRate(fps))
    }

    private func session(history: Duration = .seconds(8), fps: UInt32 = 30) async throws -> CaptureSession {
        var options = SessionOptions()
        (options.threads, options.memory, options.formats, options.isRealTime) = (2, 256 << 20, [.jpeg], false)
        options.history = history
        return try await CaptureSession(source: scene(width: 96, fps: fps), options: options)
    }

    private func path(_ name: String) -> String {
        FileManager.default.temporaryDirectory.appending(path: "movie-output-\(UUID().uuidString)-\(name)").path
    }

    /// Waits for so many more frames of a session. Those before may have come while a movie was being opened.
    private func wait(for count: UInt64, in session: CaptureSession) {
        let ring = session.ring
        _ = ring.wait(forCounter: ring.nextCounter + count, until: .now + .seconds(60))
    }

    @Test func itGoesOnWithAnotherSource() async throws {
        let (session, path) = (try await session(), path("a.mp4"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await session.start()
        let movie = MovieOutput(to: path)
        try await session.add(movie)
        wait(for: 20, in: session)
        try await session.setSource(scene(width: 128, fps: 20))
        wait(for: 20, in: session)
        try await session.setSource(scene(width: 48))
        wait(for: 20, in: session)
        let result = await movie.finish()
        await session.stop()
        #expect(result.failure == nil && result.summary.frames >= 40 && result.summary.continuity.epochs == 3)
        let probe = try MovieProbe(path)
        #expect(probe.width == 96 && probe.height == 64)
        #expect(probe.times.count == result.summary.frames + result.repeated.pictures)
        let steps = zip(probe.times, probe.times.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { $0 > 0 && $0 <= 2 * 33_334 + 600 }, "\(steps)")
        #expect(try MovieProbe.decoded(path) == probe.times.count)
    }

    @Test func itIsMadeOfFramesWithEffects() async throws {
        let (session, path) = (try await session(), path("a.mkv"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let early = MovieOutput(to: path)
        await #expect(throws: MovieError.self) { try await session.add(early, of: .withEffects) }
        try await session.start()
        try await session.setEffects(EffectSettings(brighten: 1))
        let movie = MovieOutput(to: path), past = MovieOutput(to: path, past: .seconds(1))
        await #expect(throws: MovieError.self) { try await session.add(past, of: .withEffects) }
        try await session.add(movie, of: [.fused, .withEffects])
        #expect(movie.treatment == [.fused, .withEffects] && session.canPerformReactionEffects)
        while movie.progress.frames < 10 { await Task.yield() }
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames >= 10)
        // Nothing asks for such frames any more.
        while session.canPerformReactionEffects { await Task.yield() }
        await session.stop()
    }

    /// A scene whose place another camera takes.
    private final class ReplacedScene: FrameSource {
        private let scene: SyntheticCamera
        private var frames = 0

        init() throws(CameraError) {
            scene = try SyntheticCamera(
                try SyntheticSettings("tripod:prerender=2"), pixelFormat: .yuyv, size: FrameSize(width: 96, height: 64),
                rate: FrameRate(30))
        }

        var description: SourceDescription { scene.description }
        var interrupt: @Sendable () -> Void { scene.interrupt }
        func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
            try scene.makeRing(capacity)
        }
        func start(_ producer: inout RingProducer) throws(CameraError) { try scene.start(&producer) }
        func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
            frames += 1
            guard frames == 10 else { return try scene.step(&producer) }
            producer.beginEpoch()
            var other = description
            (other.name, other.identity) = ("Other", "other")
            return .moved(to: other)
        }
        func stop() { scene.stop() }
    }

    @Test func aCameraThatTakesOverBeginsAChapter() async throws {
        let path = path("a.mkv")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let session = try CaptureSession(ReplacedScene(), SessionOptions(history: .seconds(60), isRealTime: false))
        let movie = MovieOutput(to: path)
        try await session.add(movie)
        try await session.start()
        wait(for: 20, in: session)
        let result = await movie.finish()
        await session.stop()
        #expect(result.failure == nil && result.chapters.map(\.name) == [session.source.name, "Other"])
    }

    @Test func itHasTheSoundOfAMicrophone() async throws {
        let (session, path) = (try await session(), path("a.mkv"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await session.start()
        let microphone = try session.openMicrophone(.automatic, in: SyntheticMicrophones(), past: .zero)
        defer { microphone.stop() }
        let movie = MovieOutput(to: path, microphone: microphone)
        try await session.add(movie)
        wait(for: 20, in: session)
        let result = await movie.finish()
        await session.stop()
        #expect(result.failure == nil && microphone.figures.microphone?.id == SyntheticMicrophones.id)
        #expect(result.sound != nil)
        #expect(try MovieInspection(path).tracks.map(\.kind) == [.pictures, .sound])
    }

    @Test func scenesAtTheFastPaceHaveNoMicrophone() async throws {
        var options = SessionOptions()
        options.memory = 64 << 20
        let scene = try SyntheticSettings("tripod:prerender=2,frames=4")
        let session = try await CaptureSession(
            source: .synthetic(scene, size: FrameSize(width: 96, height: 64), .fast), options: options)
        await #expect(throws: SoundError.otherClock) { try await session.openMicrophone() }
    }

    @Test func itBeginsInThePast() async throws {
        let (session, path) = (try await session(), path("a.mkv"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await session.start()
        wait(for: 60, in: session)
        let movie = MovieOutput(to: path, past: .seconds(1))
        let asked = Timestamp.now
        try await session.add(movie)
        let result = await movie.finish()
        await session.stop()
        let first = try #require(result.summary.first)
        #expect(first <= asked - .milliseconds(900) && first >= asked - .seconds(1), "\(asked - first)")
    }

    @Test func itGoesOnWhenTheSessionIsStartedAgain() async throws {
        let (session, path) = (try await session(), path("a.mkv"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let movie = MovieOutput(to: path)
        // Before it is started, too.
        try await session.add(movie)
        try await session.start()
        wait(for: 10, in: session)
        await session.stop()
        try await session.start()
        wait(for: 10, in: session)
        session.remove(movie)
        let result = await movie.finish()
        await session.stop()
        #expect(result.failure == nil && result.summary.frames >= 20 && result.summary.continuity.epochs == 2)
    }

    @Test func photosTakeItNoFrame() async throws {
        // A busy machine may encode far behind the scene, but not so far.
        let (session, path) = (try await session(history: .seconds(600), fps: 5), path("a.mp4"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await session.start()
        let movie = MovieOutput(to: path)
        try await session.add(movie)
        for _ in 0..<5 {
            _ = try await session.photoOutput.photo(PhotoSettings(quality: .mean, frames: 3))
        }
        let result = await movie.finish()
        await session.stop()
        // The scene itself may be late on a busy machine; what it delivers is in the movie.
        #expect(result.failure == nil && result.summary.dropped == 0 && result.summary.frames > 0)
    }

    @Test func whatIsMissingIsSaidWhenItIsAdded() async throws {
        let session = try await session()
        let movie = MovieOutput(to: "/nonexistent/a.mp4")
        await #expect(throws: MovieError.self) { try await session.add(movie) }
        await #expect(throws: MovieError.unknownName("a.jpg")) { try await session.add(MovieOutput(to: "a.jpg")) }
        await session.stop()
    }

    @Test func whatIsMissingIsSaidBeforeItIsAdded() async throws {
        let (session, path) = (try await session(), path("a.mkv"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let movie = MovieOutput(to: path)
        #expect(await session.canAdd(movie) == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(await session.canAdd(MovieOutput(to: "a.jpg")) == .unknownName("a.jpg"))
        let unplayable = MovieOutput(to: path, MovieSettings(codec: .mjpeg))
        #expect(await session.canAdd(unplayable) == .notJPEG("YUYV"))
        try await session.start()
        try await session.add(movie)
        #expect(await session.canAdd(movie) != nil)
        wait(for: 5, in: session)
        await movie.finish()
        let taken = await session.canAdd(MovieOutput(to: path))
        #expect(taken?.hint == "allow overwriting, or choose another name")
        await session.stop()
    }

    @Test func aSessionThatIsReleasedEndsIt() async throws {
        let path = path("a.mkv")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let movie = MovieOutput(to: path)
        do {
            let session = try await session()
            try await session.start()
            try await session.add(movie)
            wait(for: 5, in: session)
        }
        while !movie.hasEnded { try await Task.sleep(for: .milliseconds(10)) }
        #expect(await movie.finish().summary.frames > 0)
    }
}
