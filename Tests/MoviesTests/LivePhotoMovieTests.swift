// SPDX-License-Identifier: MIT
// The movie around a still: which frames are in it.

import FrameRing
import Glibc
import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite struct LivePhotoMovieTests {
    /// A frame every 100 ms.
    private func times(_ range: ClosedRange<Int64>) -> [Int64] { range.map { $0 * 100 } }

    private func frame(_ stage: MovieStage, at time: Int64) throws -> FrameMetadata {
        let metadata = stage.ring.lease(nearest: MovieStage.begin + .milliseconds(time))?.metadata
        return try #require(metadata)
    }

    private func clip(_ stage: MovieStage, around time: Int64, then later: () throws -> Void) async throws
        -> LivePhotoClip
    {
        let movie = try await LivePhotoMovie.open(
            around: frame(stage, at: time), stage.source, ring: stage.ring,
            LivePhotoSettings(before: .milliseconds(500), after: .milliseconds(300)))
        try later()
        return try await movie.clip()
    }

    @Test func itShowsTheTimeBeforeAndAfter() async throws {
        let stage = try MovieStage()
        try stage.publish(at: times(0...10))
        let clip = try await clip(stage, around: 1000) { try stage.publish(at: times(11...15)) }
        #expect(clip.begin == MovieStage.begin + .milliseconds(500) && clip.length == .milliseconds(800))
        #expect(clip.frames == 9)
        try stage.write(clip.bytes, to: "clip.mp4")
        #expect(try MovieProbe.decoded(stage.path("clip.mp4")) == 9)
        #expect(try MovieProbe(stage.path("clip.mp4")).codec == "h264")
    }

    @Test func whatIsNotInTheHistoryIsMissing() async throws {
        let stage = try MovieStage()
        try stage.publish(at: times(8...10))
        let clip = try await clip(stage, around: 1000) { try stage.publish(at: times(11...15)) }
        #expect(clip.begin == MovieStage.begin + .milliseconds(800) && clip.frames == 6)
    }

    @Test func itIsTrimmedWhereTheStreamWasInterrupted() async throws {
        let stage = try MovieStage()
        try stage.publish(at: times(0...7))
        stage.interrupt()
        try stage.publish(at: times(8...10))
        let clip = try await clip(stage, around: 1000) {
            try stage.publish(at: times(11...11))
            stage.interrupt()
            try stage.publish(at: times(12...15))
        }
        #expect(clip.begin == MovieStage.begin + .milliseconds(800) && clip.length == .milliseconds(300))
        #expect(clip.frames == 4)
    }

    @Test func itEndsWithTheStream() async throws {
        let stage = try MovieStage()
        try stage.publish(at: times(0...10))
        let clip = try await clip(stage, around: 1000) {
            try stage.publish(at: times(11...12))
            stage.end()
        }
        #expect(clip.length == .milliseconds(700))
    }

    /// FFmpeg counts turns counterclockwise.
    @Test func itIsTurnedLikeTheStill() async throws {
        let stage = try MovieStage()
        try stage.publish(at: times(0...10))
        var settings = LivePhotoSettings(before: .milliseconds(500), after: .zero)
        settings.orientation = .right
        let movie = try await LivePhotoMovie.open(
            around: frame(stage, at: 1000), stage.source, ring: stage.ring, settings)
        try stage.publish(at: times(11...11))
        try stage.write(try await movie.clip().bytes, to: "clip.mp4")
        let output = try MovieProbe.run([
            "ffprobe", "-v", "error", "-show_entries", "stream_side_data=rotation", "-of", "csv=p=0",
            stage.path("clip.mp4"),
        ])
        #expect(String(decoding: output, as: UTF8.self).contains("-90"))
    }

    /// On a busy machine, it may begin only after its moments have left the history.
    @Test("A movie that comes too late for its moments says so, and nothing of its own file")
    func momentsThatAreGone() async throws {
        let stage = try MovieStage()
        try stage.publish(at: times(8...10))
        var gone = try frame(stage, at: 800)
        gone.time = MovieStage.begin
        let movie = try await LivePhotoMovie.open(
            around: gone, stage.source, ring: stage.ring,
            LivePhotoSettings(before: .milliseconds(500), after: .milliseconds(300)))
        await #expect(throws: MovieError.momentsGone) { _ = try await movie.clip() }
    }

    @Test("Failures of a movie's own file name its folder and no file")
    func failuresOfTheOwnFile() {
        let path = "/tmp/livecap-live-1-2.mp4"
        for lost in [MovieError.file(.noSuchFile(path)), .file(.removed(path))] {
            guard case .temporaryGone = LivePhotoMovie.failure(lost, of: path) else {
                Issue.record("\(lost)")
                continue
            }
        }
        let full = LivePhotoMovie.failure(.file(.failed(path, call: "write", errno: ENOSPC)), of: path)
        #expect(full.message.contains("TMPDIR") && !full.message.contains(path), "\(full.message)")
        let other = MovieError.file(.noSuchFile("/tmp/other.mp4"))
        #expect(LivePhotoMovie.failure(other, of: path) == other)
    }

    @Test func itLeavesNoFileBehind() async throws {
        let stage = try MovieStage()
        try stage.publish(at: times(0...10))
        _ = try await clip(stage, around: 1000) { try stage.publish(at: times(11...15)) }
        #expect(stage.names.isEmpty)
    }
}
