// SPDX-License-Identifier: MIT
// A program started by a test, with its output in files and a time limit on its end.

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

    /// A test that failed must not leave its camera in use to the next one.
    deinit { if process.isRunning { signal(SIGKILL) } }

    /// The text written to stdout so far.
    var output: String { text("output") }
    /// The text written to stderr so far.
    var errors: String { text("errors") }
    /// Whether the program still runs.
    var isRunning: Bool { process.isRunning }

    /// Sends a signal to the program.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for at most 30 s until a file written by the program has `bytes` bytes. Throws if the program ends
    /// earlier.
    func waitForFile(_ path: String, bytes: Int) throws {
        for _ in 0..<600 where isRunning {
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            if (size ?? 0) >= bytes { return }
            usleep(50_000)
        }
        throw LabStream.Missing("\(path) has not grown to \(bytes) bytes: \(output) \(errors)")
    }

    /// Waits for the end of the program. After `seconds` it is killed and the test fails, because it must never hang.
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
