// SPDX-License-Identifier: MIT
// H.264 of a camera in movies: every byte as it came, from a picture on that needs no other.

import FrameRing
import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite struct H264MovieTests {
    private let clip: H264Clip
    private let stage: MovieStage

    init() throws {
        clip = try H264Clip()
        stage = try MovieStage(.h264)
    }

    private func open(_ name: String, _ settings: MovieSettings = MovieSettings()) async throws -> MovieFileOutput {
        try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name), settings)
    }

    /// The time of a frame.
    private func time(_ number: Int) -> Duration { .nanoseconds(33_333_333 * Int64(number)) }

    private func publish(_ numbers: some Sequence<Int>, lost: UInt32 = 0) throws {
        for number in numbers { try stage.publish(clip.frames[number], at: time(number), lost: lost) }
    }

    /// What a movie has of these frames, as its file holds them.
    private func contained(_ numbers: some Sequence<Int>) -> [UInt8] {
        numbers.flatMap { H264Clip.contained(clip.frames[$0]) }
    }

    @Test(arguments: ["a.mkv", "a.mp4"]) func everyByteStaysAsItCame(name: String) async throws {
        let movie = try await open(name)
        movie.start()
        try publish(0..<60)
        let result = await movie.finish()
        #expect(movie.format.codec == .h264 && result.failure == nil)
        #expect(result.summary.frames == 60 && result.waitedForKey == 0)
        #expect(try MovieProbe.payload(stage.path(name)) == contained(0..<60))
        let probe = try MovieProbe(stage.path(name))
        #expect(probe.codec == "h264" && probe.width == 64 && probe.height == 48)
        for (number, found) in probe.times.enumerated() {
            #expect(abs(found - Int(time(number).nanoseconds / 1000)) <= (name == "a.mp4" ? 12 : 510))
        }
        #expect(try MovieProbe.decoded(stage.path(name)) == 60)
        #expect(try MovieInspection(stage.path(name)).tracks[0].keys == 4)
    }

    @Test(arguments: [(40, 30), (45, 45), (59, 45)])
    func itBeginsWithTheIndependentPictureBefore(asked: Int, begun: Int) async throws {
        let movie = try await open("a.mp4")
        try publish(0..<60)
        movie.start(at: stage.begin + time(asked))
        let result = await movie.finish()
        #expect(result.summary.first == stage.begin + time(begun) && result.waitedForKey == 0)
        #expect(try MovieProbe.payload(stage.path("a.mp4")) == contained(begun..<60))
        #expect(try MovieProbe.decoded(stage.path("a.mp4")) == 60 - begun)
    }

    @Test func withoutOneBeforeItBeginsWithTheNext() async throws {
        let movie = try await open("a.mkv")
        try publish(5..<60)
        movie.start(at: stage.begin + time(10))
        let result = await movie.finish()
        #expect(result.summary.first == stage.begin + time(15) && result.waitedForKey == 5)
        #expect(try MovieProbe.payload(stage.path("a.mkv")) == contained(15..<60))
    }

    @Test func afterALostFrameItGoesOnWithTheNextOne() async throws {
        let movie = try await open("a.mkv")
        movie.start()
        try publish(0..<20)
        try publish(21...21, lost: 1)
        try publish(22..<60)
        let result = await movie.finish()
        #expect(result.waitedForKey == 9 && result.summary.frames == 50 && result.summary.lost == 1)
        #expect(try MovieProbe.payload(stage.path("a.mkv")) == contained(0..<20) + contained(30..<60))
        #expect(try MovieProbe.decoded(stage.path("a.mkv")) == 50)
    }

    @Test func aDamagedFrameIsALostOne() async throws {
        let movie = try await open("a.mkv")
        movie.start()
        try publish(0..<20)
        try stage.publish(clip.frames[20], at: time(20), damage: .driverFlag)
        try publish(21..<40)
        let result = await movie.finish()
        #expect(result.waitedForKey == 9 && result.summary.damaged == 1)
        #expect(try MovieProbe.payload(stage.path("a.mkv")) == contained(0..<20) + contained(30..<40))
    }

    @Test func aFrameThatIsNoneIsALostOne() async throws {
        let movie = try await open("a.mkv")
        movie.start()
        try publish(0..<20)
        try stage.publish([UInt8](repeating: 9, count: 500), at: time(20))
        try publish(21..<40)
        let result = await movie.finish()
        #expect(result.waitedForKey == 9 && result.summary.damaged == 1 && result.summary.frames == 30)
    }

    @Test func anotherEpochBeginsAnew() async throws {
        let movie = try await open("a.mkv")
        movie.start()
        try publish(0..<20)
        stage.interrupt()
        try publish(25..<40)
        let result = await movie.finish()
        #expect(result.waitedForKey == 5 && result.summary.frames == 30)
    }

    @Test func afterAPauseItGoesOnWithTheNextOne() async throws {
        let movie = try await open("a.mp4")
        movie.start()
        try publish(0..<10)
        movie.pause()
        try publish(10..<20)
        movie.resume()
        try publish(20..<60)
        let result = await movie.finish()
        #expect(result.waitedForKey == 10 && result.pauses.count == 1)
        #expect(try MovieProbe.payload(stage.path("a.mp4")) == contained(0..<10) + contained(30..<60))
        #expect(try MovieProbe.decoded(stage.path("a.mp4")) == 40)
    }

    @Test(arguments: [MovieSplit.duration(.milliseconds(600)), .bytes(20_000)])
    func aPartBeginsWithAnIndependentPicture(split: MovieSplit) async throws {
        var settings = MovieSettings()
        settings.split = split
        let movie = try await open("a.mkv", settings)
        movie.start()
        try publish(0..<60)
        let result = await movie.finish()
        #expect(result.parts.count > 1 && result.parts.allSatisfy { $0.pictures % H264Clip.interval == 0 })
        var found: [UInt8] = []
        for part in result.parts {
            found += try MovieProbe.payload(part.path)
            #expect(try MovieProbe.decoded(part.path) == part.pictures)
        }
        #expect(found == contained(0..<60))
    }

    @Test func whatCameOnlyWithTheFirstFrameIsKept() async throws {
        let bare = clip.frames.map { frame in
            var bytes: [UInt8] = []
            for unit in H264Clip.units(of: frame) where ![7, 8].contains(unit[0] & 0x1F) {
                bytes += [0, 0, 0, 1] + unit
            }
            return bytes
        }
        let movie = try await open("a.mkv")
        try stage.publish(clip.frames[0], at: .zero)
        for number in 1..<60 { try stage.publish(bare[number], at: time(number)) }
        movie.start(at: stage.begin + time(20))
        let result = await movie.finish()
        #expect(result.summary.frames == 45)
        #expect(try MovieProbe.decoded(stage.path("a.mkv")) == 45)
    }

    @Test func playersTurnIt() async throws {
        var settings = MovieSettings()
        settings.mount = CameraMount(angle: .quarter)
        let movie = try await open("a.mp4", settings)
        movie.start()
        try publish(0..<15)
        _ = await movie.finish()
        #expect(try MovieProbe.payload(stage.path("a.mp4")) == contained(0..<15))
        #expect(try MovieInspection(stage.path("a.mp4")).tracks[0].mount == CameraMount(angle: .quarter))
    }

    @Test(arguments: ["a.webm", "a.mkv"]) func itIsNotEncoded(name: String) async throws {
        await #expect(throws: MovieError.unsuitable("H264")) {
            try await open(name, MovieSettings(codec: .vp9))
        }
        #expect(MovieError.unsuitable("H264").hint.contains("MJPG"))
    }

    @Test(arguments: [0, 1, 2, 3]) func whatNeedsPixelsIsRefused(change: Int) async throws {
        var settings = MovieSettings()
        switch change {
        case 0: settings.timelapse = .seconds(1)
        case 1: settings.stabilization = .standard
        case 2: settings.canvas = MovieCanvas(size: FrameSize(width: 32, height: 32))
        default: settings.canvas = MovieCanvas(rate: FrameRate(10))
        }
        let error = await #expect(throws: MovieError.self) { try await open("a.mkv", settings) }
        #expect(error?.code == "bad-settings" && error?.hint.contains("MJPG") == true)
        #expect(stage.names == [])
    }
}
