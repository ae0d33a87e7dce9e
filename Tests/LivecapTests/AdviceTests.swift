// SPDX-License-Identifier: MIT
// What errors advise: it is true of this source and this system, and it works when it is followed.

import Foundation
import Glibc
import LivecapFiles
import LivecapPatience
import Testing

@Suite(.timeLimit(.usual)) struct AdviceTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private let scene = ["--synthetic", "tripod", "--size", "64x48", "--format", "YUYV", "--quality", "single"]

    private func shoot(_ words: String..., source: [String]? = nil, shell: String? = nil) throws -> Outcome {
        try RunningLivecap(
            ["shoot", "-o", files.path("a.jpg"), "--overwrite"] + (source ?? scene) + words, shell: shell
        ).finish()
    }

    /// The value that a hint gives an option.
    private func advice(_ option: String, in text: String) throws -> String {
        let words = text.split { $0 == " " || $0 == "," || $0 == "\n" }
        let place = try #require(words.lastIndex { $0 == option }, "\(text)")
        return String(words[place + 1])
    }

    @Test(arguments: ["200000", "500K"]) func theMemoryAdvisedHoldsTheHistory(memory: String) throws {
        let moment = ["--at", "-500ms", "--ring", "700ms"]
        let refused = try shoot(source: scene + moment + ["--memory", memory])
        #expect(refused.status == 64, "\(refused.errors)")
        #expect(!refused.errors.contains("hint: keep more history: --ring"), "\(refused.errors)")
        let advised = try advice("--memory", in: refused.errors)
        let outcome = try shoot(source: scene + moment + ["--memory", advised])
        #expect(outcome.status == 0, "\(advised): \(outcome.errors)")
    }

    @Test func aLongerHistoryIsAdvisedWithItsMemory() throws {
        let refused = try shoot(source: scene + ["--at", "-300ms", "--ring", "100ms", "--memory", "500K"])
        let advised = ["--ring", "--memory"].map { (try? advice($0, in: refused.errors)) ?? "" }
        let outcome = try shoot(
            source: scene + ["--at", "-300ms", "--ring", advised[0], "--memory", advised[1]])
        #expect(outcome.status == 0, "\(advised): \(refused.errors)\(outcome.errors)")
    }

    @Test func aFewBytesOfMemoryAreCalledSo() throws {
        #expect(try shoot("--memory", "16").errors.contains("16 bytes of memory are not enough"))
    }

    @Test(.enabled(if: getenv("LIVECAP_SANITIZER") == nil)) func tooFewAddressesAreCalledSo() throws {
        let outcome = try shoot("--ring", "100ms", shell: "ulimit -c 0; ulimit -v 160000; exec \"$@\"")
        #expect(outcome.status == 71 && outcome.errors.contains("ulimit -v"), "\(outcome.errors)")
    }

    @Test(.enabled(if: getenv("LIVECAP_SANITIZER") == nil), arguments: [5, 8, 10, 12])
    func tooFewDescriptorsForALibraryAreCalledSo(count: Int) throws {
        let outcome = try RunningLivecap(
            ["shoot", "--library", files.path("library")] + scene,
            shell: "ulimit -c 0; ulimit -n \(count); exec \"$@\""
        ).finish()
        #expect(outcome.status == 71 && outcome.errors.contains("ulimit -n"), "\(outcome.status) \(outcome.errors)")
    }

    @Test func aRecordingsPicturesAreNamedAfterItsOwnTime() throws {
        let path = files.path("a.lcap")
        let recorded = try RunningLivecap(
            ["record", "--pace", "realtime", "-n", "3", "-o", path, "--synthetic", "tripod", "--size", "64x48"],
            shell: "TZ=UTC-2 exec \"$@\""
        ).finish()
        try #require(recorded.status == 0, "\(recorded.errors)")
        for command in [["shoot", "--replay", path], ["develop", path]] {
            let outcome = try RunningLivecap(
                command + ["-o", files.path("%z-\(command[0]).jpg"), "--quality", "single", "--json"],
                shell: "TZ=UTC+3 exec \"$@\""
            ).finish()
            let time = try outcome.object["time"] as? String
            #expect(time?.hasSuffix("+02:00") ?? false, "\(time ?? "nil") \(outcome.errors)")
            #expect(files.names.contains("+0200-\(command[0]).jpg"), "\(files.names)")
        }
    }

    @Test func brokenFramesAreFoundByInfo() throws {
        let path = files.path("a.mjpg")
        let recorded = try RunningLivecap(
            ["record", "-n", "3", "-o", path, "--synthetic", "tripod", "--size", "64x48", "--format", "MJPG"]
        ).finish()
        try #require(recorded.status == 0, "\(recorded.errors)")
        var bytes = try files.bytes("a.mjpg")
        let end = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD9 })
        // The second half of the first frame's data goes, its end mark stays.
        let scan = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        bytes.removeSubrange((scan + (end - scan) / 2)..<end)
        try files.write(bytes, to: "a.mjpg")
        let info = try livecap("info", path, "--json").object
        #expect(info["undecodable"] as? Int == 1 && info["intact"] as? Bool == false, "\(info)")
        #expect(try livecap("info", path).output.contains("1 frame broken"))
        #expect(try livecap("info", path, "--quick", "--json").object["undecodable"] as? Int == 0)
    }

    @Test func theHintsFitTheCommandAndTheSource() throws {
        let raw = try files.rawFrames(3)
        let developed = try RunningLivecap(
            ["develop", raw, "-o", files.path("b.jpg"), "--at", "500"] + Scratch.rawOptions
        ).finish()
        #expect(developed.errors.contains("s away") && !developed.errors.contains("--ring"), "\(developed.errors)")
        #expect(!developed.errors.contains("000 ms"), "\(developed.errors)")
        let exported = try RunningLivecap(["export", raw, "-o", files.path("x.mp4")] + Scratch.rawOptions).finish()
        #expect(exported.status == 64 && !exported.errors.contains(".lcap"), "\(exported.errors)")
        let picture = try RunningLivecap(["record", "-o", files.path("x.jpg")] + scene.prefix(4)).finish()
        #expect(picture.status == 64 && !picture.errors.contains("ffmpeg"), "\(picture.errors)")
        let ended = try shoot("--at", "10s", source: ["--synthetic", "tripod:frames=3", "--size", "64x48"])
        #expect(ended.status == 65 && ended.errors.contains("ended after 3 frames"), "\(ended.errors)")
        #expect(try livecap("shoot", "-r", "30").errors.contains("--fps"))
        let refused = try RunningLivecap(["shoot", "--library", "/proc/livecap"] + scene).finish()
        #expect(refused.errors.contains("nothing can be created in /proc"), "\(refused.errors)")
        #expect(!refused.errors.contains("mkdir"), "\(refused.errors)")
    }

    @Test func picturesThatAreNotTakenAreCounted() throws {
        let program = try RunningLivecap(
            ["shoot", "--count", "50", "--interval", "10s", "-o", files.path("many") + "/"] + scene)
        try eventually("the first picture") { program.output.contains("1 frame") }
        program.signal(SIGTERM)
        let outcome = program.finish()
        #expect(outcome.status == 143)
        #expect(outcome.errors.contains("49 pictures of 50 not taken"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("shot 50"), "\(outcome.errors)")
    }
}
