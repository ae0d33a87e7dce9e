// SPDX-License-Identifier: MIT
// The kernel's own record of the frames a camera delivered, used to check photos.

import Foundation
import LivecapFrames
import Testing

/// A buffer that the kernel handed out, from its trace of VIDIOC_DQBUF.
struct DriverFrame: Equatable {
    /// The driver's sequence number, which is also drawn over the picture.
    let sequence: UInt32
    /// The driver's timestamp.
    let time: Timestamp
    /// When the buffer was handed out, by the tracer's clock: CLOCK_MONOTONIC, in microseconds.
    let handedOut: Timestamp
    /// Whether the driver marked it as damaged.
    let isDamaged: Bool
}

/// Records the kernel's trace of the webcam during its lifetime. Only one may exist at a time.
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
        // Remove earlier entries.
        try Self.write("", to: "trace")
        try Self.write("1", to: "\(Self.event)/enable")
    }

    deinit { try? Self.write("0", to: "\(Self.event)/enable") }

    /// All frames so far, in order of arrival.
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

    /// Reads until nothing is left: this file has no known size, and each read returns only a few
    /// lines.
    private static func read(_ name: String) throws -> String {
        let file = try #require(FileHandle(forReadingAtPath: "\(tracing)/\(name)"))
        var bytes = Data()
        while let more = try file.read(upToCount: 1 << 16), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ text: String, to name: String) throws {
        let path = "\(tracing)/\(name)"
        let file = try #require(FileHandle(forWritingAtPath: path), "\(path)")
        // Opening the trace for writing does not empty it; truncating it does.
        if text.isEmpty { try file.truncate(atOffset: 0) } else { try file.write(contentsOf: Data(text.utf8)) }
        try file.close()
    }
}
