// SPDX-License-Identifier: MIT
// `livecap info`: its keys, the agreement of file formats frame by frame, and invalid files.

import Foundation
import LivecapFiles
import Testing

@Suite struct InfoTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Makes a recording of twelve frames from a headerless file and returns its path.
    private func recording() throws -> String {
        let path = files.path("a.lcap")
        let frames = try files.rawFrames(12)
        let outcome = try RunningLivecap(
            ["record", "--replay", frames, "-o", path] + Scratch.rawOptions
        ).finish()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return path
    }

    @Test func documentedKeysArePresent() throws {
        let object = try livecap("info", recording(), "--json").object
        #expect(object["frames"] as? Int == 12)
        #expect(object["width"] as? Int == 64)
        #expect(object["height"] as? Int == 48)
        #expect(object["format"] as? String == "NV12")
        #expect(object["firstNs"] as? Int == 0)
        #expect(object["lastNs"] as? Int == 366_666_666)
        #expect(object["gaps"] as? Int == 0)
        #expect(object["damaged"] as? Int == 0)
        #expect(object["intact"] as? Bool == true)
    }

    @Test func aTerminalIsToldHowFarThingsAre() throws {
        let terminal = try PseudoTerminal()
        let descriptor = open(terminal.path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        let screen = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let program = try RunningLivecap(
            ["info", recording()], shell: "export TERM=xterm; exec \"$@\"", errors: screen)
        #expect(program.finish().status == 0)
        try screen.close()
        let shown = terminal.readToEnd()
        #expect(shown.hasPrefix("\rchecked 1 of 12 frames, 8 %"), "\(shown)")
        #expect(shown.hasSuffix("\r\u{1B}[K"), "the line is to be gone at the end: \(shown)")
    }

    @Test func aRecordingHasTheFramesItWasMadeFrom() throws {
        let recorded = try livecap("info", recording(), "--frames", "--json").objects.dropLast()
        let raw = try RunningLivecap(
            ["info", files.path("frames.nv12"), "--frames", "--json"] + Scratch.rawOptions
        ).finish().objects.dropLast()
        #expect(recorded.count == 12)
        for key in ["ns", "bytes", "sequence"] {
            #expect(recorded.map { $0[key] as? Int } == raw.map { $0[key] as? Int })
        }
        #expect(recorded.map { $0["xxh3"] as? String } == raw.map { $0["xxh3"] as? String })
        #expect(Set(recorded.map { $0["xxh3"] as? String }).count == 12)
    }

    @Test(.enabled(if: isInstalled("ffmpeg"), "ffmpeg is not installed: its files were not compared"))
    func filesOfOtherProgramsAgreeFrameByFrame() throws {
        let dump = try recording()
        let (y4m, i420) = (files.path("b.y4m"), files.path("b.yuv"))
        let input = ["-v", "error", "-f", "rawvideo", "-pix_fmt", "nv12", "-s", "64x48", "-r", "30"]
        let frames = files.path("frames.nv12")
        #expect(try run("ffmpeg", input + ["-i", frames, "-pix_fmt", "yuv420p", y4m]) == 0)
        #expect(try run("ffmpeg", input + ["-i", frames, "-pix_fmt", "yuv420p", "-f", "rawvideo", i420]) == 0)
        let samples = { (arguments: [String]) throws -> [String?] in
            let outcome = try RunningLivecap(["info"] + arguments + ["--frames", "--json"]).finish()
            return try outcome.objects.dropLast().map { $0["samples"] as? String }
        }
        let expected = try samples([dump])
        #expect(expected.count == 12 && !expected.contains(nil))
        #expect(try samples([y4m]) == expected)
        #expect(try samples([i420, "--input-format", "I420", "--size", "64x48"]) == expected)
    }

    @Test func aTornRecordingIsReadAsFarAsItGoes() throws {
        let bytes = try Data(contentsOf: URL(filePath: recording()))
        let torn = try files.write([UInt8](bytes[..<(bytes.count / 2)]), to: "torn.lcap")
        let outcome = try livecap("info", torn, "--json")
        #expect(outcome.status == 0)
        let object = try outcome.object
        let frames = try #require(object["frames"] as? Int)
        #expect((1..<12).contains(frames))
        #expect(object["intact"] as? Bool == false)
    }

    @Test func aFlippedByteIsFound() throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: recording())))
        // The middle of the file lies in a payload, because frames are far larger than their headers.
        bytes[bytes.count / 2] ^= 0x10
        let object = try livecap("info", files.write(bytes, to: "flipped.lcap"), "--json").object
        #expect(object["frames"] as? Int == 12)
        #expect(object["damaged"] as? Int == 1)
    }

    @Test func aMissingFileEnds66() throws {
        let outcome = try livecap("info", files.path("nothing"), "--json")
        #expect(outcome.status == 66)
        #expect(try outcome.object["code"] as? String == "no-such-file")
    }

    @Test func anEmptyFileEnds65() throws {
        #expect(try livecap("info", files.write([], to: "empty.lcap")).status == 65)
    }

    @Test func aForeignFileEnds65() throws {
        #expect(try livecap("info", files.write(Array("hello".utf8), to: "hello.lcap")).status == 65)
    }

    @Test func aWrongSizeEnds65AndNamesThoseThatFit() throws {
        let size = 320 * 240 * 3 / 2
        let path = try files.write(Array(repeating: 16, count: 2 * size), to: "a.yuv")
        let outcome = try livecap("info", path, "--input-format", "I420", "--size", "300x200")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("320x240"))
    }

    @Test func headerlessFramesNeedAFormat() throws {
        let outcome = try livecap("info", files.rawFrames(1))
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--input-format"))
    }

    @Test func aListNobodyReadsToItsEndIsNoFailure() throws {
        let frames = try files.rawFrames(800)
        let arguments = ["info", frames, "--frames", "--json"] + Scratch.rawOptions
        let program = try RunningLivecap(arguments, shell: RunningLivecap.piped(into: "head -n 1"))
        let outcome = program.finish()
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(try outcome.object["frame"] as? Int == 0)
    }

    @Test(arguments: ["jpg", "heic", "png"]) func aPictureTellsHowItWasMade(suffix: String) throws {
        let path = files.path("a.\(suffix)")
        let shot = try livecap(
            "shoot", "--synthetic", "tripod:noise=2", "--size", "64x48", "--pace", "fast", "--at", "200ms", "--frames",
            "4",
            "--json", "-o", path)
        let reported = try shot.object
        let object = try livecap("info", path, "--json").object
        #expect(object["kind"] as? String == "photo")
        #expect(object["width"] as? Int == 64 && object["height"] as? Int == 48)
        let provenance = try #require(object["provenance"] as? [String: Any])
        for key in ["tapNs", "referenceId", "referenceNs", "lagMs", "qualityGiven", "noise"] {
            let (kept, reported) = (
                try #require(provenance[key] as? NSObject), try #require(reported[key] as? NSObject)
            )
            #expect(kept == reported, "\(key)")
        }
        #expect((provenance["framesUsed"] as? [[String: Any]])?.count == 4)
        // Values that may differ from run to run would change the bytes of a file with the same pixels.
        #expect(provenance["stagesMs"] == nil && provenance["kernels"] == nil)
        let words = try livecap("info", path).output
        #expect(words.contains("from 4 frames: balanced") && words.contains("weight 1.00"))
    }

    @Test func aStrangersPictureSaysNothing() throws {
        let path = files.path("a.jpg")
        try Data([0xFF, 0xD8, 0xFF, 0xD9]).write(to: URL(filePath: path))
        let outcome = try livecap("info", path, "--json")
        #expect(outcome.status == 0)
        #expect(try outcome.object["provenance"] is NSNull)
    }
}
