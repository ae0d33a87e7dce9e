// SPDX-License-Identifier: MIT
// Pictures are turned and enlarged by the same words in all commands.

import Foundation
import LivecapProcesses
import Testing

@Suite(.timeLimit(.usual)) struct ViewOptionTests {
    private let files = try! Scratch()

    @Test(arguments: ["shoot", "movie", "live", "share"]) func everyCommandKnowsTheWords(command: String) throws {
        let help = try RunningLivecap([command, "--help", "all"]).finish().output
        for word in ["--rotate DEGREES", "--hflip", "--vflip", "--zoom FACTOR"] { #expect(help.contains(word)) }
    }

    private func size(_ name: String) throws -> [Int] {
        let object = try RunningLivecap(["info", files.path(name), "--json"]).finish().object
        let track = (object["tracks"] as? [[String: Any]])?.first ?? [:]
        return [track["width"] as? Int ?? 0, track["height"] as? Int ?? 0]
    }

    @Test(arguments: ["movie", "live"]) func moviesAreTurned(command: String) throws {
        let outcome = try RunningLivecap(
            [command, "--synthetic", "tripod:seed=3", "--size", "160x96", "-t", "300ms", "-o", files.path("a.mkv")]
                + ["--rotate", "90", "--hflip", "--zoom", "2"]
        ).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try size("a.mkv") == [96, 160])
    }

    @Test(arguments: [
        (["live", "-o", "a.y4m", "--hflip"], "frames without loss stay as they are"),
        (["share", "--mount", "90", "--rotate", "90"], "exclude each other"),
        (["shoot", "--crf", "20"], "--live"), (["share", "--zoom", "2"], "--pipewire"),
    ]) func whatMakesNoSenseIsRefused(words: [String], why: String) throws {
        let outcome = try RunningLivecap(words + ["--synthetic", "tripod"]).finish()
        #expect(outcome.status == 64 && outcome.errors.contains(why), "\(outcome.errors)")
    }
}
