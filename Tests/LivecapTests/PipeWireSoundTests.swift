// SPDX-License-Identifier: MIT
// Sound through PipeWire, with a PipeWire and a session manager of the test's own, and a microphone that is a program.

import Foundation
import Glibc
import LivecapPatience
import Testing

/// Whether a session can be had: PipeWire's daemon connects nothing by itself.
private let hasSession = ["pipewire", "wireplumber", "dbus-run-session"].allSatisfy(isInstalled)

@Suite(.serialized, .timeLimit(.usual)) struct PipeWireSoundTests {
    private static let scene = ["--synthetic", "tripod:prerender=4", "--size", "64x48"]
    private static let source = "pipewire:lab"
    private let files: Scratch

    init() throws {
        files = try Scratch()
        for folder in ["state", "config"] {
            try FileManager.default.createDirectory(atPath: files.path(folder), withIntermediateDirectories: true)
        }
    }

    /// Starts a program in the test's own session: sockets, settings and states lie in its folder.
    private func start(_ command: String, output: String = "nothing") throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exec " + command]
        let own = [
            "XDG_RUNTIME_DIR": files.path("."), "XDG_STATE_HOME": files.path("state"),
            "XDG_CONFIG_HOME": files.path("config"),
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        let path = try files.write([], to: output)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: path)
        process.standardError = FileHandle(forWritingAtPath: path)
        try process.run()
        return process
    }

    private func startDaemon() throws -> Process {
        let daemon = try start("pipewire", output: "pipewire.log")
        try eventually("PipeWire") { FileManager.default.fileExists(atPath: files.path("pipewire-0")) }
        return daemon
    }

    /// The session manager ends with the daemon.
    private func startManager() throws -> Process {
        try start("dbus-run-session -- wireplumber", output: "wireplumber.log")
    }

    private func compileMicrophone() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../Support/PipeWire/source.c"
        ).path
        let compiling = try start(
            "cc -O1 -o '\(files.path("source"))' '\(source)' $(pkg-config --cflags --libs libpipewire-0.3) -lm",
            output: "compiler")
        try eventually("the compiler's end") { !compiling.isRunning }
        try #require(compiling.terminationStatus == 0, "\(files.text("compiler"))")
    }

    /// Starts the microphone, and waits until it is listed.
    private func startMicrophone() throws -> Process {
        let microphone = try start("'\(files.path("source"))' lab")
        try eventually("the microphone in the list") { (try? list().contains(Self.source)) == true }
        return microphone
    }

    private func program(_ arguments: [String], setting: String = "") throws -> RunningLivecap {
        try RunningLivecap(arguments, shell: "XDG_RUNTIME_DIR='\(files.path("."))' \(setting) exec \"$@\"")
    }

    private func list() throws -> [String] {
        try program(["devices", "--microphones", "--json"]).finish().objects
            .filter { $0["system"] as? String == "pipewire" }.compactMap { $0["id"] as? String }
    }

    private func movie(_ sound: String, _ more: String..., setting: String = "") throws -> RunningLivecap {
        try program(
            ["movie"] + Self.scene + ["-o", files.path("a.mkv"), "--sound", sound, "--json"] + more, setting: setting)
    }

    // MARK: With a session

    @Test(.enabled(if: hasSession, "no session manager of PipeWire's is installed"))
    func whatASourcePlaysIsInTheMovieAtItsTime() throws {
        try compileMicrophone()
        let daemon = try startDaemon()
        defer { daemon.terminate() }
        let manager = try startManager()
        defer { manager.terminate() }
        let microphone = try startMicrophone()
        defer { microphone.terminate() }
        let outcome = try movie(Self.source, "-t", "6s").finish()
        try #require(outcome.status == 0, "\(outcome.errors)")
        let sound = try #require(try outcome.object["sound"] as? [String: Any])
        #expect(sound["id"] as? String == Self.source && sound["microphone"] as? String == "Lab microphone")
        #expect(sound["claimedRate"] as? Int == 48_000)
        let decoded = files.path("a.f32")
        try #require(
            try run("ffmpeg", ["-v", "error", "-i", files.path("a.mkv"), "-ac", "1", "-f", "f32le", decoded]) == 0)
        let track = try files.bytes("a.f32").withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(track.count > 5 * 48_000)
        // Clicks are at whole seconds of the clock by which samples have their places, whatever was lost in between.
        let first = try #require(try outcome.object["firstNs"] as? Int)
        let clicks = Self.clicks(track).map { first + $0 * 1_000_000_000 / 48_000 }
        #expect(clicks.count >= 2, "\(sound)")
        for click in clicks {
            let rest = click % 1_000_000_000
            #expect(min(rest, 1_000_000_000 - rest) < 25_000_000, "\(clicks.map { $0 % 1_000_000_000 }), \(sound)")
        }
        // The tone of 1 kHz is what is heard in between.
        let heard = Self.shares(track, of: 1000)
        #expect(heard.count >= 20 && heard.sorted()[heard.count / 2] > 0.9, "\(heard)")
    }

    @Test(
        .enabled(if: hasSession, "no session manager of PipeWire's is installed"),
        arguments: [("auto", source), ("default", "pipewire"), ("pipewire", "pipewire"), ("Lab", source)])
    func itIsChosenBeforeALSAs(sound: String, id: String) throws {
        try compileMicrophone()
        let daemon = try startDaemon()
        defer { daemon.terminate() }
        let manager = try startManager()
        defer { manager.terminate() }
        let microphone = try startMicrophone()
        defer { microphone.terminate() }
        let outcome = try movie(sound, "-t", "500ms").finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect((try outcome.object["sound"] as? [String: Any])?["id"] as? String == id)
        let listed = try program(["devices", "--microphones"]).finish()
        #expect(listed.output.contains("Lab microphone (pipewire:lab)"), "\(listed.output)")
    }

    @Test(.enabled(if: hasSession, "no session manager of PipeWire's is installed"))
    func aSourceThatGoesIsUsedAgainWhenItIsBack() throws {
        try compileMicrophone()
        let daemon = try startDaemon()
        defer { daemon.terminate() }
        let manager = try startManager()
        defer { manager.terminate() }
        let first = try startMicrophone()
        let movie = try movie(Self.source)
        try eventually("its first frames") { files.names.contains("a.mkv") }
        first.terminate()
        try eventually("the note") { movie.errors.contains("Lab microphone was unplugged") }
        let second = try startMicrophone()
        defer { second.terminate() }
        try eventually("its return") { movie.errors.contains("the sound is that of Lab microphone (pipewire:lab)") }
        movie.signal(SIGINT)
        let outcome = movie.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect((try outcome.object["sound"] as? [String: Any])?["id"] as? String == Self.source)
    }

    @Test(.enabled(if: hasSession, "no session manager of PipeWire's is installed"))
    func theMovieGoesOnAfterTheEndOfPipeWire() throws {
        try compileMicrophone()
        let daemon = try startDaemon()
        defer { daemon.terminate() }
        let manager = try startManager()
        defer { manager.terminate() }
        let microphone = try startMicrophone()
        defer { microphone.terminate() }
        let movie = try movie(Self.source)
        try eventually("its first frames") { files.names.contains("a.mkv") }
        kill(daemon.processIdentifier, SIGKILL)
        try eventually("the note") { movie.errors.contains("PipeWire has ended") }
        movie.signal(SIGINT)
        let outcome = movie.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.object["sound"] is [String: Any])
    }

    // MARK: Without

    /// The daemon lists its nodes, and links none.
    @Test func aSourceThatPipeWireDoesNotConnectIsRefused() throws {
        try compileMicrophone()
        let daemon = try startDaemon()
        defer { daemon.terminate() }
        let microphone = try startMicrophone()
        defer { microphone.terminate() }
        let outcome = try movie(Self.source).finish()
        #expect(outcome.status == 69, "\(outcome.errors)")
        let report = try outcome.object
        #expect(report["code"] as? String == "microphone-not-connected")
        #expect((report["hint"] as? String)?.contains("wireplumber") == true)
        #expect(!files.names.contains("a.mkv"))
    }

    @Test(arguments: ["pipewire", source]) func withoutItRunningASourceIsRefused(sound: String) throws {
        let outcome = try movie(sound).finish()
        #expect(outcome.status == 69, "\(outcome.errors)")
        let report = try outcome.object
        #expect(report["code"] as? String == "pipewire-not-running")
        #expect((report["hint"] as? String)?.contains("systemctl --user start") == true)
        #expect(!files.names.contains("a.mkv"))
    }

    /// Its file is one that cannot be loaded.
    @Test func withoutLibpipewireASourceIsRefused() throws {
        try FileManager.default.createDirectory(atPath: files.path("libraries"), withIntermediateDirectories: true)
        try files.write([], to: "libraries/libpipewire-0.3.so.0")
        let outcome = try movie("pipewire", setting: "LD_LIBRARY_PATH='\(files.path("libraries"))'").finish()
        #expect(outcome.status == 69, "\(outcome.errors)")
        let report = try outcome.object
        #expect(report["code"] as? String == "no-pipewire")
        #expect((report["hint"] as? String)?.contains("libpipewire-0.3-0") == true)
    }

    @Test func anEmptyListIsNoFailure() throws {
        let outcome = try program(["devices", "--microphones", "--json"]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.objects.allSatisfy { $0["system"] as? String == "alsa" })
    }

    // MARK: What is heard

    /// Where clicks begin.
    private static func clicks(_ track: [Float]) -> [Int] {
        var found: [Int] = []
        for (index, sample) in track.enumerated() where abs(sample) > 0.4 {
            if index - (found.last ?? -48_000) > 4800 { found.append(index) }
        }
        return found
    }

    /// Of each 20 ms in which something is heard and nothing clicks: how much of its energy is a tone.
    private static func shares(_ track: [Float], of frequency: Double) -> [Double] {
        stride(from: 0, to: track.count - 960, by: 960).compactMap { begin in
            let part = track[begin..<(begin + 960)]
            guard part.allSatisfy({ abs($0) < 0.2 }) else { return nil }
            let energy = part.reduce(0.0) { $0 + Double($1) * Double($1) }
            guard energy > 1 else { return nil }
            var (real, imaginary) = (0.0, 0.0)
            for (index, sample) in part.enumerated() {
                let angle = 2 * Double.pi * frequency * Double(index) / 48_000
                real += Double(sample) * cos(angle)
                imaginary += Double(sample) * sin(angle)
            }
            return (real * real + imaginary * imaginary) * 2 / 960 / energy
        }
    }
}
