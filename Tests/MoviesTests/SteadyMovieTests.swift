// SPDX-License-Identifier: MIT
// Movies whose pictures are steadied: everything is in them all the same.

import FrameRing
import LivecapFrames
import LivecapSound
import LivecapStabilization
import Testing

@testable import LivecapMovies

@Suite struct SteadyMovieTests {
    private func settings(
        _ mode: StabilizationMode, _ codec: MovieCodec? = nil, _ canvas: MovieCanvas? = nil
    ) -> MovieSettings {
        var settings = MovieSettings(codec: codec, canvas: canvas)
        settings.stabilization = mode
        return settings
    }

    @Test(
        "Every frame is there at its own time, also in movies shorter than the look-ahead",
        arguments: [StabilizationMode.standard, .cinematic], [1, 5, 40])
    func frames(_ mode: StabilizationMode, _ count: Int) async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(
            stage.source, ring: stage.ring, to: stage.path("a.mp4"), settings(mode))
        movie.start()
        let times = (0..<count).map { Int64($0) * 33 }
        try stage.publish(at: times)
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == count && result.summary.dropped == 0)
        #expect(result.summary.first == MovieStage.begin)
        #expect(result.summary.last == MovieStage.begin + .milliseconds(times.last!))
        let found = try MovieProbe(stage.path("a.mp4")).times
        #expect(found.count == count)
        for (found, time) in zip(found, times) { #expect(abs(found - Int(time) * 1000) <= 12) }
        #expect(try MovieProbe.decoded(stage.path("a.mp4")) == count)
    }

    @Test("JPEG frames are encoded, or made JPEG again if that is asked for, and never called unchanged")
    func codecs() async throws {
        let pairs: [(MovieCodec?, MovieCodec)] = [(nil, .h264), (.mjpeg, .mjpeg)]
        for (codec, expected) in pairs {
            let stage = try MovieStage()
            let movie = try await MovieFileOutput.open(
                stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings(.cinematic, codec))
            movie.start()
            try stage.publish(at: [0, 33, 67])
            #expect(await movie.finish().summary.frames == 3)
            #expect(movie.format.codec == expected)
            #expect(try MovieProbe.decoded(stage.path("a.mkv")) == 3)
            let found = try MovieInspection(stage.path("a.mkv"))
            let text = "\(found)"
            #expect(text.contains("steadied") && !text.contains("frames, unchanged"))
        }
    }

    @Test(
        "A movie of several cameras has all that it would have unsteadied, with its sound",
        arguments: ["a.mkv", "a.mp4"])
    func canvas(_ name: String) throws {
        let stage = try CanvasStage()
        let cameras = [
            StageCamera(format: .grey, size: FrameSize(width: 96, height: 64), span: 0..<1.55),
            StageCamera(format: .yuyv, size: FrameSize(width: 64, height: 48), span: 2..<3.55),
            StageCamera(format: .mjpeg, size: FrameSize(width: 48, height: 96), rate: FrameRate(20), span: 4..<5.55),
        ]
        func sound() -> SoundHistory {
            let history = SoundHistory(channels: 1, seconds: 30)
            stage.capture(history, from: -1, to: 8, rate: 48_000)
            return history
        }
        let plain = try stage.movie(
            "plain.\(name.suffix(3))", of: cameras, settings(.off, .h264, MovieCanvas()), sound: sound())
        let steady = try stage.movie(name, of: cameras, settings(.cinematic, .h264, MovieCanvas()), sound: sound())
        #expect(steady.failure == nil && steady.summary.dropped == 0)
        #expect(steady.summary.frames == plain.summary.frames)
        #expect(steady.repeated == plain.repeated && steady.repeated.marked > 0)
        #expect(try MovieProbe(stage.path(name)).times == MovieProbe(stage.path("plain.\(name.suffix(3))")).times)
        let (probe, before) = (try SoundProbe(stage.path(name)), try SoundProbe(stage.path("plain.\(name.suffix(3))")))
        #expect(probe.tracks == 2 && probe.packets.count == before.packets.count)
        let flashes = try stage.flashes(name, above: 57)
        #expect(flashes.map { $0.rounded() } == [0, 1, 2, 3, 4, 5], "\(flashes)")
    }
}
