// SPDX-License-Identifier: MIT
// A movie of a lower rate than its camera's has that many pictures.

import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite struct FrameThinningTests {
    /// The numbers of the frames that are taken.
    private func taken(_ times: [Double], every interval: Double, usual: Double?) -> [Int] {
        var thinning = FrameThinning(.milliseconds(interval))
        return times.indices.filter { index in
            let time = Duration.milliseconds(times[index])
            guard thinning.takes(time, usual: usual.map { .milliseconds($0) }) else { return false }
            thinning.taken(at: time)
            return true
        }
    }

    @Test func theNearestFramesAreTaken() {
        let times = (0..<13).map { Double($0) * 100 / 3 }
        #expect(taken(times, every: 100, usual: 100.0 / 3) == [0, 3, 6, 9, 12])
        // Of two that are equally near, the earlier one.
        #expect(taken((0..<13).map { Double($0) * 20 }, every: 50, usual: 20) == [0, 2, 5, 7, 10, 12])
    }

    @Test func framesThatAreNoFasterAreAllTaken() {
        let times: [Double] = [0, 20, 70, 95, 133, 160]
        #expect(taken(times, every: 100.0 / 3, usual: 100.0 / 3) == Array(times.indices))
        #expect(taken(times, every: 100, usual: nil) == Array(times.indices))
    }

    @Test func afterAGapPicturesDoNotComeFaster() {
        #expect(taken([0, 33, 67, 100, 1000, 1033, 1067, 1100], every: 100, usual: 33.3) == [0, 3, 4, 7])
    }

    @Test(arguments: ["a.mkv", "a.mp4"]) func aCanvasRateLeavesFramesOut(name: String) async throws {
        let stage = try MovieStage(.grey)
        let settings = MovieSettings(canvas: MovieCanvas(rate: FrameRate(10)))
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name), settings)
        for number in 0..<30 { stage.publishGrey(at: Int64(number) * 100 / 3) }
        movie.start(at: stage.begin)
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == 10 && result.summary.dropped == 0)
        #expect(result.repeated.pictures == 0 && result.summary.continuity.holes == 0)
        let times = try MovieProbe(stage.path(name)).times
        for (number, time) in times.enumerated() { #expect(abs(time - 100_000 * number) <= 1000, "\(times)") }
        #expect(times.count == 10)
    }

    /// Whatever the camera's rate, and its jitter: pictures have the times of the canvas.
    @Test(arguments: [24, 25, 30, 50, 60]) func aCanvasRateIsThatOfThePictures(_ rate: Int) async throws {
        let stage = try MovieStage(.grey)
        let settings = MovieSettings(canvas: MovieCanvas(rate: FrameRate(UInt32(rate))))
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mp4"), settings)
        for number in 0..<60 { stage.publishGrey(at: Int64(number) * 1000 / 30 + Int64([0, 4, -5][number % 3])) }
        movie.start(at: stage.begin)
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.dropped == 0 && result.repeated.marked == 0)
        if rate >= 30 { #expect(result.summary.frames == 60, "none is left out") }
        let times = try MovieProbe(stage.path("a.mp4")).times
        #expect(times.count == result.summary.frames + result.repeated.pictures)
        for (number, time) in times.enumerated() { #expect(abs(time - 1_000_000 * number / rate) <= 12, "\(number)") }
        // Two seconds, but for the last frame's place.
        #expect((2 * rate - 2...2 * rate).contains(times.count), "\(times.count)")
    }

    /// Ten frames are missing: their places show the last one before.
    @Test func framesThatAreMissingAreFilledInAtTheRate() async throws {
        let stage = try MovieStage(.grey)
        let settings = MovieSettings(canvas: MovieCanvas(rate: FrameRate(30)))
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mp4"), settings)
        for number in 0..<60 where !(20..<30).contains(number) { stage.publishGrey(at: Int64(number) * 1000 / 30) }
        movie.start(at: stage.begin)
        let result = await movie.finish()
        #expect(result.summary.frames == 50 && result.repeated.pictures == 10 && result.summary.dropped == 0)
        let times = try MovieProbe(stage.path("a.mp4")).times
        for (number, time) in times.enumerated() { #expect(abs(time - 1_000_000 * number / 30) <= 12, "\(number)") }
        #expect(times.count == 60)
    }
}
