// SPDX-License-Identifier: MIT
// `livecap share --pipewire`, with a PipeWire of the test's own and a program that takes pictures from it.

import Foundation
import Glibc
import Testing

@Suite(.serialized) struct PipeWireTests {
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

    private func share(_ options: String...) throws -> RunningLivecap {
        try RunningLivecap(
            ["share", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--format", "GREY"]
                + ["--socket", files.path("s")] + options,
            shell: "XDG_RUNTIME_DIR='\(files.path("."))' exec \"$@\"")
    }

    /// Compiles the consumer, which also compares our declarations with PipeWire's own.
    private func compileConsumer() throws -> String {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Support/PipeWire/consumer.c").path
        let program = files.path("consumer")
        let compiling = try start(
            "cc -o '\(program)' '\(source)' $(pkg-config --cflags --libs libpipewire-0.3)", output: "compiler")
        try eventually("the compiler's end") { !compiling.isRunning }
        try #require(compiling.terminationStatus == 0)
        return program
    }

    @Test(arguments: ["30", "29.97"]) func aProgramTakesPicturesFromTheNode(rate: String) throws {
        let consumer = try compileConsumer()
        let daemon = try start("pipewire")
        defer { daemon.terminate() }
        try eventually("PipeWire") { FileManager.default.fileExists(atPath: files.path("pipewire-0")) }
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
        // PipeWire's end is reported, and the socket goes on.
        daemon.terminate()
        try eventually("its end") { livecap.errors.contains("PipeWire has gone") }
        #expect(FileManager.default.fileExists(atPath: files.path("s")))
        livecap.signal(SIGINT)
        #expect(livecap.finish().status == 0)
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
