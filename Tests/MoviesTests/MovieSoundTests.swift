// SPDX-License-Identifier: MIT
// Movies with sound: both tracks are whole, and belong together.

import Foundation
import FrameRing
import LivecapFrames
import LivecapMovies
import LivecapPatience
import LivecapSound
import Testing

@Suite struct MovieSoundTests {
    /// Captures clicks at whole seconds since the stage's begin, from one to another.
    private func capture(
        _ history: SoundHistory, _ stage: MovieStage, from begin: Double, to end: Double, channels: Int = 1
    ) {
        Clicks.capture(history, from: begin, to: end, since: stage.begin, channels: channels)
    }

    private func makeStage() throws -> MovieStage { try MovieStage(.grey, seconds: 8, clock: .monotonic) }

    private func publishFlashes(_ stage: MovieStage, seconds: Double) throws {
        try Clicks.publishFlashes(stage, 0..<Int((seconds * 30).rounded()))
    }

    private func flashes(_ path: String) throws -> [Double] { try Clicks.flashes(path) }

    @Test(arguments: [("a.mkv", "flac"), ("a.mp4", "aac"), ("a.webm", "opus")])
    func clicksAreHeardWithTheirFlashes(name: String, codec: String) async throws {
        let stage = try makeStage()
        let history = SoundHistory(channels: 1, seconds: 8)
        capture(history, stage, from: -0.5, to: 6)
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path(name), sound: history)
        try publishFlashes(stage, seconds: 4.8)
        movie.start(at: stage.begin)
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == 144)
        let probe = try SoundProbe(stage.path(name))
        #expect(probe.codec == codec && probe.channels == 1 && probe.rate == 48_000 && probe.tracks == 2)
        let flashes = try flashes(stage.path(name))
        let clicks = SoundProbe.clicks(try SoundProbe.heard(stage.path(name)))
        #expect(flashes.count == 5 && clicks.count == 5, "\(flashes) \(clicks)")
        // The click's middle is 1 ms after its flash. Matroska has whole milliseconds.
        for (flash, click) in zip(flashes, clicks) { #expect(abs(click - flash - 0.001) < 0.0012, "\(flash) \(click)") }
        // Both tracks are as long as the movie, within a packet of sound.
        #expect(abs(probe.end - 4.8) < 0.05 && abs(probe.picturesEnd - 4.8) < 0.05, "\(probe.end) \(probe.picturesEnd)")
        #expect(result.sound?.silence == .zero && result.sound?.codec.rawValue == codec)
    }

    @Test func aLivePhotoHasTheSoundOfItsTime() async throws {
        let stage = try makeStage()
        let history = SoundHistory(channels: 1, seconds: 8)
        capture(history, stage, from: -0.5, to: 6)
        try publishFlashes(stage, seconds: 4.8)
        let metadata = stage.ring.lease(nearest: stage.begin + .milliseconds(2100))?.metadata
        let still = try #require(metadata)
        let movie = try await LivePhotoMovie.open(
            around: still, stage.source, ring: stage.ring, LivePhotoSettings(), sound: history)
        let clip = try await movie.clip()
        try stage.write(clip.bytes, to: "clip.mp4")
        let (flashes, clicks) = (
            try flashes(stage.path("clip.mp4")), SoundProbe.clicks(try SoundProbe.heard(stage.path("clip.mp4")))
        )
        #expect(flashes.count == 3 && clicks.count == 3, "\(flashes) \(clicks)")
        for (flash, click) in zip(flashes, clicks) { #expect(abs(click - flash - 0.001) < 0.0012, "\(flash) \(click)") }
        let probe = try SoundProbe(stage.path("clip.mp4"))
        #expect(probe.codec == "aac" && abs(probe.end - probe.picturesEnd) < 0.05)
        #expect(clip.sound?.codec == .aac && clip.sound?.silence == .zero)
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func tracksAreInterleavedAndMonotone(name: String) async throws {
        let stage = try makeStage()
        let history = SoundHistory(channels: 2, seconds: 8)
        capture(history, stage, from: -0.5, to: 6, channels: 2)
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path(name), sound: history)
        try publishFlashes(stage, seconds: 4)
        movie.start(at: stage.begin)
        _ = await movie.finish()
        let probe = try SoundProbe(stage.path(name))
        #expect(probe.channels == 2)
        let packets = probe.packets
        // Times grow, and no gap is longer than two packets.
        for (a, b) in zip(packets, packets.dropFirst()) {
            #expect(b.time > a.time && b.time - a.time < 0.045, "\(a) \(b)")
        }
        // In the file, no packet is far from those of the other track.
        var (pictures, sound) = (0.0, 0.0)
        for packet in probe.order {
            // The sound goes on for as long as the last picture is shown, until the movie is ended.
            if packet.isSound, packet.time > probe.picturesEnd { continue }
            if packet.isSound { sound = packet.time } else { pictures = packet.time }
            #expect(abs(pictures - sound) < 0.6, "\(packet)")
        }
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"])
    func aMicrophoneThatGoesAndOneThatComesAreOneTrack(name: String) async throws {
        let stage = try makeStage()
        let history = SoundHistory(channels: 1, seconds: 8)
        capture(history, stage, from: -0.5, to: 1.5)
        capture(history, stage, from: 2.6, to: 6, channels: 2)
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path(name), sound: history)
        try publishFlashes(stage, seconds: 4.8)
        movie.start(at: stage.begin)
        let result = await movie.finish()
        let clicks = SoundProbe.clicks(try SoundProbe.heard(stage.path(name)))
        #expect(clicks.map { $0.rounded() } == [0, 1, 3, 4])
        for click in clicks { #expect(abs(click - click.rounded() - 0.001) < 0.0012, "\(click)") }
        let silence = try #require(result.sound?.silence)
        #expect(abs(silence.seconds - 1.1) < 0.03, "\(silence)")
        #expect(try SoundProbe(stage.path(name)).tracks == 2)
    }

    @Test func aMovieOfThePastHasItsSound() async throws {
        let stage = try makeStage()
        let history = SoundHistory(channels: 1, seconds: 8)
        capture(history, stage, from: -0.5, to: 6)
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path("a.mkv"), sound: history)
        try publishFlashes(stage, seconds: 4.8)
        movie.start(at: stage.begin + .milliseconds(1500))
        _ = await movie.finish()
        let clicks = SoundProbe.clicks(try SoundProbe.heard(stage.path("a.mkv")))
        #expect(clicks.count == 3)
        for (click, truth) in zip(clicks, [0.5, 1.5, 2.5]) { #expect(abs(click - truth - 0.001) < 0.0012) }
    }

    @Test func soundGoesOnWhileNoPictureComes() async throws {
        let stage = try makeStage()
        let history = SoundHistory(channels: 1, seconds: 8)
        capture(history, stage, from: -0.5, to: 6)
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path("a.mp4"), sound: history)
        movie.start()
        let frame = [UInt8](repeating: 30, count: stage.source.format.byteCount)
        try stage.publish(frame, at: .zero)
        // The camera is away for four seconds.
        try stage.publish(frame, at: .seconds(4))
        let result = await movie.finish()
        #expect(result.summary.frames == 2)
        let clicks = SoundProbe.clicks(try SoundProbe.heard(stage.path("a.mp4")))
        #expect(clicks.map { $0.rounded() } == [0, 1, 2, 3, 4])
    }

    /// The state of the file after each piece is what a killed process leaves.
    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func bothTracksPlayWhileItGrows(name: String) async throws {
        let stage = try makeStage()
        let history = SoundHistory(channels: 1, seconds: 8)
        capture(history, stage, from: -0.5, to: 6)
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path(name), sound: history)
        try publishFlashes(stage, seconds: 4.8)
        movie.start(at: stage.begin)
        let path = stage.path("copy-\(name)")
        var (flashes, clicks): ([Double], [Double]) = ([], [])
        try eventually("four seconds of both tracks") {
            guard movie.progress.frames == 144, let copy = try? stage.bytes(name) else { return false }
            try? stage.write(copy, to: "copy-\(name)")
            flashes = (try? self.flashes(path)) ?? []
            clicks = (try? SoundProbe.clicks(SoundProbe.heard(path))) ?? []
            return flashes.count >= 4 && clicks.count >= 4
        }
        _ = await movie.finish()
        #expect(clicks.map { $0.rounded() }.prefix(4) == [0, 1, 2, 3])
        for (flash, click) in zip(flashes, clicks) { #expect(abs(click - flash - 0.001) < 0.0012, "\(flash) \(click)") }
    }
}
