// SPDX-License-Identifier: MIT
// Steadied pictures come later than their frames: parts and pauses have every one of them all the same.

import FrameRing
import LivecapFrames
import LivecapSound
import LivecapStabilization
import Testing

@testable import LivecapMovies

@Suite struct SteadyPartsTests {
    @Test(arguments: ["mkv", "mp4"], [StabilizationMode.standard, .cinematic])
    func everyPictureIsInOnePart(suffix: String, mode: StabilizationMode) async throws {
        let stage = try MovieStage(.grey, size: FrameSize(width: 160, height: 128), seconds: 9, clock: .monotonic)
        let history = SoundHistory(channels: 1, seconds: 12)
        Clicks.capture(history, from: -0.5, to: 8, since: stage.begin)
        var settings = MovieSettings()
        (settings.split, settings.stabilization) = (.duration(.milliseconds(1600)), mode)
        let movie = try MovieFileOutput(
            stage.source, ring: stage.ring, to: stage.path("a.\(suffix)"), settings, sound: history)
        try Clicks.publishFlashes(stage, 0..<100)
        movie.pause()
        try Clicks.publishFlashes(stage, 100..<115)
        movie.resume()
        try Clicks.publishFlashes(stage, 115..<200)
        movie.start(at: stage.begin)
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == 185 && result.pauses.count == 1)
        let pictures = result.parts.map(\.pictures)
        #expect(pictures == [48, 48, 48, 41])
        for part in result.parts {
            let (flashes, clicks) = (
                try Clicks.flashes(part.path), SoundProbe.clicks(try SoundProbe.heard(part.path))
            )
            #expect(flashes.count == clicks.count && !flashes.isEmpty, "\(flashes) \(clicks)")
            for (flash, click) in zip(flashes, clicks) { #expect(abs(click - flash - 0.001) < 0.0015) }
            #expect(try MovieProbe.decoded(part.path) == part.pictures)
        }
    }
}
