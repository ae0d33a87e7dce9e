// SPDX-License-Identifier: MIT
// `livecap sync`: offsets that are measured with scenes, kept, listed and forgotten.

import Foundation
import Glibc
import LivecapPatience
import Testing

@Suite(.timeLimit(.long)) struct SyncCommandTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// A line with a state folder of its own.
    private func started(_ words: [String]) throws -> RunningLivecap {
        try FileManager.default.createDirectory(atPath: files.path("state"), withIntermediateDirectories: true)
        return try RunningLivecap(
            ["sync"] + words, shell: "export XDG_STATE_HOME='\(files.path("state"))'; exec \"$@\"")
    }

    private func sync(_ words: String...) throws -> Outcome { try started(words).finish() }

    /// Writes offsets of cameras that nobody has.
    private func keep(_ lines: String...) throws {
        let folder = files.path("state/livecap")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: folder + "/offsets"))
    }

    /// On a machine that draws the scenes too slowly a measurement may be refused, but it may not be wrong.
    @Test func theOffsetOfASceneIsFoundKeptAndForgotten() throws {
        let outcome = try sync(
            "calibrate", "--synthetic", "handheld:seed=1,motion=strong", "--synthetic",
            "handheld:seed=1,motion=strong,offset=40ms", "--size", "160x96", "--format", "GREY", "--for", "10s",
            "--json")
        #expect(outcome.errors.contains("wave a hand"))
        guard outcome.status == 0 else {
            #expect(outcome.status == 69, "\(outcome.errors)")
            #expect(try sync("list", "--json").objects.isEmpty)
            return
        }
        let found = try outcome.object
        let offset = try #require(found["offsetMs"] as? Double), bound = try #require(found["boundMs"] as? Double)
        #expect(abs(offset - 40) <= bound && bound <= 16, "\(found)")
        #expect(found["timeSources"] as? [String] == ["scene"])
        let kept = try sync("--json").object
        #expect(kept["offsetMs"] as? Double == offset && kept["boundMs"] as? Double == bound)
        let camera = try #require(kept["camera"] as? String)
        #expect(try sync("list").output.contains(" ms later than "))
        #expect(try sync("forget", camera).status == 0)
        #expect(try sync("forget", camera).status == 64)
        #expect(try sync().errors.contains("no offsets are kept"))
    }

    @Test func whereNothingMovesNothingIsKept() throws {
        let outcome = try sync(
            "calibrate", "--synthetic", "tripod:seed=1", "--synthetic", "tripod:seed=2", "--size", "96x64", "--format",
            "GREY", "--for", "4s", "--json")
        #expect(outcome.status == 69)
        #expect(
            ["too-little-change", "different-views", "too-few-frames"].contains(try outcome.object["code"] as? String),
            "\(outcome.output)")
        #expect(try sync("list", "--json").objects.isEmpty)
    }

    @Test func controlCKeepsNothingAndSaysSo() throws {
        let program = try started([
            "calibrate", "--synthetic", "tripod:seed=1", "--synthetic", "tripod:seed=2", "--size", "96x64", "--for",
            "5m",
        ])
        try eventually("what to do") { program.errors.contains("wave a hand") || !program.isRunning }
        program.signal(SIGINT)
        let outcome = program.finish()
        #expect(outcome.status == 130 && outcome.errors.contains("no offset is kept"), "\(outcome.errors)")
        #expect(try sync("list", "--json").objects.isEmpty)
    }

    @Test func oneCameraOfTheFileIsForgottenOrTwo() throws {
        try keep("usb-1\tusb-2\t5000000\t1000", "usb-1\tusb-3\t-2500000\t1000000", "usb-2\tusb-3\t1\t1", "")
        #expect(try sync("list", "--json").objects.count == 3)
        #expect(try sync().output.contains("usb-3: 2.50 ms earlier than usb-1, within 1.00 ms"))
        #expect(try sync("forget", "usb-3", "usb-2", "--json").object["offsetMs"] as? Double == 0.000001)
        #expect(try sync("list", "--json").objects.count == 2)
        #expect(try sync("forget", "usb-2").status == 0)
        #expect(try sync("list", "--json").object["camera"] as? String == "usb-3")
    }

    @Test func aDamagedFileIsReported() throws {
        try keep("usb-1\tusb-2\t5000000\t1000", "nonsense", "")
        let outcome = try sync()
        #expect(outcome.status == 0 && outcome.errors.contains("one line is ignored"), "\(outcome.errors)")
        #expect(outcome.output.contains("usb-2: 5.00 ms later than usb-1"))
    }

    @Test(arguments: [
        (["calibrate"], "two cameras or more"), (["calibrate", "--synthetic", "tripod"], "one is named"),
        (["calibrate", "--synthetic", "tripod", "--synthetic", "tripod", "--size", "64x48"], "named twice"),
        (["calibrate", "--synthetic", "tripod", "--synthetic", "nowhere"], "nowhere"),
        (["calibrate", "--synthetic", "tripod", "-d", "0"], "--device"),
        (["calibrate", "--synthetic", "tripod", "--synthetic", "handheld", "--for", "1s"], "--for"),
        (["forget"], "CAMERA"), (["forget", "a", "b", "c"], "two cameras"), (["forget", "a"], "no offset of a"),
        (["measure"], "measure"),
    ])
    func whatMakesNoSenseIsAUsageError(_ words: [String], _ reason: String) throws {
        let outcome = try started(words).finish()
        #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(outcome.status): \(outcome.errors)")
    }
}
