// SPDX-License-Identifier: MIT
// The built program takes pictures and films movies by itself: a ball that crosses the picture in 0.3 s.

import Foundation
import LivecapProcesses
import Testing

@Suite(.timeLimit(.long)) struct RunTriggerTests {
    private let files: Scratch

    /// The first frame that shows the ball, and how many do.
    private static let ball = (first: 120, count: 10)

    init() throws {
        files = try Scratch()
        try files.write(Self.recording, to: "ball.y4m")
    }

    /// 7 s of a picture with edges and noise, at 30 fps.
    private static let recording: [UInt8] = {
        let (width, height) = (160, 120)
        var bytes = Array("YUV4MPEG2 W\(width) H\(height) F30:1 Ip A1:1 Cmono\n".utf8)
        let still: [UInt8] = (0..<width * height).map { place in
            let (x, y) = (place % width, place / width)
            return UInt8((x / 24 + y / 20) % 2 == 0 ? 90 : 130) + UInt8((x * 7 + y * 13) % 5)
        }
        for number in 0..<210 {
            bytes += Array("FRAME\n".utf8)
            let begin = bytes.count
            bytes += still
            let way = number - ball.first
            guard way >= 0, way < ball.count else { continue }
            let middle = (x: way * width / (ball.count - 1), y: height / 2)
            for y in middle.y - 12..<middle.y + 12 {
                for x in max(0, middle.x - 12)..<min(width, middle.x + 12) { bytes[begin + y * width + x] = 230 }
            }
        }
        return bytes
    }()

    private func events(_ outcome: Outcome, _ name: String) throws -> [[String: Any]] {
        try outcome.objects.filter { $0["event"] as? String == name }
    }

    private func time(_ frame: Int) -> Int { Int((Double(frame) / 30 * 1e9).rounded()) }

    /// At the fast pace, nothing depends on the machine.
    @Test func aPictureShowsTheBall() throws {
        let outcome = try RunningLivecap([
            "run", "--replay", files.path("ball.y4m"), "--pace", "fast", "--trigger", "motion", "--no-socket",
            "--quality", "single", "--json", "-o", files.path("out") + "/",
        ]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let causes = try events(outcome, "trigger")
        try #require(causes.count == 1, "\(outcome.output)")
        let begun = try #require(causes[0]["timeNs"] as? Int), noticed = try #require(causes[0]["noticedNs"] as? Int)
        #expect(causes[0]["trigger"] as? String == "motion")
        #expect(abs(begun - time(Self.ball.first)) < 40_000_000)
        #expect(noticed < time(Self.ball.first + 3))
        #expect(causes[0]["share"] as? Double ?? 0 > 0.01)
        let pictures = try outcome.objects.filter { $0["event"] == nil }
        try #require(pictures.count == 1, "\(outcome.output)")
        #expect(pictures[0]["trigger"] as? String == "motion")
        #expect(pictures[0]["referenceNs"] as? Int == causes[0]["momentNs"] as? Int)
        #expect(try events(outcome, "quiet").count == 1)
    }

    @Test func aMovieBeginsBeforeTheBall() throws {
        let outcome = try RunningLivecap([
            "movie", "--replay", files.path("ball.y4m"), "-o", files.path("ball.mkv"), "--pre", "1s", "--on-tap",
            "--trigger", "motion", "--trigger-quiet", "500ms", "--json",
        ]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let movie = try outcome.object
        let first = try #require(movie["firstNs"] as? Int), last = try #require(movie["lastNs"] as? Int)
        // A second before, and until it was quiet for half a second.
        #expect(abs(first - (time(Self.ball.first) - 1_000_000_000)) < 80_000_000)
        #expect(last >= time(Self.ball.first + Self.ball.count))
        let cause = try #require(movie["trigger"] as? [String: Any])
        #expect(cause["trigger"] as? String == "motion")
        #expect(outcome.errors.contains("triggered by motion"))
    }

    @Test func aRunFilmsIt() throws {
        let outcome = try RunningLivecap([
            "run", "--replay", files.path("ball.y4m"), "--trigger", "motion", "--trigger-quiet", "500ms",
            "--on-trigger",
            "movie", "--movies", files.path("movies") + "/", "--pre", "1s", "--no-socket", "--json",
            "-o", files.path("out") + "/",
        ]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let movies = try events(outcome, "movie")
        try #require(movies.count == 1, "\(outcome.output)")
        let first = try #require(movies[0]["firstNs"] as? Int), last = try #require(movies[0]["lastNs"] as? Int)
        #expect(first < time(Self.ball.first))
        #expect(last >= time(Self.ball.first + Self.ball.count))
        #expect(try outcome.objects.allSatisfy { $0["event"] != nil }, "no picture was asked for")
    }

    @Test(arguments: [
        (["--trigger", "sound"], "microphone"), (["--trigger", "motion", "--idle-off", "5s"], "keeps the camera on"),
        (["--trigger", "motion", "--on-trigger", "movie"], "--movies DIR"),
        (["--trigger", "every 5s", "--on-trigger", "both", "--movies", "m"], "nothing ends a movie"),
        (["--on-trigger", "movie"], "--trigger"), (["--trigger", "motion:2"], "is not motion"),
    ]) func whatCannotBeIsSaid(arguments: [String], words: String) throws {
        let outcome = try RunningLivecap(["run", "--synthetic", "tripod", "--no-socket"] + arguments).finish()
        #expect(outcome.status == 64 || outcome.status == 65 || outcome.status == 69, "\(outcome.status)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
}
