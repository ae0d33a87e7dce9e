// SPDX-License-Identifier: MIT
// The kernel's own account of the frames a camera gave: what photos are held against.

import Foundation
import Frames
import Testing

/// A buffer the kernel handed out, as its trace of VIDIOC_DQBUF has it.
struct DriverFrame: Equatable {
    /// The driver's number of it, which is drawn over its picture.
    let sequence: UInt32
    /// The driver's time.
    let time: Timestamp
    /// When it was handed out, by the tracer's clock: CLOCK_MONOTONIC, in microseconds.
    let handedOut: Timestamp
    /// Whether the driver marked it as damaged.
    let isDamaged: Bool
}

/// Listens to the kernel's trace of the webcam, as long as it lives. One at a time.
struct DriverAccount: ~Copyable {
    private static let tracing = "/sys/kernel/tracing"
    private static let event = "events/v4l2/v4l2_dqbuf"

    init() throws {
        if !FileManager.default.fileExists(atPath: "\(Self.tracing)/trace") {
            let outcome = try Lab.run("mount", ["-t", "tracefs", "tracefs", Self.tracing])
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        try Self.write("mono", to: "trace_clock")
        try Self.write("minor == 0", to: "\(Self.event)/filter")
        // What was there goes.
        try Self.write("", to: "trace")
        try Self.write("1", to: "\(Self.event)/enable")
    }

    deinit { try? Self.write("0", to: "\(Self.event)/enable") }

    /// The frames so far, as they came.
    borrowing func frames() throws -> [DriverFrame] {
        let lines = try Self.read("trace").split(separator: "\n")
        return try lines.filter { !$0.hasPrefix("#") }.map { line in
            let words = try #require(line.wholeMatch(of: Self.line), "\(line)")
            return DriverFrame(
                sequence: try #require(UInt32(words.sequence)),
                time: Timestamp(nanoseconds: try #require(Int64(words.time))),
                handedOut: Timestamp(nanoseconds: try #require(Int64(words.seconds + words.microseconds)) * 1000),
                isDamaged: words.flags.contains("ERROR"))
        }
    }

    private static var line:
        Regex<
            (
                Substring, seconds: Substring, microseconds: Substring, flags: Substring, time: Substring,
                sequence: Substring
            )
        >
    {
        /.* (?<seconds>[0-9]+)\.(?<microseconds>[0-9]{6}): v4l2_dqbuf: .*?flags = (?<flags>[^,]*), .*?timestamp = (?<time>[0-9]+), .*sequence = (?<sequence>[0-9]+)/
    }

    /// Reads until there is no more: this file's size is unknown, and each read gives a few lines.
    private static func read(_ name: String) throws -> String {
        let file = try #require(FileHandle(forReadingAtPath: "\(tracing)/\(name)"))
        var bytes = Data()
        while let more = try file.read(upToCount: 1 << 16), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ text: String, to name: String) throws {
        let path = "\(tracing)/\(name)"
        let file = try #require(FileHandle(forWritingAtPath: path), "\(path)")
        // Opening it for writing alone does not empty the trace.
        if text.isEmpty { try file.truncate(atOffset: 0) } else { try file.write(contentsOf: Data(text.utf8)) }
        try file.close()
    }
}
