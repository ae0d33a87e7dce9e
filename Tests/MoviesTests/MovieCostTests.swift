// SPDX-License-Identifier: MIT
// What movies cost, by themselves and as part of a session.

import Foundation
import FrameRing
import LiveCapture
import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite struct MovieCostTests {
    private func cost(
        _ codec: MovieCodec, of format: PixelFormat, _ change: (inout MovieSettings) -> Void = { _ in },
        hasSound: Bool = false
    ) throws -> MovieCost {
        var settings = MovieSettings(codec: codec)
        change(&settings)
        let source = SourceDescription(
            name: "Eye", identity: "eye",
            format: FrameFormat(pixelFormat: format, size: FrameSize(width: 1920, height: 1080)), rate: FrameRate(30),
            clock: .monotonic)
        let kind = try MovieFormat(path: "a.mkv", format: format, codec: codec)
        return MovieEstimate.cost(settings, kind, of: source, .upright, hasSound: hasSound)
    }

    @Test func passingThroughTakesNextToNothing() throws {
        let (unchanged, encoded) = (try cost(.mjpeg, of: .mjpeg), try cost(.h264, of: .mjpeg))
        #expect(unchanged.processor > 0 && unchanged.processor < 0.1 && encoded.processor > 10 * unchanged.processor)
        #expect(unchanged.memory > 0 && unchanged.memory < encoded.memory)
        // A quarter of a byte per pixel.
        #expect(unchanged.bandwidth == 1920 * 1080 / 4 * 30)
        #expect(encoded.bandwidth < unchanged.bandwidth)
        #expect(try cost(.h264, of: .h264).bandwidth == 1920 * 1080 / 16 * 30)
    }

    @Test func whateverIsDoneToPicturesCosts() throws {
        let plain = try cost(.h264, of: .yuyv)
        let steady = try cost(.h264, of: .yuyv, { $0.stabilization = .cinematic })
        #expect(steady.processor > plain.processor && steady.memory > plain.memory + 25 * 1920 * 1080 * 3 / 2)
        let small = try cost(.h264, of: .yuyv, { $0.canvas = MovieCanvas(size: FrameSize(width: 640, height: 360)) })
        #expect(small.processor < plain.processor && small.bandwidth < plain.bandwidth)
        #expect(try cost(.av1, of: .yuyv).processor > plain.processor)
        // A picture every second, and JPEG pictures on a canvas of another size.
        let lapse = try cost(.h264, of: .yuyv, { $0.timelapse = .seconds(1) })
        #expect(abs(lapse.processor * 30 - plain.processor) < 1e-9 && lapse.bandwidth <= plain.bandwidth / 30 + 1)
        let canvas = try cost(
            .mjpeg, of: .mjpeg, { $0.canvas = MovieCanvas(size: FrameSize(width: 1280, height: 720)) })
        #expect(try canvas.processor > 5 * cost(.mjpeg, of: .mjpeg).processor)
        #expect(try cost(.h264, of: .yuyv, hasSound: true).bandwidth > plain.bandwidth)
    }

    @Test func costsAddUpWithoutOverflow() {
        var (one, other) = (MovieCost(), MovieCost())
        (one.memory, one.bandwidth, one.processor) = (.max, 1, 0.5)
        (other.memory, other.bandwidth, other.processor) = (1, .max, 0.25)
        let sum = one + other
        #expect(sum.memory == .max && sum.bandwidth == .max && sum.processor == 0.75)
    }

    private func session(_ size: FrameSize, fps: UInt32 = 30) async throws -> CaptureSession {
        var options = SessionOptions()
        (options.threads, options.memory, options.formats, options.isRealTime) = (2, 256 << 20, [.jpeg], false)
        let scene = CaptureSource.synthetic(
            try SyntheticSettings("tripod:prerender=2"), pixelFormat: .yuyv, size: size, rate: FrameRate(fps))
        return try await CaptureSession(source: scene, options: options)
    }

    private func path(_ name: String) -> String {
        FileManager.default.temporaryDirectory.appending(path: "movie-cost-\(UUID().uuidString)-\(name)").path
    }

    @Test func moviesOfASessionCount() async throws {
        let (session, path) = (try await session(FrameSize(width: 96, height: 64)), path("a.mp4"))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await session.start()
        #expect(session.outputCost.movies == MovieCost())
        let movie = MovieOutput(to: path)
        let cost = try session.cost(of: movie)
        #expect(cost.processor > 0 && cost.memory > 0 && cost.bandwidth > 0)
        try await session.add(movie)
        #expect(session.outputCost.movies == cost)
        await movie.finish()
        #expect(session.outputCost.movies == MovieCost())
        await session.stop()
    }

    @Test func whatNoMachineCouldMakeIsRefused() async throws {
        let (session, path) = (try await session(FrameSize(width: 96, height: 64), fps: 1_000_000), path("a.mkv"))
        var settings = MovieSettings(codec: .av1)
        settings.canvas = MovieCanvas(size: FrameSize(width: 1024, height: 1024))
        let movie = MovieOutput(to: path, settings)
        guard case .tooSlow(let share, _)? = await session.canAdd(movie) else {
            return _ = Issue.record("it is taken")
        }
        #expect(try session.cost(of: movie).processor == share)
        await #expect(throws: MovieError.self) { try await session.add(movie) }
        #expect(session.outputCost.movies == MovieCost() && !FileManager.default.fileExists(atPath: path))
    }
}
