// SPDX-License-Identifier: MIT
// A program started by a test: its output goes to files, its end is waited for under a time limit.

import Foundation
import Testing

/// A child process. Its output is kept in files, so that no pipe can fill up and stop it.
final class RunningProgram {
    private let process = Process()
    private let ended = DispatchSemaphore(value: 0)
    private let folder: URL

    /// Starts `program`, found in PATH unless it is a path.
    init(_ program: String, _ arguments: [String]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "lab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try Self.file(folder.appending(path: "output"))
        process.standardError = try Self.file(folder.appending(path: "errors"))
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
    }

    private static func file(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    private func text(_ name: String) -> String {
        (try? Data(contentsOf: folder.appending(path: name))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// What it has written to stdout so far.
    var output: String { text("output") }
    /// What it has written to stderr so far.
    var errors: String { text("errors") }
    /// Whether it still runs.
    var isRunning: Bool { process.isRunning }

    /// Sends it a signal.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits until a file it writes has so many bytes, at most half a minute; fails when it ends before.
    func waitForFile(_ path: String, bytes: Int) throws {
        for _ in 0..<600 where isRunning {
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            if (size ?? 0) >= bytes { return }
            usleep(50_000)
        }
        throw LabStream.Missing("\(path) has not grown to \(bytes) bytes: \(output) \(errors)")
    }

    /// Waits for its end; after `seconds` it is killed and the test fails: whatever else it should do, it must not hang.
    func finish(within seconds: Int = 60) throws -> Lab.Outcome {
        if ended.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
            signal(SIGKILL)
            ended.wait()
            Issue.record("hung for \(seconds) s: \(process.arguments ?? [])\n\(errors)")
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let status = process.terminationStatus
        return Lab.Outcome(
            status: process.terminationReason == .exit ? status : -status, output: output, errors: errors)
    }
}
