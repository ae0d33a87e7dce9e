// SPDX-License-Identifier: MIT
// Files of movies: their names, their growth, and what is refused before there is one.

import Foundation
import FrameRing
import LivecapFrames
import LivecapMovies
import LivecapPatience
import Testing

@Suite struct MovieFileTests {
    @Test func thereIsNoFileBeforeThereIsAPicture() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        movie.start()
        let result = await movie.finish()
        #expect(result.summary.frames == 0 && result.failure == nil && stage.names == [])
    }

    @Test func aMovieThatIsNeverStartedLeavesNothing() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        try stage.publish(at: [0])
        #expect(await movie.finish().summary.frames == 0 && stage.names == [])
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"])
    func allButTheLastMomentsCanBePlayedWhileItGrows(name: String) async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name))
        movie.start()
        let times = (0..<60).map { Int64($0) * 50 }
        try stage.publish(at: times)
        // The source then delivers nothing: what waits for its successor is written, too.
        try eventually("sixty pictures") { (try? MovieProbe.decoded(stage.path(name))) ?? 0 >= 60 }
        let copy = try stage.bytes(name)
        _ = await movie.finish()
        try stage.write(copy, to: "copy-\(name)")
        #expect(try MovieProbe(stage.path("copy-\(name)")).times.count == 60)
        #expect(try MovieProbe(stage.path(name)).times.count == 60)
    }

    @Test(arguments: ["a.mkv", "a.mp4"]) func anExistingFileIsNotReplaced(name: String) async throws {
        let stage = try MovieStage()
        try stage.write([1, 2, 3], to: name)
        await #expect { try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name)) } throws: {
            ($0 as? MovieError)?.message == "\(stage.path(name)) already exists"
        }
        #expect(try stage.bytes(name) == [1, 2, 3])
    }

    @Test func itIsReplacedOnRequestOnceThereIsAPicture() async throws {
        let stage = try MovieStage()
        try stage.write([1, 2, 3], to: "a.mkv")
        let settings = MovieSettings(overwrite: true)
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings)
        #expect(try stage.bytes("a.mkv") == [1, 2, 3])
        movie.start()
        try stage.publish(at: [0, 33])
        #expect(await movie.finish().failure == nil)
        #expect(stage.names == ["a.mkv"])
        #expect(try MovieProbe(stage.path("a.mkv")).times.count == 2)
    }

    @Test(arguments: ["ü %d 'quote\" \\ & ;.mkv", "-a.mkv", "a\nb.MP4", ".mkv", "💡.webm"])
    func namesMayHaveEveryCharacter(name: String) async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name))
        movie.start()
        try stage.publish(at: [0, 33, 67])
        #expect(await movie.finish().failure == nil)
        #expect(stage.names == [name])
        #expect(try MovieProbe("file:\(stage.path(name))").times.count == 3)
    }

    @Test(
        arguments: [
            ("a.mp4", .mjpeg, MovieError.unplayable(.mjpeg, .mp4)), ("a.webm", .h264, .unplayable(.h264, .webm)),
            ("a.webm", .mjpeg, .unplayable(.mjpeg, .webm)), ("a.avi", nil, .unknownName("a.avi")),
            ("-", nil, .unknownName("-")),
        ] as [(String, MovieCodec?, MovieError)])
    func pairsThatDoNotPlayAreRefused(name: String, codec: MovieCodec?, error: MovieError) {
        #expect(throws: error) { try MovieFormat(path: name, format: .mjpeg, codec: codec) }
        #expect(throws: error) { try MovieFormat.container(of: name, codec: codec) }
    }

    @Test func theRefusalNamesWhatFits() {
        let error = MovieError.unplayable(.h264, .webm)
        #expect(error.message == "H.264 does not play in .webm files")
        #expect(error.hint == ".webm files take VP9 or AV1; H.264 fits .mkv or .mp4")
    }

    @Test func framesThatAreNoJPEGAreNotPassedThrough() {
        #expect(throws: MovieError.notJPEG("YUYV")) { try MovieFormat(path: "a.mkv", format: .yuyv, codec: .mjpeg) }
    }

    @Test func framesThatCannotBeDecodedAreRefused() {
        #expect(throws: MovieError.unsuitable("HEVC")) { try MovieFormat(path: "a.mp4", format: PixelFormat("HEVC")) }
    }

    @Test func tinyFramesAreRefusedBeforeThereIsAFile() async throws {
        let stage = try MovieStage(size: FrameSize(width: 8, height: 8))
        await #expect(throws: MovieError.tooSmall("8x8")) {
            try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mp4"))
        }
        #expect(stage.names == [])
    }

    @Test(arguments: [
        (MovieError.unknownName("a"), Int32(64)), (.unplayable(.mjpeg, .mp4), 64), (.notJPEG("YUYV"), 64),
        (.unsuitable("H264"), 69), (.tooSmall("8x8"), 69), (.tooSlow(share: 9, processors: 2), 69),
        (.noLibrary(detail: "x"), 69), (.unknownRelease(detail: "x"), 69),
        (.noEncoder(.av1, detail: "x"), 69), (.failed("x", detail: "y"), 70),
        (.notAMovie("a.mp4", detail: "x"), 65),
        (.file(.file(.failed("a.mkv", call: "write", errno: 28))), 74),
    ])
    func eachErrorHasWordsAndAStatus(_ error: MovieError, status: Int32) {
        #expect(error.exitStatus == status)
        for words in [error.message, error.hint, error.code] { #expect(!words.isEmpty && words.last != ".") }
    }
}
