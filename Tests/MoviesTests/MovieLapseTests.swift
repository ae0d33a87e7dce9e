// SPDX-License-Identifier: MIT
// Timelapses: one picture of each interval, the nearest, and no error adds up.

import FrameRing
import LivecapFrames
import LivecapSeededRandom
import LivecapSound
import Testing

@testable import LivecapMovies

@Suite struct MovieLapseTests {
    /// Makes a timelapse of frames at these times, in milliseconds.
    private func lapse(
        _ stage: MovieStage, _ name: String, _ interval: Duration, at times: [Int64], canvas: MovieCanvas? = nil
    ) async throws -> MovieResult {
        var settings = MovieSettings(canvas: canvas)
        settings.timelapse = interval
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name), settings)
        movie.start()
        try stage.publish(at: times)
        return await movie.finish()
    }

    /// Frames of a camera whose clock is wrong, with some jitter.
    private var times: [Int64] {
        var random = SeededRandom(seed: 3)
        return (0..<300).map { Int64(33.4 * Double($0)) + Int64.random(in: 0...($0 == 0 ? 0 : 12), using: &random) }
    }

    @Test func picturesAreTheNearestToTheirTimes() async throws {
        let stage = try MovieStage(seconds: 12)
        let result = try await lapse(stage, "a.mkv", .milliseconds(700), at: times)
        let wanted = (0..<15).map { number -> Int64 in
            let due = 700 * Int64(number)
            return times.min { abs($0 - due) < abs($1 - due) }!
        }
        // The last is due 9.8 s after the first.
        #expect(result.failure == nil && result.summary.frames == 15 && result.summary.dropped == 0)
        let pictures = try wanted.flatMap { try stage.picture(Int($0)) }
        #expect(try MovieProbe.payload(stage.path("a.mkv")) == pictures)
        for (number, time) in try MovieProbe(stage.path("a.mkv")).times.enumerated() {
            #expect(abs(time - number * 33_333) <= 510)
        }
        #expect(result.factor.map { abs($0 - 21) < 0.01 } == true)
        #expect(result.summary.lost == 0 && result.summary.continuity.holes == 0)
        let account = try MovieInspection(stage.path("a.mkv"))
        #expect(account.text("comment")?.hasSuffix("unchanged, a picture every 0.7 s, 21 times as fast") == true)
        #expect(account.provenance?.contains("\"timelapse\":{\"intervalMs\":700") == true)
    }

    @Test(arguments: ["a.mp4", "a.webm"]) func theRateIsTheCanvas(name: String) async throws {
        let stage = try MovieStage(.grey, seconds: 12)
        let result = try await lapse(
            stage, name, .milliseconds(500), at: times, canvas: MovieCanvas(rate: FrameRate(25)))
        #expect(result.summary.frames == 20 && result.repeated.pictures == 0 && result.factor == 12.5)
        for (number, time) in try MovieProbe(stage.path(name)).times.enumerated() {
            #expect(abs(time - number * 40_000) <= 510)
        }
        #expect(try MovieProbe.decoded(stage.path(name)) == 20)
    }

    @Test func whereNoFrameIsNearAPictureIsMissing() async throws {
        let stage = try MovieStage()
        let times: [Int64] = [0, 900, 1100, 4200, 5000]
        let result = try await lapse(stage, "a.mkv", .seconds(1), at: times)
        #expect(result.summary.frames == 4)
        let found = try MovieProbe(stage.path("a.mkv")).times
        #expect(found == [0, 33_000, 133_000, 167_000])
        let pictures = try [0, 900, 4200, 5000].flatMap { try stage.picture($0) }
        #expect(try MovieProbe.payload(stage.path("a.mkv")) == pictures)
    }

    /// Never more than two intervals lie between two pictures.
    @Test func onACanvasTheLastPictureStandsInForIt() async throws {
        let stage = try MovieStage(.grey)
        let result = try await lapse(stage, "a.mp4", .seconds(1), at: [0, 1000, 5000], canvas: MovieCanvas())
        #expect(result.summary.frames == 3 && result.repeated.pictures == 2)
        #expect(try MovieProbe(stage.path("a.mp4")).times.count == 5)
    }

    @Test func afterAPauseTheNextFrameIsTheNextPicture() async throws {
        let stage = try MovieStage()
        var settings = MovieSettings()
        settings.timelapse = .seconds(1)
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings)
        movie.start()
        try stage.publish(at: [0, 500, 1010, 1500, 1900])
        movie.pause()
        try stage.publish(at: [2000, 3000])
        movie.resume()
        try stage.publish(at: [3456, 4000, 4456, 4500])
        let result = await movie.finish()
        let pictures = try [0, 1010, 3456, 4456].flatMap { try stage.picture($0) }
        #expect(try MovieProbe.payload(stage.path("a.mkv")) == pictures)
        #expect(result.pauses.count == 1)
    }

    @Test func aTimelapseHasNoSound() throws {
        let stage = try MovieStage(.grey, clock: .monotonic)
        var settings = MovieSettings()
        settings.timelapse = .seconds(1)
        let sound = SoundHistory(channels: 1, seconds: 1)
        #expect {
            try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings, sound: sound)
        } throws: { ($0 as? MovieError)?.code == "bad-settings" }
        #expect(stage.names == [])
    }

    @Test(arguments: [Duration.zero, .milliseconds(20)]) func morePicturesThanFramesAreRefused(_ interval: Duration)
        async throws
    {
        let stage = try MovieStage()
        var settings = MovieSettings()
        settings.timelapse = interval
        await #expect(throws: MovieError.self) {
            try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings)
        }
    }

    @Test func itIsNotSteadied() async throws {
        let stage = try MovieStage()
        var settings = MovieSettings()
        (settings.timelapse, settings.stabilization) = (.seconds(1), .standard)
        await #expect(throws: MovieError.self) {
            try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings)
        }
    }
}
