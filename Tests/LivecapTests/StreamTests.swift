// SPDX-License-Identifier: MIT
// Frames through pipes, in both directions, and recordings for other programs.

import Foundation
import Glibc
import LivecapFiles
import LivecapPatience
import Testing

@Suite struct StreamTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private func recording() throws -> String {
        let path = files.path("a.lcap")
        let frames = try files.rawFrames(12)
        let outcome = try RunningLivecap(["record", "--replay", frames, "-o", path] + Scratch.rawOptions).finish()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return path
    }

    @Test(arguments: [
        ["info", "-", "--json"], ["shoot", "--replay", "-", "--at", "200ms", "--json", "-o", "OUT.jpg"],
        ["run", "--replay", "-", "--pace", "fast", "--no-socket", "--json", "-o", "OUT/"],
        ["record", "--replay", "-", "--json", "-o", "OUT.lcap"], ["develop", "-", "--json", "-o", "OUT.jpg"],
        ["export", "-", "--json", "-o", "OUT.y4m"],
    ]) func framesMayComeThroughAPipe(line: [String]) throws {
        let frames = try recording()
        let words = line.map { $0.hasPrefix("OUT") ? files.path("out") + $0.dropFirst(3) : $0 }
        let outcome = try RunningLivecap(words, shell: "cat '\(frames)' | \"$@\"").finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        if line[0] != "run" { #expect(try outcome.objects.count == 1) }
        if ["info", "record", "export"].contains(line[0]) { #expect(try outcome.object["frames"] as? Int == 12) }
    }

    @Test func aPipeWithANameIsReadToo() throws {
        let outcome = try RunningLivecap(
            ["info", files.path("pipe"), "--json"],
            shell: "mkfifo '\(files.path("pipe"))'; cat '\(recording())' > '\(files.path("pipe"))' & \"$@\"; wait"
        ).finish()
        #expect(try outcome.object["frames"] as? Int == 12, "\(outcome.errors)")
    }

    @Test func whatHasNoRoomInTheTemporaryFolderIsSaid() throws {
        let outcome = try livecap(
            "info", "-", shell: "export TMPDIR='\(files.path("missing"))'; cat '\(recording())' | \"$@\"")
        #expect(outcome.status == 73 && outcome.errors.contains("TMPDIR"), "\(outcome.errors)")
        let missing = files.path("missing")
        #expect(outcome.errors.contains("no folder \(missing) for"), "\(outcome.errors)")
        #expect(outcome.errors.contains("'mkdir -p \(missing)'"), "\(outcome.errors)")
    }

    @Test func recordedFramesGoToStandardOutputAsY4M() throws {
        let frames = try files.rawFrames(12)
        let outcome = try RunningLivecap(
            ["record", "--replay", frames, "-o", "-"] + Scratch.rawOptions, shell: "\"$@\" > '\(files.path("out"))'"
        ).finish()
        #expect(outcome.status == 0 && outcome.errors.contains("12 frames"), "\(outcome.errors)")
        let out = try livecap("info", files.path("out"), "--frames", "--json").objects.dropLast()
        let raw = try RunningLivecap(["info", frames, "--frames", "--json"] + Scratch.rawOptions).finish().objects
            .dropLast()
        #expect(out.map { $0["samples"] as? String } == raw.map { $0["samples"] as? String } && out.count == 12)
    }

    /// Each frame of the scene is damaged.
    @Test(arguments: [["record", "-o", "a.y4m"], ["record", "-o", "a.mkv"], ["movie", "-o", "a.mp4"]])
    func aSourceWithoutAUsableFrameEndsAfterTheTimeAskedFor(words: [String]) throws {
        let outcome = try livecap(
            words[0], "-o", files.path(words[2]), "-t", "1s", "--synthetic", "tripod:damage=1", "--format", "MJPG",
            "--size", "64x48", "--pace", "fast")
        #expect(outcome.status == 65, "\(outcome.status): \(outcome.errors)")
        #expect(files.names.isEmpty)
    }

    @Test(arguments: [
        ("tripod:damage=1", "64x48", "MJPG", "can be decoded"), ("tripod:damage=1", "64x48", "YUYV", "can be decoded"),
        ("tripod", "8x8", "MJPG", "at least 16x16"), ("tripod", "8x8", "YUYV", "at least 16x16"),
    ]) func framesThatCannotBeFusedAreNotWaitedForForEver(
        scene: String, size: String, format: String, words: String
    ) throws {
        let outcome = try livecap(
            "live", "--synthetic", scene, "--format", format, "--size", size, "-n", "3", "-o", files.path("a.y4m"))
        #expect(outcome.status == 64 && outcome.errors.contains(words), "\(outcome.errors)")
        #expect(files.names.isEmpty)
    }

    /// `true` is a reader that has left by the time anything is written.
    @Test(arguments: ["record", "export", "live"], ["head -c 20000 >/dev/null", "true"])
    func aReaderThatHasEnoughIsNoFailure(command: String, reader: String) throws {
        let source = command == "export" ? [try recording()] : ["--synthetic", "tripod", "--size", "64x48"]
        let outcome = try RunningLivecap([command] + source + ["-o", "-"], shell: RunningLivecap.piped(into: reader))
            .finish()
        #expect(outcome.status == 0 && !outcome.errors.contains("livecap:"), "\(outcome.errors)")
    }

    @Test func aPictureWhoseReaderHasGoneIsAFailure() throws {
        let outcome = try livecap(
            "shoot", "--synthetic", "tripod", "--size", "64x48", "-o", "-", shell: RunningLivecap.piped(into: "true"))
        #expect(outcome.status == 74, "\(outcome.errors)")
        #expect(outcome.errors.contains("its reader has gone") && outcome.errors.contains("keep the reader running"))
    }

    @Test(arguments: ["y4m", "mkv", "mjpg"]) func recordingsForOtherPrograms(kind: String) throws {
        let path = files.path("a.\(kind)")
        let outcome = try livecap(
            "record", "--synthetic", "tripod", "--size", "64x48", "--format", kind == "mjpg" ? "MJPG" : "YUYV", "-n",
            "5",
            "--json", "-o", path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.object["frames"] as? Int == 5)
        let magic: [UInt8] =
            switch kind {
            case "y4m": Array("YUV4MPEG2 W64 H48 F30:1".utf8)
            case "mkv": [0x1A, 0x45, 0xDF, 0xA3]
            default: [0xFF, 0xD8, 0xFF]
            }
        #expect(try files.bytes("a.\(kind)").starts(with: magic))
        if kind != "mkv" { #expect(try livecap("info", path, "--json").object["frames"] as? Int == 5) }
    }

    @Test(arguments: ["a.mp4", "a.avi", "a.jpg"]) func foreignBytesGetNoName(name: String) throws {
        for command in [["record", "--synthetic", "tripod", "-n", "1"], ["export", try recording()]] {
            let outcome = try RunningLivecap(command + ["-o", files.path(name)]).finish()
            #expect(
                outcome.status == 64 && outcome.errors.contains(name == "a.jpg" ? "DIR/" : ".mkv"), "\(outcome.errors)")
        }
        #expect(!files.names.contains(name))
    }

    @Test(arguments: [("mkv", "a.y4m"), ("y4m", "a.MKV"), ("mkv", "a.lcap"), ("mjpg", "a/"), ("frames", "a.y4m")])
    func aNameThatSaysOtherwiseIsRefused(kind: String, name: String) throws {
        let outcome = try livecap("export", recording(), "--to", kind, "-o", files.path("x") + name)
        #expect(outcome.status == 64 && outcome.errors.contains("not what its name says"), "\(outcome.errors)")
        #expect(!files.names.contains { $0.hasPrefix("x") })
    }

    @Test func aNameThatSaysNothingMayHoldAnyKind() throws {
        let outcome = try livecap("export", recording(), "--to", "y4m", "-o", files.path("film"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try files.bytes("film").starts(with: "YUV4MPEG2".utf8))
    }

    @Test func aRecordingBecomesPictures() throws {
        let outcome = try livecap("export", recording(), "-o", files.path("frames") + "/", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.object["kind"] as? String == "frames")
        #expect(FileManager.default.fileExists(atPath: files.path("frames/000012.png")))
    }

    @Test(arguments: ["jpeg", "heic", "png"]) func theNewestFrameIsKeptInAFile(format: String) throws {
        let path = files.path("now.jpg")
        try files.write([1], to: "now.jpg")
        let program = try RunningLivecap([
            "run", "--synthetic", "tripod", "--size", "64x48", "--no-socket", "--format", format, "--latest", path,
            "-o", files.path("out/"),
        ])
        try eventually("a picture of the newest frame") { files.text("now.jpg").utf8.count > 100 }
        program.signal(SIGINT)
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try files.bytes("now.jpg").starts(with: [0xFF, 0xD8, 0xFF]))
        // It is not a picture that was taken.
        #expect(outcome.errors.contains("0 pictures") && !files.names.contains("out"))
    }
}
