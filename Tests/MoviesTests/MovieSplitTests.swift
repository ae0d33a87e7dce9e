// SPDX-License-Identifier: MIT
// A movie in parts: every picture and every sample of sound is in one of them, once.

import Foundation
import FrameRing
import LivecapFrames
import LivecapPatience
import LivecapSound
import Testing

@testable import LivecapMovies

@Suite struct MovieSplitTests {
    /// The frames' greys, which tell them apart.
    private func frames(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(20 + 5 * ($0 % 40)) } }

    /// Makes a movie of grey frames, which come every 40 ms and a little more: no sample is then.
    private func movie(
        _ stage: MovieStage, _ name: String, _ split: MovieSplit?, frames: [UInt8], sound: SoundHistory? = nil
    ) async throws -> MovieResult {
        var settings = MovieSettings()
        settings.split = split
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path(name), settings, sound: sound)
        for (number, grey) in frames.enumerated() {
            try stage.publish(
                [UInt8](repeating: grey, count: stage.source.format.byteCount),
                at: .nanoseconds(40_001_111 * Int64(number)))
        }
        movie.start(at: stage.begin)
        return await movie.finish()
    }

    @Test(arguments: ["mkv", "mp4", "webm"]) func everyEncodedPictureIsInOnePart(suffix: String) async throws {
        let stage = try MovieStage(.grey)
        let greys = frames(60)
        let result = try await movie(stage, "a.\(suffix)", .duration(.seconds(1)), frames: greys)
        #expect(result.failure == nil && result.summary.frames == 60)
        let names = (1...3).map { "a-00\($0).\(suffix)" }
        let paths = names.map { stage.path($0) }
        #expect(stage.names == names && result.parts.map(\.path) == paths)
        #expect(result.parts.map(\.pictures) == [25, 25, 10])
        let begins = result.parts.map { ($0.begin.seconds * 100).rounded() }
        #expect(begins == [0, 100, 200])
        var found: [UInt8] = []
        for name in names {
            found += try MovieProbe.brightness(stage.path(name))
            let probe = try MovieProbe(stage.path(name))
            #expect(probe.times.first == 0)
            for (number, time) in probe.times.enumerated() { #expect(abs(time - 40_001 * number) <= 530) }
            let inspection = try MovieInspection(stage.path(name))
            #expect(inspection.tracks[0].keys >= 1 && inspection.chapters.map(\.name) == ["Eye"])
        }
        #expect(found.count == 60)
        for (found, grey) in zip(found, greys) { #expect(abs(Int(found) - Int(grey)) <= 3) }
        let bytes = try names.map { try stage.bytes($0).count }
        #expect(result.byteCount == bytes.reduce(0, +) && result.parts.map(\.byteCount) == bytes)
    }

    @Test func moviesOfOneNameThatBeginAtOnceAreBothKept() async throws {
        let stage = try MovieStage()
        var settings = MovieSettings()
        settings.split = .duration(.seconds(1))
        var movies: [MovieFileOutput] = []
        for _ in 0..<2 {
            movies.append(
                try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings))
        }
        for movie in movies { movie.start() }
        try stage.publish(at: (0..<15).map { Int64(100 * $0) })
        var paths: [String] = []
        for movie in movies {
            let result = await movie.finish()
            #expect(result.failure == nil && result.summary.frames == 15)
            paths += result.parts.map(\.path)
        }
        #expect(Set(paths).count == 4 && stage.names.map { stage.path($0) } == paths.sorted(), "\(paths)")
    }

    @Test func everyPictureThatPassesThroughIsInOnePart() async throws {
        let stage = try MovieStage()
        var settings = MovieSettings()
        settings.split = .duration(.milliseconds(350))
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings)
        movie.start()
        let times = (0..<20).map { Int64(100 * $0) }
        try stage.publish(at: times)
        let result = await movie.finish()
        #expect(result.parts.map(\.pictures) == [4, 4, 4, 4, 4])
        #expect(movie.firstPath == result.parts[0].path && movie.firstPath == stage.path("a-001.mkv"))
        let found = try result.parts.flatMap { try MovieProbe.payload($0.path) }
        let published = try times.flatMap { try stage.picture(Int($0)) }
        #expect(found == published)
    }

    @Test(arguments: ["a.mkv", "a.mp4"]) func noPartIsLargerThanAsked(name: String) async throws {
        let stage = try MovieStage(.yuyv, size: FrameSize(width: 320, height: 240), seconds: 3)
        var settings = MovieSettings()
        settings.split = .bytes(100_000)
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name), settings)
        movie.start()
        var number: UInt64 = 1
        for frame in 0..<60 {
            let bytes = (0..<stage.source.format.byteCount).map { place -> UInt8 in
                number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return place % 2 == 0 ? UInt8(truncatingIfNeeded: number >> 58) + 100 : 128
            }
            try stage.publish(bytes, at: .milliseconds(33 * frame))
        }
        let result = await movie.finish()
        let pictures = result.parts.reduce(0) { $0 + $1.pictures }
        #expect(result.parts.count > 3 && pictures == 60)
        for part in result.parts {
            let count = try Data(contentsOf: URL(filePath: part.path)).count
            #expect(part.byteCount <= 100_000 && part.byteCount == count)
        }
    }

    /// FLAC loses nothing: what is heard in the parts is what is heard in one file.
    @Test func everySampleIsHeardOnce() async throws {
        var heard: [[Float]] = []
        for split in [MovieSplit.duration(.milliseconds(750)), nil] {
            let stage = try MovieStage(.grey, rate: FrameRate(25), seconds: 9, clock: .monotonic)
            let history = SoundHistory(channels: 1, seconds: 12)
            Clicks.capture(history, from: -0.5, to: 8, since: stage.begin)
            let result = try await movie(stage, "a.mkv", split, frames: frames(149), sound: history)
            #expect(result.failure == nil && result.parts.count == (split == nil ? 1 : 8))
            let parts = try result.parts.map { try SoundProbe.heard($0.path) }
            for (part, sound) in zip(result.parts, parts) {
                let (length, wanted) = (Double(sound.count) / 48_000, 0.040001111 * Double(part.pictures))
                #expect(abs(length - wanted) < 0.00002)
            }
            heard.append(parts.flatMap { $0 })
        }
        #expect(heard[0].count == heard[1].count && heard[0].count >= 286_080)
        // A click that is a sample late differs by more than a tenth.
        #expect(zip(heard[0], heard[1]).allSatisfy { abs($0 - $1) < 0.005 })
        #expect(SoundProbe.clicks(heard[0]).count == 6)
    }

    @Test(arguments: ["mp4", "webm"]) func flashesAndClicksStayTogetherInEachPart(suffix: String) async throws {
        let stage = try MovieStage(.grey, seconds: 9, clock: .monotonic)
        let history = SoundHistory(channels: 1, seconds: 12)
        Clicks.capture(history, from: -0.5, to: 8, since: stage.begin)
        var settings = MovieSettings()
        settings.split = .duration(.milliseconds(1600))
        let movie = try MovieFileOutput(
            stage.source, ring: stage.ring, to: stage.path("a.\(suffix)"), settings, sound: history)
        try Clicks.publishFlashes(stage, 0..<180)
        movie.start(at: stage.begin)
        let result = await movie.finish()
        #expect(result.parts.count == 4)
        for part in result.parts {
            let (flashes, clicks) = (
                try Clicks.flashes(part.path), SoundProbe.clicks(try SoundProbe.heard(part.path))
            )
            #expect(flashes.count == clicks.count && !flashes.isEmpty, "\(flashes) \(clicks)")
            for (flash, click) in zip(flashes, clicks) { #expect(abs(click - flash - 0.001) < 0.0015) }
            let probe = try SoundProbe(part.path)
            #expect(abs(probe.end - probe.picturesEnd) < 0.03 && probe.tracks == 2)
        }
    }

    @Test func namesAreThoseThatAreFree() async throws {
        let stage = try MovieStage()
        for name in ["a-002.mkv", "a-1.mkv", "a-x.mkv", "a-009.mp4", "a.mkv", "b-017.mkv"] {
            try stage.write([1, 2, 3], to: name)
        }
        var settings = MovieSettings(overwrite: true)
        settings.split = .duration(.milliseconds(100))
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings)
        movie.start()
        try stage.publish(at: [0, 50, 100])
        let result = await movie.finish()
        let names = result.parts.map(\.path)
        #expect(names == [stage.path("a-003.mkv"), stage.path("a-004.mkv")])
        for name in ["a-002.mkv", "a.mkv"] { #expect(try stage.bytes(name) == [1, 2, 3]) }
    }

    /// Frames that come late, then none for a while: the pictures shown again are late, too, and no sound overtakes
    /// them.
    @Test func noSoundIsLostWhereACameraIsAway() async throws {
        let stage = try MovieStage(.grey, seconds: 20, clock: .monotonic)
        let capture = try SoundCapture(.automatic, in: SyntheticMicrophones(), past: .seconds(10))
        defer { capture.stop() }
        var settings = MovieSettings(canvas: MovieCanvas())
        settings.split = .duration(.milliseconds(400))
        let movie = try MovieFileOutput(
            stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings, sound: capture.history)
        movie.start()
        let picture = [UInt8](repeating: 90, count: stage.source.format.byteCount)
        var published = 0
        for count in [20, 15] {
            let first = Timestamp.now
            for number in 0..<count {
                let time = first + .milliseconds(33) * number
                // On the clock that the sound has, too.
                while Timestamp.now < time + .milliseconds(180) { usleep(1000) }
                try stage.publish(picture, at: time - stage.begin)
            }
            published += count
            try eventually("the frames") { movie.progress.frames + movie.progress.dropped == published }
            let parts = stage.names.count
            try eventually("parts of pictures shown again") { stage.names.count >= parts + 3 }
        }
        let result = await movie.finish()
        #expect(result.failure == nil && result.parts.count > 4)
        for part in result.parts {
            let probe = try SoundProbe(part.path)
            #expect(abs(probe.end - probe.picturesEnd) < 0.03 && probe.tracks == 2)
        }
    }

    @Test func partsThatHoldNextToNothingAreRefused() async throws {
        let stage = try MovieStage()
        for split in [MovieSplit.duration(.zero), .bytes(0), .bytes(1000)] {
            var settings = MovieSettings()
            settings.split = split
            await #expect(throws: MovieError.self) {
                try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings)
            }
        }
        #expect(stage.names.isEmpty)
    }

    @Test func picturesOnACanvasAreSplitToo() throws {
        let stage = try CanvasStage()
        var settings = MovieSettings(canvas: MovieCanvas())
        settings.split = .duration(.milliseconds(400))
        let result = try stage.movie("a.mp4", of: [StageCamera(span: 0..<1), StageCamera(span: 2..<3)], settings)
        #expect(result.failure == nil && result.parts.count == 8)
        let pictures = result.parts.reduce(0) { $0 + $1.pictures }
        #expect(pictures == result.summary.frames + result.repeated.pictures)
        for part in result.parts {
            #expect(try MovieProbe(part.path).times.count == part.pictures)
            #expect(try MovieProbe.decoded(part.path) == part.pictures)
        }
    }
}
