// SPDX-License-Identifier: MIT
// What a pause leaves out: the same time of pictures and sound, and nothing else.

import FrameRing
import LivecapFrames
import LivecapSound
import Testing

@testable import LivecapMovies

@Suite struct MoviePauseTests {
    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func pausedTimeIsCutOut(name: String) async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name))
        movie.start()
        try stage.publish(at: [0, 33, 67, 100])
        movie.pause()
        try stage.publish(at: [133, 167, 1000, 2000])
        movie.resume()
        try stage.publish(at: [2500, 2533, 2567])
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == 7 && result.summary.dropped == 0)
        #expect(result.pauses.count == 1)
        // The fourth picture is seen for an interval.
        #expect((result.pauses.duration - .milliseconds(2367)).magnitude < .milliseconds(1))
        #expect(result.summary.continuity.holes == 0)
        let times = try MovieProbe(stage.path(name)).times
        #expect(times.count == 7)
        for (found, time) in zip(times, [0, 33_000, 67_000, 100_000, 133_333, 166_333, 200_333]) {
            #expect(abs(found - time) <= (name == "a.mp4" ? 24 : 510), "\(times)")
        }
        #expect(try MovieProbe.decoded(stage.path(name)) == 7)
        // The last picture is seen for an interval, too.
        #expect((result.length - .nanoseconds(233_666_666)).magnitude < .milliseconds(1))
    }

    @Test func theClockIsTheMoviesOwn() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        #expect(movie.length == .zero)
        // Begun in the past, as with history before the tap.
        try stage.publish(at: [0, 33, 67, 1000])
        movie.start(at: stage.begin)
        movie.pause()
        try stage.publish(at: [1033, 5000])
        movie.resume()
        try stage.publish(at: [9000, 9033])
        let result = await movie.finish()
        #expect(movie.length == result.length)
        #expect((result.length - .milliseconds(1100)).magnitude < .milliseconds(1))
    }

    @Test func pausesAreCountedOnceAndEndsAreHarmless() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        movie.resume()
        movie.pause()
        movie.start()
        try stage.publish(at: [0, 33])
        movie.pause()
        movie.resume()
        movie.resume()
        try stage.publish(at: [1000, 1033])
        movie.pause()
        #expect(movie.isPaused)
        movie.pause()
        try stage.publish(at: [1067, 1100])
        movie.resume()
        #expect(!movie.isPaused)
        movie.pause()
        movie.resume()
        try stage.publish(at: [2000])
        movie.pause()
        try stage.publish(at: [3000, 4000])
        let result = await movie.finish()
        #expect(result.summary.first == MovieStage.begin + .milliseconds(1000))
        #expect(result.summary.frames == 3 && result.pauses.count == 1 && result.failure == nil)
        #expect(try MovieProbe(stage.path("a.mkv")).times.count == 3)
    }

    @Test func aMovieThatIsOnlyPausedIsNone() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        movie.pause()
        movie.start()
        try stage.publish(at: [0, 33])
        #expect(await movie.finish().summary.frames == 0 && stage.names == [])
    }

    /// The duration is that of the movie.
    @Test func pausesDoNotCountAsDuration() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(
            stage.source, ring: stage.ring, to: stage.path("a.mkv"), MovieSettings(duration: .milliseconds(500)))
        movie.start()
        try stage.publish(at: [0, 100])
        movie.pause()
        try stage.publish(at: [200, 1000, 1500])
        movie.resume()
        try stage.publish(at: [2000, 2200, 2366, 2367, 2400])
        // 2000 ms is seen at 133 ms, and so 2367 ms at 500 ms.
        #expect(await movie.finish().summary.frames == 5)
    }

    /// Flashes and clicks of whole seconds: those of the pause are gone from both tracks.
    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func pausedSoundIsCutAtTheSameInstant(name: String) async throws {
        let stage = try MovieStage(.grey, seconds: 12, clock: .monotonic)
        let history = SoundHistory(channels: 1, seconds: 14)
        Clicks.capture(history, from: -0.5, to: 9.5, since: stage.begin)
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path(name), sound: history)
        try Clicks.publishFlashes(stage, 0..<75)
        movie.pause()
        try Clicks.publishFlashes(stage, 75..<187)
        movie.resume()
        try Clicks.publishFlashes(stage, 187..<255)
        movie.start(at: stage.begin)
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == 143 && result.pauses.count == 1)
        let flashes = try Clicks.flashes(stage.path(name))
        let clicks = SoundProbe.clicks(try SoundProbe.heard(stage.path(name)))
        // 0, 1, 2, then 7 and 8 of the source's seconds.
        #expect(flashes.count == 5 && clicks.count == 5, "\(flashes) \(clicks)")
        for (flash, click) in zip(flashes, clicks) { #expect(abs(click - flash - 0.001) < 0.0012, "\(flash) \(click)") }
        // Cut to the sample: frame 187 is seen 75 frames after the first.
        let shift = (187.0 - 75) / 30
        for (click, second) in zip(clicks, [0, 1, 2, 7 - shift, 8 - shift]) {
            #expect(abs(click - second - 0.001) < 0.00025, "\(click) \(second)")
        }
        let probe = try SoundProbe(stage.path(name))
        for (a, b) in zip(probe.packets, probe.packets.dropFirst()) {
            #expect(b.time > a.time && b.time - a.time < 0.045)
        }
        #expect(abs((result.sound?.duration.seconds ?? 0) - 143.0 / 30) < 0.001)
    }

    @Test func aPauseOnACanvasShowsNothingAgain() async throws {
        let stage = try MovieStage(.grey)
        let movie = try await MovieFileOutput.open(
            stage.source, ring: stage.ring, to: stage.path("a.mp4"), MovieSettings(canvas: MovieCanvas()))
        movie.start()
        try stage.publish(at: [0, 33, 67])
        movie.pause()
        try stage.publish(at: [100, 133, 1500])
        movie.resume()
        // One is missing behind the first.
        try stage.publish(at: [2000, 2100, 2133])
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == 6 && result.repeated.pictures == 1)
        let times = try MovieProbe(stage.path("a.mp4")).times
        #expect(times.count == 7 && zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 67_000 }, "\(times)")
    }

    @Test func placesBetweenPausesAreKept() {
        var pauses = MoviePauses()
        func place(_ counter: UInt64, _ stream: Int = 0) -> MoviePlace { MoviePlace(stream: stream, counter: counter) }
        let isAtOnce = pauses.contains(place(0))
        #expect(!isAtOnce)
        pauses.begin(at: place(3))
        pauses.begin(at: place(4))
        #expect(pauses.isOpen)
        pauses.end(at: place(5))
        pauses.end(at: place(7))
        // Nothing was published meanwhile.
        pauses.begin(at: place(8))
        pauses.end(at: place(8))
        pauses.begin(at: place(9))
        pauses.end(at: place(2, 1))
        let first = (0..<12).filter { pauses.contains(place($0)) }
        let second = (0..<3).filter { pauses.contains(place($0, 1)) }
        #expect(first == [3, 4, 9, 10, 11] && second == [0, 1])
    }
}
