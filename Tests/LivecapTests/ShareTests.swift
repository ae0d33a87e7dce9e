// SPDX-License-Identifier: MIT
// `livecap share`, read by the example client in Python.

import Foundation
import Glibc
import LivecapPatience
import Testing

@Suite struct ShareTests {
    private let files: Scratch
    private var socket: String { files.path("s") }

    init() throws { files = try Scratch() }

    /// Shares a file of 900 frames at 30 frames per second, and waits until readers may come.
    private func share() throws -> RunningLivecap {
        let frames = try files.rawFrames(900)
        let livecap = try RunningLivecap(
            ["share", "--replay", frames] + Scratch.rawOptions + ["--fps", "30", "--socket", socket, "--json"])
        try eventually("the beginning") { livecap.output.hasSuffix("\n") }
        return livecap
    }

    /// Starts the client in Python, to read so many frames, or all. Returns it and what it has printed.
    private func reader(_ count: Int?) throws -> (process: Process, lines: () -> [String]) {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/Sharing/reader.py").path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [script, socket] + (count.map { ["\($0)"] } ?? [])
        let output = try files.write([], to: "lines")
        process.standardOutput = FileHandle(forWritingAtPath: output)
        try process.run()
        return (process, { (files.text("lines")).split(separator: "\n").map(String.init) })
    }

    @Test func anotherProcessReadsTheFramesOfTheFile() throws {
        let livecap = try share()
        let (process, lines) = try reader(5)
        try eventually("five frames") { !process.isRunning }
        #expect(process.terminationStatus == 0)
        let bytes = try files.bytes("frames.nv12")
        #expect(lines().count == 5)
        for line in lines() {
            let words = line.split(separator: " ")
            let (number, size) = (try #require(Int(words[0])), 64 * 48 * 3 / 2)
            let sum = bytes[number * size..<(number + 1) * size].reduce(0) { $0 + Int($1) }
            #expect(words[2...] == ["\(size)", String(format: "%.2f", Double(sum) / Double(size))[...]])
        }
        livecap.signal(SIGINT)
        let outcome = livecap.finish()
        #expect(outcome.status == 0)
        let objects = try outcome.objects
        #expect(objects.count == 2 && objects[0]["socket"] as? String == socket)
        #expect(objects[0]["format"] as? String == "NV12" && objects[0]["width"] as? Int == 64)
        #expect(objects[1]["readers"] as? Int == 1 && (objects[1]["frames"] as? Int ?? 0) >= 5)
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test func aReaderNoticesThatLivecapWasKilled() throws {
        let livecap = try share()
        let (process, lines) = try reader(nil)
        try eventually("a frame") { !lines().isEmpty }
        livecap.signal(SIGKILL)
        #expect(livecap.finish().status == -SIGKILL)
        try eventually("the reader's end") { !process.isRunning }
        #expect(process.terminationStatus == 0)
    }

    @Test func theEndOfTheFileEndsIt() throws {
        let frames = try files.rawFrames(3)
        let outcome = try RunningLivecap(
            ["share", "--replay", frames] + Scratch.rawOptions + ["--fps", "30", "--socket", socket]
        ).finish()
        #expect(outcome.status == 0 && outcome.output == "3 frames, 0 readers\n")
        #expect(outcome.errors.contains("sharing") && outcome.errors.contains(socket))
    }

    @Test func aSocketInUseIsNamed() throws {
        let livecap = try share()
        let second = try RunningLivecap(["share", "--synthetic", "tripod", "--socket", socket, "--json"]).finish()
        #expect(second.status == 69 && second.output.contains("socket-in-use"))
        livecap.signal(SIGTERM)
        #expect(livecap.finish().status == 143)
    }

    @Test func everyoneNeedsASocketThatEveryoneReaches() throws {
        let outcome = try livecap("share", "--synthetic", "tripod", "--everyone")
        #expect(outcome.status == 64 && outcome.errors.contains("--socket"))
    }

    @Test func theCameraRestsUntilThereIsAReader() throws {
        let livecap = try RunningLivecap([
            "share", "--synthetic", "tripod", "--size", "64x48", "--socket", socket, "--idle-off", "300ms", "--ring",
            "1s",
        ])
        try eventually("the rest") { livecap.errors.contains("the camera is off until it is needed") }
        // More than the history holds.
        let (process, lines) = try reader(100)
        try eventually("a hundred frames") { !process.isRunning }
        #expect(process.terminationStatus == 0 && lines().count == 100)
        try eventually("the return") { livecap.errors.contains("frames are arriving again") }
        livecap.signal(SIGTERM)
        #expect(livecap.finish().status == 143)
    }

    @Test(arguments: [
        (["--zoom", "2"], "--pipewire"), (["--loopback", "/dev/video77", "--idle-off", "1s"], "exclude"),
        (["--mount", "45"], "180,mirror"), (["--replay", "x.lcap", "--idle-off", "1s"], "switched off"),
    ])
    func whatHasNoEffectIsRefused(words: [String], hint: String) throws {
        let source = words.contains("--replay") ? [] : ["--synthetic", "tripod"]
        let outcome = try RunningLivecap(["share", "--socket", socket] + source + words).finish()
        #expect(outcome.status == 64 && outcome.errors.contains(hint), "\(outcome.errors)")
    }
}
