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
}
