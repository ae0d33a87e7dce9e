// SPDX-License-Identifier: MIT
// The built program takes pictures and films movies by itself: of a ball that crosses the picture in 0.3 s.

import Foundation
import LivecapProcesses
import Testing

@Suite(.timeLimit(.long)) struct RunTriggerTests {
    private let files: Scratch

    /// The first frames that show the ball, and how many do each time. On a machine that is too busy to see it once, it
    /// is seen the next time.
    private static let first = [120, 200, 280, 360]
    private static let count = 10

    init() throws {
        files = try Scratch()
        try files.write(Self.recording, to: "ball.y4m")
    }

    /// 15 s of a picture with edges and noise, at 30 fps.
    private static let recording: [UInt8] = {
        let (width, height) = (160, 120)
        var bytes = Array("YUV4MPEG2 W\(width) H\(height) F30:1 Ip A1:1 Cmono\n".utf8)
        let still: [UInt8] = (0..<width * height).map { place in
            let (x, y) = (place % width, place / width)
            return UInt8((x / 24 + y / 20) % 2 == 0 ? 90 : 130) + UInt8((x * 7 + y * 13) % 5)
        }
        for number in 0..<450 {
            bytes += Array("FRAME\n".utf8)
            let begin = bytes.count
            bytes += still
            guard let way = first.map({ number - $0 }).first(where: { (0..<count).contains($0) }) else { continue }
            let middle = (x: way * width / (count - 1), y: height / 2)
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
            "run", "--replay", files.path("ball.y4m"), "--pace", "fast", "--trigger", "motion", "--trigger-quiet",
            "1s", "--no-socket",
            "--quality", "single", "--json", "-o", files.path("out") + "/",
        ]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let causes = try events(outcome, "trigger")
        try #require(causes.count == Self.first.count, "\(outcome.output)")
        let pictures = try outcome.objects.filter { $0["event"] == nil }
        try #require(pictures.count == Self.first.count, "\(outcome.output)")
        let moments = Set(pictures.compactMap { $0["referenceNs"] as? Int })
        for (first, cause) in zip(Self.first, causes) {
            #expect(cause["trigger"] as? String == "motion")
            let begun = try #require(cause["timeNs"] as? Int), noticed = try #require(cause["noticedNs"] as? Int)
            #expect(abs(begun - time(first)) < 40_000_000)
            #expect(noticed < time(first + 3))
            #expect(cause["share"] as? Double ?? 0 > 0.01)
            #expect(moments.contains(try #require(cause["momentNs"] as? Int)))
        }
        #expect(pictures.allSatisfy { $0["trigger"] as? String == "motion" })
        #expect(try events(outcome, "quiet").count == causes.count)
    }

    @Test func aMovieBeginsBeforeTheBall() throws {
        let outcome = try RunningLivecap([
            "movie", "--replay", files.path("ball.y4m"), "-o", files.path("ball.mkv"), "--pre", "1s", "--on-tap",
            "--trigger", "motion", "--trigger-quiet", "500ms", "--json",
        ]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let movie = try outcome.object
        let first = try #require(movie["firstNs"] as? Int), last = try #require(movie["lastNs"] as? Int)
        let cause = try #require(movie["trigger"] as? [String: Any])
        #expect(cause["trigger"] as? String == "motion")
        let begun = try #require(cause["timeNs"] as? Int)
        // A watch that fell behind may have missed how the ball came.
        let margin = time(2)
        let balls = Self.first.map { time($0) - margin...time($0 + Self.count) }
        #expect(balls.contains { $0.contains(begun) }, "\(begun)")
        // Up to a second before, as far as that is still in memory, and until it was quiet.
        #expect(begun - first <= 1_000_000_000 + margin && first < begun && begun < last)
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
        let movie = try #require(try events(outcome, "movie").first, "\(outcome.output)")
        let causes = try events(outcome, "trigger").compactMap { $0["timeNs"] as? Int }
        let first = try #require(movie["firstNs"] as? Int), last = try #require(movie["lastNs"] as? Int)
        // Not all of them begin a movie: one may go on meanwhile.
        #expect(causes.contains { first < $0 && $0 < last }, "\(outcome.output)")
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
