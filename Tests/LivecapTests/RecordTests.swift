// SPDX-License-Identifier: MIT
// `livecap record`: its report, how it ends, and what remains if it ends otherwise.

import Foundation
import LivecapPatience
import Testing

@Suite struct RecordTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Starts recording a file whose frames last for minutes at their pace.
    private func endless(to name: String = "a.lcap", shell: String? = nil, output: FileHandle? = nil) throws
        -> RunningLivecap
    {
        let frames = try files.rawFrames(2000)
        return try RunningLivecap(
            ["record", "--replay", frames, "--pace", "realtime", "--fps", "20", "-o", files.path(name), "--json"]
                + Scratch.rawOptions,
            shell: shell, output: output)
    }

    private func info(_ name: String) throws -> [String: Any] { try livecap("info", files.path(name), "--json").object }

    /// Waits until a frame has been recorded.
    private func waitForFrames(in name: String) throws {
        try eventually("a frame in \(name)") { (try? files.bytes(name).count) ?? 0 > 20_000 }
    }

    @Test func documentedKeysArePresent() throws {
        let frames = try files.rawFrames(10)
        let outcome = try RunningLivecap(
            ["record", "--replay", frames, "--frames", "7", "-o", files.path("a"), "--json"]
                + Scratch.rawOptions
        ).finish()
        #expect(outcome.status == 0)
        let object = try outcome.object
        #expect(object["file"] as? String == files.path("a"))
        #expect(object["frames"] as? Int == 7)
        #expect(object["width"] as? Int == 64 && object["height"] as? Int == 48)
        #expect(object["format"] as? String == "NV12")
        #expect(object["firstNs"] as? Int == 0 && object["lastNs"] as? Int == 200_000_000)
        #expect(object["gaps"] as? Int == 0 && object["damaged"] as? Int == 0 && object["dropped"] as? Int == 0)
        let read = try info("a")
        for key in ["frames", "width", "height", "firstNs", "lastNs", "gaps", "damaged", "dropped"] {
            #expect(read[key] as? Int == object[key] as? Int, "\(key)")
        }
    }

    @Test func infoSaysTheSameOfWhatWasRecorded() throws {
        let frames = try files.rawFrames(12)
        let whole = files.path("whole.lcap")
        try #require(
            RunningLivecap(["record", "--replay", frames, "-o", whole] + Scratch.rawOptions).finish().status == 0)
        // Cut within the fifth frame, and with an invalid header of the second: one frame is lost, three are left.
        var bytes = try files.bytes("whole.lcap")
        let magics = bytes.indices.filter { bytes[$0...].starts(with: [0x89, UInt8(ascii: "L"), UInt8(ascii: "C")]) }
        bytes.removeSubrange((magics[5] + 2000)...)
        bytes[magics[2] + 9] ^= 1
        let broken = try files.write(bytes, to: "broken.lcap")
        let recorded = try livecap("record", "--replay", broken, "-o", files.path("a"), "--json").object
        #expect(recorded["frames"] as? Int == 3 && recorded["lost"] as? Int == 1 && recorded["gaps"] as? Int == 1)
        #expect(recorded["droppedByRing"] as? Int == 0)
        let read = try info("a")
        let onlyInInfo: Set = [
            "repaired", "undecodable", "intact", "index", "lostFrames", "damagedStretches", "tornBytes",
        ]
        #expect(Set(recorded.keys).subtracting(read.keys) == ["bytesCopied", "ring", "transport"])
        #expect(Set(read.keys).subtracting(recorded.keys) == onlyInInfo)
        for key in Set(read.keys).intersection(recorded.keys).subtracting(["droppedByRing"]) {
            #expect((read[key] as? NSObject) == (recorded[key] as? NSObject), "\(key)")
        }
    }

    @Test func aDurationIsMeasuredInTheFramesTimes() throws {
        let frames = try files.rawFrames(30)
        let outcome = try RunningLivecap(
            ["record", "--replay", frames, "-t", "500ms", "-o", files.path("a"), "--json"]
                + Scratch.rawOptions
        ).finish()
        // Frames at 0, 33.3 ... 466.7 ms. The one at 500 ms is the first that is too late.
        #expect(try outcome.object["frames"] as? Int == 15)
    }

    @Test func aFileThatIsThereIsNotReplacedUnasked() throws {
        let path = try files.write([1, 2, 3], to: "a.lcap")
        let frames = try files.rawFrames(3)
        let arguments = ["record", "--replay", frames, "-o", path] + Scratch.rawOptions
        let refused = try RunningLivecap(arguments).finish()
        #expect(refused.status == 73)
        #expect(refused.errors.contains("--overwrite"))
        #expect(try files.bytes("a.lcap") == [1, 2, 3])
        #expect(try RunningLivecap(arguments + ["--overwrite"]).finish().status == 0)
        #expect(try info("a.lcap")["frames"] as? Int == 3)
    }

    @Test func aMissingFolderEnds73() throws {
        let frames = try files.rawFrames(3)
        let outcome = try RunningLivecap(
            ["record", "--replay", frames, "-o", files.path("none/a")] + Scratch.rawOptions
        ).finish()
        #expect(outcome.status == 73)
    }

    @Test func aMissingReplayEnds66() throws {
        let outcome = try livecap("record", "--replay", files.path("none"), "-o", files.path("a"))
        #expect(outcome.status == 66)
        #expect(files.names == [])
    }

    @Test(.enabled(if: !cameraExists, "this machine has a camera"))
    func withoutACameraTheOtherSourcesAreNamed() throws {
        let outcome = try livecap("record", "-o", files.path("a"), "--json")
        #expect(outcome.status == 69)
        let object = try outcome.object
        #expect(object["code"] as? String == "no-such-device")
        let hint = try #require(object["hint"] as? String)
        #expect(hint.contains("--synthetic") && hint.contains("--replay"))
        #expect(files.names == [])
    }

    @Test func aDeviceThatIsNoneEnds69() throws {
        let outcome = try livecap("record", "--device", "/dev/null", "-o", files.path("a"))
        #expect(outcome.status == 69)
        #expect(files.names == [])
    }

    @Test(arguments: [(SIGINT, 0), (SIGTERM, 128 + SIGTERM), (SIGHUP, 128 + SIGHUP)] as [(Int32, Int32)])
    func aSignalEndsWithAWholeFile(signal: Int32, status: Int32) throws {
        let program = try endless()
        try waitForFrames(in: "a.lcap")
        program.signal(signal)
        let outcome = program.finish()
        #expect(outcome.status == status)
        let reported = try outcome.object
        let read = try info("a.lcap")
        #expect(read["intact"] as? Bool == true)
        #expect(read["index"] as? String == "intact")
        #expect(read["frames"] as? Int == reported["frames"] as? Int)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalTheParentHadIgnoredIsIgnored(signal: Int32) throws {
        let program = try endless(shell: "trap '' \(signal); exec \"$@\"")
        try waitForFrames(in: "a.lcap")
        program.signal(signal)
        let before = try files.bytes("a.lcap").count
        // More than an index could add: frames are still being recorded.
        try eventually("more frames") { (try? files.bytes("a.lcap").count) ?? 0 > before + 40_000 }
        let last = signal == SIGINT ? SIGTERM : SIGINT
        program.signal(last)
        #expect(program.finish().status == (last == SIGINT ? 0 : 128 + SIGTERM))
        #expect(try info("a.lcap")["index"] as? String == "intact")
    }

    /// A recording that cannot end, because its last words go to a full pipe.
    private func endlessIntoAFullPipe(_ pipe: Pipe) throws -> RunningLivecap {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        while write(descriptor, [UInt8](repeating: 10, count: 4096), 4096) > 0 {}
        while write(descriptor, [10] as [UInt8], 1) > 0 {}
        _ = fcntl(descriptor, F_SETFL, flags)
        let program = try endless(output: pipe.fileHandleForWriting)
        try waitForFrames(in: "a.lcap")
        return program
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSecondSignalEndsAtOnce(signal: Int32) throws {
        let pipe = Pipe()
        let program = try endlessIntoAFullPipe(pipe)
        program.signal(SIGINT)
        try eventually("the end of the file") { (try? info("a.lcap")["index"] as? String) == "intact" }
        // Those that come too soon are part of the same gesture. The first that is not ends it.
        try eventually("the end") {
            program.signal(signal)
            return !program.isRunning
        }
        #expect(program.finish(within: 20).status == 128 + signal)
        try pipe.fileHandleForReading.close()
    }

    @Test func aSignalSentTwiceAtOnceIsOne() throws {
        // As timeout(1) does, which signals the process and its group.
        let pipe = Pipe()
        let program = try endlessIntoAFullPipe(pipe)
        program.signal(SIGTERM)
        program.signal(SIGTERM)
        try eventually("the end of the file") { (try? info("a.lcap")["index"] as? String) == "intact" }
        try pipe.fileHandleForWriting.close()
        _ = try pipe.fileHandleForReading.readToEnd()
        #expect(program.finish(within: 20).status == 128 + SIGTERM)
        #expect(try info("a.lcap")["index"] as? String == "intact")
    }

    @Test func listingDevicesNeedsNothingElse() throws {
        let outcome = try RunningLivecap(["record", "--list-devices"]).finish()
        #expect(outcome.status == 0)
    }

    @Test(arguments: [SIGHUP, SIGINT]) func aSecondHangupDoesNotCutTheEnd(first: Int32) throws {
        let pipe = Pipe()
        let program = try endlessIntoAFullPipe(pipe)
        program.signal(first)
        try eventually("the end of the file") { (try? info("a.lcap")["index"] as? String) == "intact" }
        let naps = program.naps(of: "signals")
        program.signal(SIGHUP)
        // The thread that took it waits for the next one. This program writes the rest when the pipe is read.
        try eventually("the hangup") { !program.isPending(SIGHUP) && program.naps(of: "signals") > naps }
        try pipe.fileHandleForWriting.close()
        let words = try pipe.fileHandleForReading.readToEnd() ?? Data()
        #expect(String(decoding: words, as: UTF8.self).contains("\"frames\""))
        #expect(program.finish(within: 20).status == (first == SIGINT ? 0 : 128 + SIGHUP))
    }

    @Test func aReaderThatLeavesDoesNotEndARecording() throws {
        let pipe = Pipe()
        let frames = try files.rawFrames(10)
        let program = try RunningLivecap(
            ["record", "--replay", frames, "--pace", "realtime", "--fps", "50", "-o", files.path("a"), "--json"]
                + Scratch.rawOptions,
            output: pipe.fileHandleForWriting)
        try pipe.fileHandleForReading.close()
        let outcome = program.finish()
        #expect(outcome.status == 0)
        #expect(try info("a")["frames"] as? Int == 10)
    }

    // The thread sanitizer cannot set up its own memory under a limit on file sizes.
    @Test(.enabled(if: getenv("LIVECAP_SANITIZER").map { String(cString: $0) } != "thread"))
    func aFullDiskIsSaidAndWhatWasRecordedStays() throws {
        let frames = try files.rawFrames(100)
        // 128 blocks, of 512 bytes in some shells and of 1024 in others, hold at most 28 frames of 4608 bytes.
        let outcome = try RunningLivecap(
            ["record", "--replay", frames, "-o", files.path("a"), "--json"] + Scratch.rawOptions,
            shell: "ulimit -f 128; exec \"$@\""
        ).finish()
        #expect(outcome.status == 74)
        #expect(outcome.errors.contains("ulimit -f"), "\(outcome.errors)")
        #expect(try outcome.objects.last?["code"] as? String == "file-error")
        let read = try info("a")
        let kept = try #require(read["frames"] as? Int)
        #expect((1...28).contains(kept))
        #expect(read["damaged"] as? Int == 0)
    }

    /// Also those of .mkv files, which are written by the second.
    @Test(
        .enabled(if: getenv("LIVECAP_SANITIZER").map { String(cString: $0) } != "thread"),
        arguments: [("a.mkv", "YUYV"), ("a.y4m", "YUYV"), ("a.mjpg", "MJPG")])
    func framesThatFoundNoRoomAreNotSaidToBeThere(name: String, format: String) throws {
        let outcome = try RunningLivecap(
            [
                "record", "--synthetic", "tripod:prerender=4", "--size", "32x24", "--format", format, "--pace", "fast",
                "-n", "500", "-o", files.path(name), "--json",
            ], shell: "ulimit -f 128; exec \"$@\""
        ).finish()
        #expect(outcome.status == 74, "\(outcome.errors)")
        let said = try #require(outcome.objects.first?["frames"] as? Int)
        let found = try info(name)
        let track = (found["tracks"] as? [[String: Any]])?.first
        #expect((found["frames"] ?? track?["packets"]) as? Int == said, "\(said): \(found)")
        #expect(found["tornBytes"] as? Int ?? 0 == 0 && found["damaged"] as? Int ?? 0 == 0, "\(found)")
    }

    @Test func progressIsForTerminalsOnly() throws {
        let frames = try files.rawFrames(10)
        let outcome = try RunningLivecap(
            ["record", "--replay", frames, "--pace", "realtime", "--fps", "20", "-o", files.path("a")]
                + Scratch.rawOptions
        ).finish()
        #expect(!outcome.errors.contains("\r") && !outcome.errors.contains("\u{1B}"))
    }

    static var cameraExists: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        return names.contains { $0.hasPrefix("video") }
    }
}
