// SPDX-License-Identifier: MIT
// `livecap effects`, alone and beside a run whose effects it changes.

import Foundation
import LivecapDetection
import LivecapEffects
import LivecapPatience
import LivecapProcesses
import Testing

@testable import livecap

@Suite(.timeLimit(.usual)) struct EffectsCommandTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// A line with state and runtime folders of its own.
    private func started(_ words: [String], shell: String = "exec \"$@\"") throws -> RunningLivecap {
        for folder in ["state", "runtime"] {
            try FileManager.default.createDirectory(atPath: files.path(folder), withIntermediateDirectories: true)
        }
        let folders = "XDG_STATE_HOME='\(files.path("state"))' XDG_RUNTIME_DIR='\(files.path("runtime"))'"
        return try RunningLivecap(words, shell: "export \(folders); \(shell)")
    }

    private func effects(_ words: String...) throws -> Outcome { try started(["effects"] + words).finish() }

    /// A run that draws nothing at first, until its input ends.
    private func withRun(_ options: [String] = ["--effects-in", "movies"], _ body: () throws -> Void) throws -> Outcome
    {
        let fifo = files.path("fifo-\(UUID().uuidString)")
        try #require(mkfifo(fifo, 0o600) == 0)
        let scene = ["run", "--synthetic", "tripod:prerender=2", "--size", "64x48", "-o", files.path("out") + "/"]
        let run = try started(
            scene + ["--movies", files.path("movies")] + options, shell: "exec \"$@\" <'\(fifo)'")
        let input = try #require(FileHandle(forWritingAtPath: fifo))
        let socket = files.path("runtime/livecap/shutter.sock")
        try eventually("the socket") { FileManager.default.fileExists(atPath: socket) || !run.isRunning }
        defer { try? input.close() }
        try eventually("the run") { run.errors.contains("takes a picture") || !run.isRunning }
        try body()
        try input.close()
        return run.finish()
    }

    @Test func withoutARunItListsAll() throws {
        let outcome = try effects()
        #expect(outcome.status == 0 && outcome.errors.contains("no livecap is listening"))
        for word in ["portrait=0.6", "background=#", "light=", "framing=", "thumbs-up, thumbs-down, heart, hearts"] {
            #expect(outcome.output.contains(word), "\(word)")
        }
        #expect(try effects("show").output == outcome.output)
        let object = try effects("--json").object
        #expect(
            (object["effects"] as? [[String: Any]])?.count == EffectName.allCases.count && object["drawn"] is NSNull)
        #expect((object["reactions"] as? [[String: Any]])?.count == 9)
    }

    @Test(arguments: [
        ["set", "light"], ["react", "hearts"], ["use", "office"], ["save", "office"],
        ["show", "--socket", "/nowhere/s"],
    ])
    func withoutARunNothingCanBeChanged(words: [String]) throws {
        let outcome = try started(["effects"] + words + ["--json"]).finish()
        #expect(outcome.status == 69, "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "nobody-listens")
    }

    @Test(arguments: [
        ["set"], ["set", "sparkle"], ["set", "portrait=2"], ["react", "dance"], ["react"], ["save", "last"],
        ["save", "two words"], ["use"], ["remove", "a/b"], ["dance"],
    ])
    func whatMakesNoSenseIsAUsageError(words: [String]) throws {
        let outcome = try started(["effects"] + words).finish()
        #expect(outcome.status == 64, "\(outcome.errors)")
    }

    @Test func profilesOfNobodyAreNone() throws {
        let outcome = try effects("profiles")
        #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.contains("no effects are kept"))
    }

    @Test func aRunWithoutEffectsSaysWhatToDo() throws {
        let run = try withRun([]) {
            let outcome = try effects("set", "none")
            #expect(outcome.status == 69 && outcome.errors.contains("--effects-in PLACES"), "\(outcome.errors)")
            let shown = try effects()
            #expect(shown.status == 0 && shown.errors.contains("draws no effects"))
        }
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func reactionsAreAskedOfTheRun() throws {
        let run = try withRun {
            let outcome = try effects("react", "confetti", "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try outcome.object["perform"] as? String == "confetti")
            let shown = try effects("--json").object
            let drawn = try #require(shown["drawn"] as? [String: Any])
            #expect(drawn["set"] as? String == "none")
            #expect((drawn["camera"] as? String)?.hasPrefix("synthetic:tripod:") == true)
        }
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test(.enabled(if: (try? Nets().open(.matte)) != nil, "'make effects' fetches the nets"))
    func effectsAreSetKeptAndUsed() throws {
        let run = try withRun {
            #expect(try effects("set", "background=#204060").output == "background=#204060\n")
            #expect(try effects("save", "office").output.contains("office  background=#204060"))
            #expect(try effects("set", "none").output == "none\n")
            #expect(try effects("use", "office").output == "background=#204060\n")
            let unknown = try effects("use", "evening")
            #expect(unknown.status == 64 && unknown.errors.contains("kept are: "), "\(unknown.errors)")
        }
        #expect(run.status == 0, "\(run.errors)")
        // The end of the run has written what was drawn last.
        let kept = try effects("profiles", "--json").objects
        #expect(Set(kept.compactMap { $0["name"] as? String }) == ["office", "last"])
        #expect(kept.allSatisfy { $0["set"] as? String == "background=#204060" })
        let last = try withRun(["--effects", "last"]) {
            let drawn = try effects("--json").object["drawn"] as? [String: Any]
            #expect(drawn?["set"] as? String == "background=#204060")
            #expect(try effects("remove", "office").status == 0)
            #expect(try effects("remove", "office").status == 64)
        }
        #expect(last.status == 0, "\(last.errors)")
    }

    @Test func theFirstTimeNothingIsTheLast() throws {
        let run = try withRun(["--effects", "last"]) {
            let drawn = try effects("--json").object["drawn"] as? [String: Any]
            #expect(drawn?["set"] as? String == "none")
        }
        #expect(run.status == 0 && run.errors.contains("no effects are kept as the last ones"), "\(run.errors)")
    }

    @Test func aProfileThatIsMissingIsSaidBeforeAnythingIsOpened() throws {
        let outcome = try started([
            "run", "--synthetic", "tripod", "--effects", "profile:office", "--movies", files.path("m"), "-o", "out/",
        ]).finish()
        #expect(outcome.status == 64 && outcome.errors.contains("effects save office"), "\(outcome.errors)")
    }
}
