// SPDX-License-Identifier: MIT
// The date in pictures and movies from the command line.

import Foundation
import LivecapProcesses
import Testing

@Suite(.timeLimit(.usual)) struct DateTests {
    private let files = try! Scratch()

    private func livecap(_ words: [String]) throws -> Outcome { try RunningLivecap(words).finish() }

    /// A recording, which knows when its frames were taken.
    private func recording() throws -> String {
        let path = files.path("a.lcap")
        let outcome = try livecap([
            "record", "--synthetic", "tripod:seed=3,mark=off", "--pace", "realtime", "--size", "160x96", "-t", "500ms",
            "-o", path,
        ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return path
    }

    @Test(arguments: ["shoot", "run", "serve", "view", "movie", "live", "share", "develop"])
    func everyCommandKnowsTheWords(command: String) throws {
        let help = try livecap([command, "--help", "all"]).output
        #expect(help.contains("--date ") && help.contains("--date-format FORMAT"))
    }

    @Test func aStillHasItAndItsPlainPicture() throws {
        let source = ["--replay", try recording(), "--at", "200ms", "--json"]
        let plain = try livecap(["shoot"] + source + ["-o", files.path("b.png")])
        let outcome = try livecap(["shoot", "--date-format", "%H:%M"] + source + ["-o", files.path("a.png")])
        #expect(outcome.status == 0 && plain.status == 0, "\(outcome.errors)")
        let shot = try outcome.object
        #expect(shot["date"] as? String == "%H:%M" && shot["plainFile"] as? String == files.path("a.plain.png"))
        #expect(try files.bytes("a.plain.png") == files.bytes("b.png"))
        #expect(try files.bytes("a.png") != files.bytes("b.png"))
        let back = try livecap(["develop", files.path("a.png"), "--effects", "none", "-o", files.path("c.png")])
        #expect(back.status == 0, "\(back.errors)")
        #expect(try files.bytes("c.png") == files.bytes("b.png"))
        let again = try livecap(["develop", files.path("a.lcap"), "--date", "-o", files.path("d.png"), "--json"])
        #expect(try again.object["date"] as? String == "%Y-%m-%d %H:%M:%S")
    }

    @Test func aMovieHasIt() throws {
        let source = ["--replay", try recording(), "--codec", "h264"]
        let plain = try livecap(["movie"] + source + ["-o", files.path("b.mkv")])
        let outcome = try livecap(["movie", "--date"] + source + ["-o", files.path("a.mkv")])
        #expect(outcome.status == 0 && plain.status == 0, "\(outcome.errors)")
        #expect(try files.bytes("a.mkv") != files.bytes("b.mkv"))
    }

    @Test func whatHasNoTimeHasNoDate() throws {
        let outcome = try livecap([
            "movie", "--date", "--synthetic", "tripod:seed=3", "--size", "160x96", "-t", "200ms", "-o",
            files.path("a.mkv"),
        ])
        #expect(outcome.status == 0 && outcome.errors.contains("no date is drawn"), "\(outcome.errors)")
    }

    @Test(arguments: [
        (["share", "--date"], "--pipewire"), (["live", "-o", "a.y4m", "--date"], "frames without loss"),
        (["shoot", "--date", "--quality", "single", "-o", "a.jpg"], "leave out the date"),
        (["shoot", "--date-format", "%Q", "-o", "a.jpg"], "strftime"),
    ]) func whatMakesNoSenseIsRefused(words: [String], why: String) throws {
        let outcome = try livecap(words + ["--synthetic", "tripod"])
        #expect(outcome.status == 64 && outcome.errors.contains(why), "\(outcome.errors)")
    }

    @Test func aPictureThatIsThereGetsNone() throws {
        _ = try livecap(["shoot", "--synthetic", "tripod", "--size", "64x48", "-o", files.path("a.jpg")])
        let outcome = try livecap(["develop", files.path("a.jpg"), "--date", "-o", files.path("b.jpg")])
        #expect(outcome.status == 64 && outcome.errors.contains("--effects none"), "\(outcome.errors)")
    }
}
