// SPDX-License-Identifier: MIT
// `livecap share --pipewire`, with a PipeWire of the test's own and a program that takes pictures from it.

import Foundation
import Glibc
import LivecapPatience
import Testing

@Suite(.serialized, .timeLimit(.usual)) struct PipeWireTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Starts a program in the test's own session: PipeWire's sockets lie in its runtime folder.
    private func start(_ command: String, output: String = "nothing") throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exec " + command]
        process.environment = ProcessInfo.processInfo.environment.merging(["XDG_RUNTIME_DIR": files.path(".")]) { $1 }
        let path = try files.write([], to: output)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: path)
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Starts PipeWire, and waits until programs can connect.
    private func startDaemon() throws -> Process {
        let daemon = try start("pipewire")
        try eventually("PipeWire") { FileManager.default.fileExists(atPath: files.path("pipewire-0")) }
        return daemon
    }

    /// Shares a scene in the test's session. `setting` is a variable of the environment.
    private func share(_ options: String..., setting: String = "") throws -> RunningLivecap {
        try RunningLivecap(
            ["share", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--format", "GREY"]
                + ["--socket", files.path("s")] + options,
            shell: "XDG_RUNTIME_DIR='\(files.path("."))' \(setting) exec \"$@\"")
    }

    /// A path relative to this file's folder.
    private static func path(_ relative: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: relative).path
    }

    /// Compiles the consumer, which also compares our declarations with PipeWire's own.
    private func compileConsumer() throws -> String {
        let source = Self.path("../Support/PipeWire/consumer.c")
        let program = files.path("consumer")
        let compiling = try start(
            "cc -o '\(program)' '\(source)' $(pkg-config --cflags --libs libpipewire-0.3)", output: "compiler")
        try eventually("the compiler's end") { !compiling.isRunning }
        try #require(compiling.terminationStatus == 0)
        return program
    }

    @Test(arguments: ["30", "29.97"]) func aProgramTakesPicturesFromTheNode(rate: String) throws {
        let consumer = try compileConsumer()
        let daemon = try startDaemon()
        defer { daemon.terminate() }
        let livecap = try share("--pipewire", "--fps", rate)
        try eventually("the note") { livecap.errors.contains("PipeWire's camera") }
        let taking = try start("'\(consumer)' 3", output: "pictures")
        defer { taking.terminate() }
        // As a session manager would do.
        try eventually("the link") { try! linked(port(of: "livecap.synthetic"), "consumer:in_0") }
        try eventually("three pictures") { !taking.isRunning }
        let pictures = files.text("pictures").split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(pictures.count == 3)
        for picture in pictures {
            // YUYV of 64x48: its last byte is chroma, which grey pictures have none of; its first is brightness.
            #expect(Array(picture[0...1]) == ["6144", "128"] && picture[3] == "128")
            #expect((16...235).contains(Int(picture[2])!) && Int(picture[4])! > 0)
        }
        livecap.signal(SIGINT)
        #expect(livecap.finish().status == 0)
    }

    @Test(arguments: ["run", "serve", "live"]) func theCameraOfOtherCommandsIsANodeToo(command: String) throws {
        let consumer = try compileConsumer()
        let daemon = try startDaemon()
        defer { daemon.terminate() }
        let own =
            switch command {
            case "run": ["--idle-off", "1h", "--no-socket"]
            case "serve": ["--idle-off", "1h", "--listen", "0", "--library", files.path("library")]
            default: [String]()
            }
        // Standard input has nothing, and does not end.
        let input = "mkfifo '\(files.path("in"))' && exec 4<>'\(files.path("in"))'"
        let livecap = try RunningLivecap(
            [command, "--synthetic", "tripod:prerender=4", "--size", "64x48", "--format", "MJPG"]
                + ["--to", "pipewire:Desk"] + own,
            shell: "\(input); XDG_RUNTIME_DIR='\(files.path("."))' exec \"$@\" <&4")
        try eventually("the note") { livecap.errors.contains("PipeWire's camera 'Desk'") }
        let taking = try start("'\(consumer)' 3", output: "pictures")
        defer { taking.terminate() }
        try eventually("the link") { try! linked(port(of: "livecap.live-synthetic"), "consumer:in_0") }
        try eventually("three pictures") { !taking.isRunning }
        #expect(files.text("pictures").split(separator: "\n").count == 3)
        livecap.signal(SIGINT)
        #expect(livecap.finish().status == 0, "\(livecap.errors)")
    }

    /// Nothing is fused for it, not even the frame that showed what frames decode to, and that is no failure.
    @Test func aCameraThatNobodyLooksAtEndsLikeOthers() throws {
        let daemon = try startDaemon()
        defer { daemon.terminate() }
        let livecap = try RunningLivecap(
            ["live", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--format", "MJPG", "--to", "pipewire"],
            shell: "XDG_RUNTIME_DIR='\(files.path("."))' exec \"$@\"")
        try eventually("the note") { livecap.errors.contains("Ctrl-C ends it") }
        livecap.signal(SIGINT)
        let outcome = livecap.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "0 frames, because nobody looked\n")
    }

    @Test func readersAreServedOnAfterTheEndOfPipeWire() throws {
        let daemon = try startDaemon()
        defer { daemon.terminate() }
        let livecap = try share("--pipewire")
        try eventually("the note") { livecap.errors.contains("PipeWire's camera") }
        let reader = try start(
            "/usr/bin/python3 '\(Self.path("../../Examples/Sharing/reader.py"))' '\(files.path("s"))'",
            output: "frames")
        defer { reader.terminate() }
        func count() -> Int { files.text("frames").split(separator: "\n").count }
        try eventually("a frame") { count() > 0 }
        kill(daemon.processIdentifier, SIGKILL)
        try eventually("its end") { livecap.errors.contains("note: PipeWire has gone") }
        let before = count()
        try eventually("more frames") { count() >= before + 30 }
        livecap.signal(SIGINT)
        let outcome = livecap.finish()
        #expect(outcome.status == 0 && outcome.errors.components(separatedBy: "PipeWire has gone").count == 2)
        try eventually("the reader's end") { !reader.isRunning }
        #expect(reader.terminationStatus == 0)
    }

    /// The output of the node whose name begins so; empty if there is none yet.
    private func port(of node: String) throws -> String {
        let listing = try start("pw-link -o", output: "ports")
        while listing.isRunning { usleep(1000) }
        return files.text("ports").split(separator: "\n").first { $0.hasPrefix(node) }.map { "'\($0)'" } ?? "''"
    }

    private func linked(_ output: String, _ input: String) throws -> Bool {
        let linking = try start("pw-link \(output) \(input)", output: "link")
        while linking.isRunning { usleep(1000) }
        return linking.terminationStatus == 0
    }

    /// Its file is one that cannot be loaded.
    @Test func withoutLibpipewireThatIsSaid() throws {
        try FileManager.default.createDirectory(atPath: files.path("libraries"), withIntermediateDirectories: true)
        try files.write([], to: "libraries/libpipewire-0.3.so.0")
        let setting = "LD_LIBRARY_PATH='\(files.path("libraries"))'"
        let outcome = try share("--pipewire", "--json", setting: setting).finish()
        #expect(outcome.status == 69)
        #expect(try outcome.object["code"] as? String == "no-pipewire")
        #expect(!FileManager.default.fileExists(atPath: files.path("s")))
    }

    @Test func withoutPipeWireRunningThatIsSaid() throws {
        let outcome = try share("--pipewire", "--json").finish()
        #expect(outcome.status == 69 && outcome.output.contains("pipewire-not-running"))
        #expect(!FileManager.default.fileExists(atPath: files.path("s")))
    }

    @Test func aLoopbackThatIsNoDeviceIsNamed() throws {
        let outcome = try share("--loopback", "/dev/null").finish()
        #expect(outcome.status == 69 && outcome.errors.contains("/dev/null does not take pictures"))
    }
}
