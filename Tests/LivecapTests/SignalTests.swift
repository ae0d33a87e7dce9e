// SPDX-License-Identifier: MIT
// Signals at the edges of a program's life: before it is ready, before the first frame, and SIGQUIT, an immediate end.

import Foundation
import Glibc
import LivecapPatience
import Testing

@Suite(.timeLimit(.usual)) struct SignalTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private var scene: [String] { ["--synthetic", "tripod", "--size", "64x48", "--format", "YUYV"] }

    /// Starts the program with a signal that is pending from its first instruction on.
    private func livecap(
        _ arguments: [String], pending signal: String, input: String = "/dev/null"
    ) throws -> RunningLivecap {
        let waiting = "kill -\(signal) $$; exec \"$@\""
        return try RunningLivecap(
            arguments, shell: "exec env --block-signal=\(signal) sh -c '\(waiting)' sh \"$@\" <'\(input)'")
    }

    private func run(_ options: String...) -> [String] {
        ["run", "--no-socket", "--quality", "single", "-o", files.path("out") + "/"] + scene + options
    }

    @Test func aTapBeforeAnybodyListensIsRefusedInWords() throws {
        let program = try livecap(run(), pending: "USR1")
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        #expect(program.errors.contains("1 tap by signal came before livecap was ready and was not taken"))
        program.signal(SIGTERM)
        #expect(program.finish().output == "")
        #expect(files.names == [])
    }

    @Test(arguments: [SIGUSR1, __libc_current_sigrtmin()]) func aTapEndsNoOtherCommand(signal: Int32) throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        while write(descriptor, [UInt8](repeating: 10, count: 4096), 4096) > 0 {}
        _ = fcntl(descriptor, F_SETFL, flags)
        let program = try RunningLivecap(["man"], output: pipe.fileHandleForWriting)
        // SIGXFSZ is ignored in the program's first lines.
        try eventually("the beginning") { program.isIgnored(SIGXFSZ) }
        program.signal(signal)
        try pipe.fileHandleForWriting.close()
        _ = try pipe.fileHandleForReading.readToEnd()
        #expect(program.finish().status == 0)
    }

    @Test(arguments: ["shoot", "record", "run"]) func ctrlCBeforeTheFirstFrameLeavesNothing(command: String) throws {
        let output = ["-o", files.path(command == "record" ? "a.lcap" : "a.jpg")]
        let outcome = try livecap([command] + scene + output, pending: "INT").finish()
        #expect(outcome.status == 128 + SIGINT, "\(outcome.errors)")
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("before anything was taken"), "\(outcome.errors)")
        #expect(files.names == [])
    }

    @Test func ctrlCBeforeAnythingIsServedIsCalledSo() throws {
        let outcome = try livecap(
            ["serve", "--listen", "0", "--library", files.path("library")] + scene, pending: "INT"
        ).finish()
        #expect(outcome.status == 128 + SIGINT && outcome.output == "")
        #expect(outcome.errors.contains("before the page was served"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("written"))
    }

    /// A pipe that nobody else opens, or ends.
    private func pipe() throws -> (path: String, handle: FileHandle) {
        let path = files.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        return (path, try #require(FileHandle(forUpdatingAtPath: path)))
    }

    @Test(arguments: [
        ["shoot", "--replay", "-", "-o", "OUT.jpg"], ["run", "--no-socket", "--replay", "-", "-o", "OUT/"],
        ["record", "--replay", "-", "-o", "OUT.lcap"], ["export", "-", "-o", "OUT.y4m"],
    ]) func oneSignalEndsTheWaitForInput(line: [String]) throws {
        let words = line.map { $0.hasPrefix("OUT") ? files.path("out") + $0.dropFirst(3) : $0 }
        let (path, handle) = try pipe()
        let outcome = try livecap(words, pending: "TERM", input: path).finish()
        try handle.close()
        #expect(outcome.status == 128 + SIGTERM, "\(outcome.errors)")
        #expect(outcome.output == "" && outcome.errors.contains("stopped before"), "\(outcome.errors)")
    }

    @Test func oneSignalEndsTheWaitForAReader() throws {
        let frames = try files.rawFrames(3)
        let (path, handle) = try pipe()
        try handle.close()
        let line = ["export", frames, "--to", "y4m", "-o", path] + Scratch.rawOptions
        let outcome = try livecap(line, pending: "TERM").finish()
        #expect(outcome.status == 128 + SIGTERM, "\(outcome.errors)")
        #expect(files.names == ["frames.nv12", "pipe"])
    }

    @Test func quitEndsAtOnce() throws {
        let program = try RunningLivecap(run(), shell: "ulimit -c 0; exec \"$@\"")
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        program.signal(SIGQUIT)
        let outcome = program.finish()
        #expect(outcome.status == -SIGQUIT, "\(outcome.errors)")
        #expect(!outcome.errors.contains("Thread 0"))
    }

    @Test func whereCtrlCIsIgnoredAnotherEndIsNamed() throws {
        let program = try RunningLivecap(run(), shell: "trap '' INT; exec \"$@\"")
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        #expect(program.errors.contains("; 'kill ") && !program.errors.contains("Ctrl-C"), "\(program.errors)")
        program.signal(SIGTERM)
        #expect(program.finish().status == 128 + SIGTERM)
    }
}
