// SPDX-License-Identifier: MIT
// Movies through pipes: complete, playable, and never written over.

import Foundation
import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct MovieStreamTests {
    /// A movie of these times through a pipe, which has room for all of it, and what came out at its other end.
    private func film(
        _ stage: MovieStage, at times: [Int64], _ kind: MovieContainer?, mark: String? = nil
    ) async throws -> (result: MovieResult, format: MovieFormat, bytes: [UInt8]) {
        let pipe = Pipe()
        let path = "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)"
        let made = try await film(stage, at: times, to: path, kind, mark: mark)
        try pipe.fileHandleForWriting.close()
        return (made.result, made.format, [UInt8](pipe.fileHandleForReading.readDataToEndOfFile()))
    }

    /// The movie is gone when this returns, and so is its copy of the pipe's end.
    private func film(
        _ stage: MovieStage, at times: [Int64], to path: String, _ kind: MovieContainer?, mark: String?
    ) async throws -> (result: MovieResult, format: MovieFormat) {
        var settings = MovieSettings()
        settings.container = kind
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: path, settings)
        movie.start(at: stage.begin)
        try stage.publish(at: times)
        if let mark { try movie.mark(mark) }
        return (await movie.finish(), movie.format)
    }

    @Test(arguments: [MovieContainer.mkv, .mp4, .webm])
    func aMovieGoesThroughAPipe(_ kind: MovieContainer) async throws {
        let stage = try MovieStage()
        // The third picture begins another piece.
        let times: [Int64] = [0, 33, 900, 933, 1800]
        let made = try await film(stage, at: times, kind)
        #expect(made.result.failure == nil && made.result.summary.frames == 5 && made.format.container == kind)
        #expect(made.bytes.count == made.result.byteCount)
        try stage.write(made.bytes, to: "a.\(kind)")
        let probe = try MovieProbe(stage.path("a.\(kind)"))
        #expect(probe.times.map { ($0 + 500) / 1000 } == times.map { Int($0) })
        #expect(try MovieProbe.decoded(stage.path("a.\(kind)")) == 5)
    }

    /// In a file there is room for chapters, which are written as they come.
    @Test func aStreamHasNoChapters() async throws {
        let made = try await film(MovieStage(), at: [0, 33], nil, mark: "here")
        #expect(made.format.container == .mkv && made.format.codec == .mjpeg)
        #expect(made.result.failure == nil && made.result.chapters.isEmpty)
        #expect(!String(decoding: made.bytes, as: UTF8.self).contains("----"), "no room is left for them")
    }

    @Test func aReaderThatLeavesEndsTheMovie() async throws {
        // As every program that writes into pipes does.
        signal(SIGPIPE, SIG_IGN)
        let stage = try MovieStage()
        let pipe = Pipe()
        let movie = try await MovieFileOutput.open(
            stage.source, ring: stage.ring, to: "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)")
        try pipe.fileHandleForReading.close()
        movie.start(at: stage.begin)
        try stage.publish(at: [0, 33, 900, 933])
        let result = await movie.finish()
        guard case .file(.file(.failed(_, _, EPIPE)))? = result.failure else {
            Issue.record("\(String(describing: result.failure))")
            return
        }
    }

    @Test func aStreamIsNotSplit() async throws {
        let stage = try MovieStage()
        let pipe = Pipe()
        var settings = MovieSettings()
        settings.split = .duration(.seconds(1))
        await #expect(throws: MovieError.self) {
            try await MovieFileOutput.open(
                stage.source, ring: stage.ring, to: "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)", settings)
        }
    }
}
