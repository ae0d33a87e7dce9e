// SPDX-License-Identifier: MIT
// Synthetic scenes on the command line, and through files of other programs and back.

import Foundation
import LivecapFrameFiles
import Testing

@Suite struct SceneTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private func record(_ scene: String, format: String, to name: String, frames: Int = 6) throws -> Outcome {
        let outcome = try livecap(
            "record", "--synthetic", scene, "--size", "64x48", "--format", format, "--fps", "25", "-n", "\(frames)",
            "-o",
            files.path(name), "--json")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome
    }

    /// One value per frame of a file.
    private func list(_ key: String, of arguments: [String]) throws -> [String] {
        let outcome = try RunningLivecap(["info"] + arguments + ["--frames", "--json"]).finish()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try outcome.objects.dropLast().map { "\($0[key] ?? "nothing")" }
    }

    @Test(arguments: ["YUYV", "NV12", "MJPG"]) func aSceneIsRecordedWholeAndTheSameEveryTime(format: String) throws {
        let reported = try record("object:seed=3", format: format, to: "a").object
        #expect(reported["frames"] as? Int == 6 && reported["gaps"] as? Int == 0 && reported["dropped"] as? Int == 0)
        #expect(reported["format"] as? String == format)
        _ = try record("object:seed=3", format: format, to: "b")
        _ = try record("object:seed=4", format: format, to: "c")
        let checksums = try list("xxh3", of: [files.path("a")])
        #expect(Set(checksums).count == 6)
        #expect(try list("xxh3", of: [files.path("b")]) == checksums)
        #expect(try list("xxh3", of: [files.path("c")]) != checksums)
    }

    @Test(
        .enabled(if: isInstalled("ffmpeg"), "ffmpeg is not installed: its files were not compared"),
        arguments: [("YUYV", "yuyv422", "yuv422p", "YUV422P"), ("NV12", "nv12", "yuv420p", "I420")])
    func filesMadeByFFmpegAgreeFrameByFrame(format: String, packed: String, planar: String, planarName: String) throws {
        _ = try record("handheld:seed=7,noise=strong", format: format, to: "a")
        let expected = try list("samples", of: [files.path("a")])
        #expect(Set(expected).count == 6 && !expected.contains("<null>"))

        try files.write(payloads(of: "a"), to: "raw")
        let input = ["-v", "error", "-f", "rawvideo", "-pix_fmt", packed, "-s", "64x48", "-r", "25", "-i"]
        #expect(try run("ffmpeg", input + [files.path("raw"), "-pix_fmt", planar, files.path("b.y4m")]) == 0)
        for (pixels, name) in [(packed, "c"), (planar, "d")] {
            let output = ["-pix_fmt", pixels, "-f", "rawvideo", files.path(name)]
            #expect(try run("ffmpeg", input + [files.path("raw")] + output) == 0)
        }
        let (asPacked, asPlanar) = (["--input-format", format], ["--input-format", planarName])
        let shape = ["--size", "64x48", "--fps", "25"]
        let inputs = [
            [files.path("b.y4m")], [files.path("c")] + asPacked + shape, [files.path("d")] + asPlanar + shape,
        ]
        for (number, input) in inputs.enumerated() {
            #expect(try list("samples", of: input) == expected, "\(input)")
            #expect(try list("ns", of: input) == (try list("ns", of: [files.path("a")])))
            // Recorded again, through the ring.
            let copy = files.path("copy\(number)")
            let options = Array(input.dropFirst())
            #expect(try RunningLivecap(["record", "--replay", input[0], "-o", copy] + options).finish().status == 0)
            #expect(try list("samples", of: [copy]) == expected, "\(input)")
        }
    }

    @Test func aDamagedFrameIsPassedOver() throws {
        // Every fourth frame is cut short. Number 3, at 120 ms, is the first.
        let outcome = try livecap(
            "shoot", "--synthetic", "tripod:damage=4", "--size", "64x48", "--fps", "25", "--pace", "fast", "--at",
            "121ms",
            "-o", files.path("a.jpg"), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let shot = try outcome.object
        #expect(shot["referenceId"] as? String == "0:4")
        let rejected = try #require(shot["rejected"] as? [[String: Any]])
        #expect(rejected.map { $0["id"] as? String } == ["0:3"])
        #expect(rejected.map { $0["reason"] as? String } == ["damaged: short"])
    }

    @Test func aMomentJustPastIsTakenOutOfHistory() throws {
        let outcome = try livecap(
            "shoot", "--synthetic", "tripod", "--size", "64x48", "--fps", "25", "--at", "-200ms", "-o",
            files.path("a.jpg"), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let shot = try outcome.object
        let (tap, reference) = (try #require(shot["tapNs"] as? Int), try #require(shot["referenceNs"] as? Int))
        #expect(shot["lagMs"] as? Double == Double(reference - tap) / 1e6)
    }

    /// The promised history depends on the actual size of frames, which is a fraction of the largest that a JPEG
    /// frame could have.
    @Test func aMomentBeforeThoseTheLargestFramesWouldLeaveIsTakenOutOfHistory() throws {
        let outcome = try livecap(
            "shoot", "--synthetic", "tripod:prerender=4", "--size", "320x240", "--format", "MJPG", "--at", "-400ms",
            "--quality", "mean", "--frames", "16", "-o", files.path("a.jpg"), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try (outcome.object["framesUsed"] as? [Any])?.count == 16)
    }

    @Test func moreHistoryThanThereIsIsRefused() throws {
        let outcome = try livecap(
            "shoot", "--synthetic", "tripod", "--size", "64x48", "--at", "-9s", "-o", files.path("a"))
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--ring"))
    }

    @Test func whatASceneCannotBeIsRefusedWithWhatItCan() throws {
        let unknown = try livecap("record", "--synthetic", "tripos", "-o", files.path("a"))
        #expect(unknown.status == 64 && unknown.errors.contains("tripod"))
        let format = try livecap("record", "--synthetic", "tripod", "--format", "H264", "-o", files.path("a"))
        #expect(format.status == 69 && format.errors.contains("YUYV"))
    }

    /// The bytes of all frames of a recording.
    private func payloads(of name: String) throws -> [UInt8] {
        let file = try openFrameFile(files.path(name))
        var bytes: [UInt8] = []
        for index in 0..<file.frameCount {
            var frame = [UInt8](repeating: 0, count: file.largestFrame)
            let metadata = try frame.withUnsafeMutableBytes { try file.read(index, into: $0) }
            bytes += frame[..<metadata.byteCount]
        }
        return bytes
    }
}
