// SPDX-License-Identifier: MIT
// What is in a movie: which frames, at which times, with which bytes.

import FrameRing
import Glibc
import LivecapFrames
import LivecapMovies
import Testing

@Suite struct MovieFileOutputTests {
    /// Uneven, with a gap: as a camera's are.
    private static let times: [Int64] = [0, 33, 67, 100, 140, 900, 933, 2000, 2040, 2041]

    /// The times in the file, in microseconds, if they are as exact as its unit allows.
    private func expect(_ found: [Int], _ times: [Int64], within unit: Int) {
        #expect(found.count == times.count)
        for (found, time) in zip(found, times) { #expect(abs(found - Int(time) * 1000) <= unit, "\(found) \(time)") }
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"])
    func eachFrameHasItsOwnTime(name: String) async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name))
        movie.start()
        try stage.publish(at: Self.times)
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == Self.times.count && result.summary.dropped == 0)
        let probe = try MovieProbe(stage.path(name))
        expect(probe.times, Self.times, within: name == "a.mp4" ? 12 : 500)
        #expect(try MovieProbe.decoded(stage.path(name)) == Self.times.count)
        #expect(result.byteCount == (try stage.bytes(name).count))
    }

    @Test func aCamerasPicturesKeepTheirBytes() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        movie.start()
        try stage.publish(at: Self.times)
        _ = await movie.finish()
        #expect(movie.format.codec == .mjpeg)
        #expect(try MovieProbe(stage.path("a.mkv")).codec == "mjpeg")
        let pictures = try Self.times.flatMap { try stage.picture(Int($0)) }
        #expect(try MovieProbe.payload(stage.path("a.mkv")) == pictures)
    }

    @Test("A movie that is removed or replaced while it is made is not said to be there", arguments: [false, true])
    func removed(byAnother: Bool) async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        movie.start()
        try stage.publish(at: Self.times)
        while stage.names != ["a.mkv"] { usleep(1000) }
        unlink(stage.path("a.mkv"))
        if byAnother { try stage.write([1, 2, 3], to: "a.mkv") }
        let result = await movie.finish()
        #expect(result.failure == .file(.removed(stage.path("a.mkv"))))
        #expect(result.summary.frames == 0 && result.parts.isEmpty && result.byteCount == 0)
        if byAnother { #expect(try stage.bytes("a.mkv") == [1, 2, 3]) }
    }

    @Test func aMovieWhoseFolderWasRemovedIsNotSaidToBeThere() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        #expect(rmdir(stage.path("")) == 0)
        movie.start()
        try stage.publish(at: Self.times)
        let result = await movie.finish()
        #expect(result.failure == .file(.failed(stage.path("a.mkv"), call: "linkat", errno: ENOENT)))
        #expect(result.summary.frames == 0 && result.parts.isEmpty && result.byteCount == 0)
    }

    @Test func aMovieBeginsWithTheFramesOfThePast() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        try stage.publish(at: [0, 500, 1000, 1500])
        movie.start(at: MovieStage.begin + .milliseconds(800))
        try stage.publish(at: [2000])
        let result = await movie.finish()
        #expect(result.summary.first == MovieStage.begin + .milliseconds(1000) && result.summary.dropped == 0)
        expect(try MovieProbe(stage.path("a.mkv")).times, [0, 500, 1000], within: 500)
    }

    @Test func aMovieThatBeginsNowHasNoneOfThem() async throws {
        let stage = try MovieStage()
        try stage.publish(at: [0, 500])
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        movie.start()
        try stage.publish(at: [1000, 1500])
        #expect(await movie.finish().summary.first == MovieStage.begin + .milliseconds(1000))
    }

    @Test func whatLeftTheHistoryBeforeIsNotMissing() async throws {
        let stage = try MovieStage(seconds: 1)
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        try stage.publish(at: (0..<300).map { $0 * 10 })
        movie.start(at: MovieStage.begin)
        let result = await movie.finish()
        #expect(result.summary.frames > 0 && result.summary.dropped == 0 && result.summary.gaps == 0)
    }

    /// Frames are published many times faster than they can be encoded.
    @Test func framesThatLeaveTheHistoryAreCounted() async throws {
        let stage = try MovieStage(.grey, size: FrameSize(width: 640, height: 480), seconds: 1)
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mp4"))
        movie.start()
        stage.publishGrey(at: 0)
        while movie.progress.frames == 0 { usleep(1000) }
        for number in 1..<300 { stage.publishGrey(at: Int64(number) * 33) }
        let result = await movie.finish()
        let summary = result.summary
        #expect(result.failure == nil && summary.dropped > 0)
        #expect(summary.frames + summary.dropped == 300 && summary.lost == summary.dropped)
        // The newest is there, at its own time.
        let times = try MovieProbe(stage.path("a.mp4")).times
        #expect(times.count == summary.frames && abs(times.last! - 299 * 33_000) <= 12)
    }

    @Test func durationEndsItBeforeTheFrameThatIsLater() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(
            stage.source, ring: stage.ring, to: stage.path("a.mkv"),
            MovieSettings(duration: .milliseconds(1000)))
        movie.start()
        try stage.publish(at: [0, 500, 999, 1000, 1500])
        #expect(await movie.finish().summary.frames == 3)
    }

    @Test func damagedFramesAreLeftOut() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        movie.start()
        try stage.publish(at: [0])
        try stage.publish([1, 2, 3], at: .milliseconds(33), damage: .jpegNoEnd)
        try stage.publish(at: [67])
        let result = await movie.finish()
        #expect(result.summary.frames == 2 && result.summary.damaged == 1)
        expect(try MovieProbe(stage.path("a.mkv")).times, [0, 67], within: 500)
    }

    @Test func picturesThatCannotBeDecodedAreLeftOutWhereTheyAreEncoded() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mp4"))
        movie.start()
        try stage.publish([0xFF, 0xD8, 0xFF, 0xD9], at: .zero)
        try stage.publish(at: [33, 67])
        let result = await movie.finish()
        #expect(result.summary.frames == 2 && result.summary.damaged == 1)
        expect(try MovieProbe(stage.path("a.mp4")).times, [0, 34], within: 12)
    }

    @Test func picturesWithoutHuffmanTablesGetThem() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        movie.start()
        let picture = try stage.picture(0)
        try stage.publish(picture, at: .zero, flags: .standardHuffmanTables)
        _ = await movie.finish()
        #expect(try MovieProbe.payload(stage.path("a.mkv")).count > picture.count)
    }

    /// A camera that is replaced by another may be on another clock.
    @Test func equalTimesBecomeATickApart() async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mp4"))
        movie.start()
        try stage.publish(at: [0, 33, 33, 33, 67])
        #expect(await movie.finish().summary.frames == 5)
        let times = try MovieProbe(stage.path("a.mp4")).times
        #expect(times.count == 5 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(
        arguments: [
            (PixelFormat.yuyv, "a.mp4", nil, "h264"), (.nv12, "a.mkv", nil, "h264"), (.grey, "a.webm", nil, "vp9"),
            (.rgb24, "a.mkv", .vp9, "vp9"), (.yuyv, "a.mp4", .vp9, "vp9"), (.yuyv, "a.webm", .av1, "av1"),
        ] as [(PixelFormat, String, MovieCodec?, String)])
    func rawFramesAreEncoded(format: PixelFormat, name: String, codec: MovieCodec?, found: String) async throws {
        let stage = try MovieStage(format)
        let movie = try await MovieFileOutput.open(
            stage.source, ring: stage.ring, to: stage.path(name), MovieSettings(codec: codec))
        movie.start()
        try stage.publish(at: [0, 33, 67, 100])
        #expect(await movie.finish().summary.frames == 4)
        let probe = try MovieProbe(stage.path(name))
        #expect(probe.codec == found && probe.times.count == 4)
        #expect(try MovieProbe.decoded(stage.path(name)) == 4)
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func rangesAreStatedAndKept(name: String) async throws {
        let stage = try MovieStage(.grey)
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name))
        movie.start()
        for time in 0..<3 {
            try stage.publish(
                [UInt8](repeating: 200, count: stage.source.format.byteCount), at: .milliseconds(33 * time))
        }
        _ = await movie.finish()
        #expect(try MovieProbe(stage.path(name)).range == "pc")
        for brightness in try MovieProbe.brightness(stage.path(name)) { #expect(abs(Int(brightness) - 200) <= 2) }
    }

    @Test func oddSizesLoseTheirLastRowAndColumn() async throws {
        let stage = try MovieStage(size: FrameSize(width: 65, height: 49))
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mp4"))
        movie.start()
        try stage.publish(at: [0, 33])
        _ = await movie.finish()
        let probe = try MovieProbe(stage.path("a.mp4"))
        #expect(probe.width == 64 && probe.height == 48)
    }

    @Test func theFileSaysWhenItBegan() async throws {
        let stage = try MovieStage()
        var source = stage.source
        source.anchor = WallClockAnchor(
            monotonic: MovieStage.begin - .seconds(60),
            calendar: CalendarTime(sinceEpoch: .seconds(1_700_000_000), utcOffset: .seconds(3600)), zoneName: "CET")
        let movie = try await MovieFileOutput.open(source, ring: stage.ring, to: stage.path("a.mkv"))
        movie.start()
        try stage.publish(at: [250, 283])
        _ = await movie.finish()
        let tags = try MovieProbe(stage.path("a.mkv")).tags
        #expect(tags["creation_time"] == "2023-11-14T22:14:20.250000Z")
    }
}
