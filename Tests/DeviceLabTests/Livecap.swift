// SPDX-License-Identifier: MIT
// The program itself, run as a user runs it, and its --json output.

import Foundation
import Testing

/// The fields that the tests use of the objects printed by `livecap record --json` and `livecap info
/// --json`.
struct Report: Decodable {
    var path: String?
    var bus: String?
    var formats: [Format]?
    var frames: Int?
    var gaps: Int?
    var lost: Int?
    var damaged: Int?
    var dropped: Int?
    var firstNs: Int64?
    var bytesCopied: Int?
    var transport: String?
    var index: String?
    var lostFrames: Int?
    var damagedStretches: Int?
    var tornBytes: Int?
    var error: String?
    var code: String?
    var microphones: [String]?
    var sound: Sound?

    /// What is in a movie's track of sound.
    struct Sound: Decodable {
        var id: String?
        var claimedRate: Int?
        var measuredRate: Double?
        var ppm: Double?
        var seconds: Double?
        var silentSeconds: Double?
        var overruns: Int?
        var restarts: Int?
        var changes: Int?
        var corrections: Int?
    }

    struct Format: Decodable {
        var format: String
        var width: Int
        var height: Int
        var fps: [Double]
    }

    /// Whether a file is complete and properly closed, whatever its frames look like.
    var isWhole: Bool { index == "intact" && lostFrames == 0 && damagedStretches == 0 && tornBytes == 0 }
}

/// The program under test.
enum Livecap {
    static var program: String { ProcessInfo.processInfo.environment["LIVECAP_PROGRAM"] ?? "livecap" }

    /// Starts one of its commands with --json.
    static func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(program, arguments + ["--json"])
    }

    /// The objects it printed, one per line.
    static func reports(_ outcome: Lab.Outcome) throws -> [Report] {
        try outcome.output.split(separator: "\n").map { line in
            try JSONDecoder().decode(Report.self, from: Data(line.utf8))
        }
    }

    /// The report of `livecap info` on a recording.
    static func info(_ path: String) throws -> Report {
        let outcome = try start(["info", path]).finish()
        try #require(outcome.status == 0, "info \(path): \(outcome.errors)")
        return try #require(reports(outcome).first)
    }

    /// The arguments to record `count` small frames in a format to `path`.
    static func recording(
        _ count: Int, of format: String = "YUYV", fps: Int = 30, from device: String = Lab.webcam,
        size: String = "320x180", onUnplug: String = "end", to path: String
    ) -> [String] {
        [
            "record", "--device", device, "--on-unplug", onUnplug, "--format", format, "--size", size,
            "--fps", "\(fps)", "--frames", "\(count)", "--output", path, "--overwrite",
        ]
    }
}

/// A temporary folder, removed at the end of its lifetime.
struct TemporaryFolder: ~Copyable {
    private let url = FileManager.default.temporaryDirectory.appending(path: "lab-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    borrowing func path(_ name: String) -> String { url.appending(path: name).path }
}
