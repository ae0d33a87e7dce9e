// SPDX-License-Identifier: MIT
// Whether a movie lets other cameras take its camera's place.

import Glibc
import LivecapFrames
import LivecapMovies
import LivecapPatience
import LivecapStreams
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct MovieCameraTests {
    /// How often a camera is held.
    private final class Holds: Sendable {
        let count = Atomic<Int>(0)

        final class Hold: Sendable {
            private let holds: Holds
            init(_ holds: Holds) {
                self.holds = holds
                holds.count.add(1, ordering: .relaxed)
            }
            deinit { holds.count.subtract(1, ordering: .relaxed) }
        }
    }

    /// Makes a movie of three frames. Returns whether its camera was held meanwhile, and whether it still is.
    private func film(_ settings: MovieSettings) throws -> (during: Bool, after: Bool) {
        let (stage, sinks, holds) = (try MovieStage(), HostSinks(), Holds())
        let hub = FrameHub(
            stage.ring, stage.source, gate: nil, keepOn: { Holds() }, holdCamera: { Holds.Hold(holds) })
        sinks.begin(hub)
        let view = StreamView(source: stage.source, ring: stage.ring, mount: { .upright }, sinks: sinks)
        let movie = MovieOutput(to: stage.path("a.mkv"), settings)
        try view.add(movie, asked: nil)
        try stage.publish(at: [0, 33, 66])
        try eventually("a frame of the movie") { movie.progress.frames > 0 }
        let during = holds.count.load(ordering: .relaxed) > 0
        let result: MovieResult = movie.finish()
        #expect(result.failure == nil)
        stage.end()
        sinks.end(hub, isLast: true)
        sinks.removeAll()
        return (during, holds.count.load(ordering: .relaxed) > 0)
    }

    @Test func itHoldsItsCameraUntilItIsFinished() throws {
        let held = try film(MovieSettings())
        #expect(held.during)
        #expect(!held.after)
    }

    @Test func itHoldsNoCameraIfItMayChangeThem() throws {
        var settings = MovieSettings()
        settings.changesCameras = true
        #expect(try !film(settings).during)
    }
}
