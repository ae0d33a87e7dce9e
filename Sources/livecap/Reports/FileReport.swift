// SPDX-License-Identifier: MIT
// Describes the frames of a file, with the same words and keys for `info` and `record`.

import FrameRing
import LivecapFrameFiles
import LivecapFrames
import LivecapIntents

/// A file's frames, as text and as members of a JSON object.
struct FileReport {
    let path: String
    let description: SourceDescription
    let figures: FrameFileSummary
    /// Frames the recorder had to leave out, if known.
    let dropped: UInt64?
    /// What was too slow for the frames left out.
    var bottleneck = "the disk"
    /// Frames dropped because readers held the whole ring; known while recording.
    let droppedByRing: UInt64?
    /// How long it is shown, if that is not from the first frame to the last.
    var length: Duration?

    /// The members that `info` and `record` share. `lost` counts the frames missing between those in the file, for any
    /// reason. It includes dropped frames, provided a frame came after them.
    var members: [(String, JSON)] {
        let format = description.format
        return [
            ("file", .string(path)), ("frames", JSON(figures.frames)), ("width", JSON(format.size.width)),
            ("height", JSON(format.size.height)), ("format", .string("\(format.pixelFormat)")),
            ("firstNs", figures.first.map { .integer($0.nanoseconds) } ?? .null),
            ("lastNs", figures.last.map { .integer($0.nanoseconds) } ?? .null), ("gaps", JSON(figures.gaps)),
            ("lost", JSON(figures.lost)), ("damaged", JSON(figures.damaged)),
            ("dropped", dropped.map { JSON($0) } ?? .null), ("droppedByRing", droppedByRing.map { JSON($0) } ?? .null),
            ("epochs", JSON(figures.continuity.epochs)), ("restarts", JSON(figures.continuity.restarts)),
            ("holes", JSON(figures.continuity.holes)), ("holesNs", .integer(figures.continuity.holeTime.nanoseconds)),
            ("longestHoleNs", .integer(figures.continuity.longestHole.nanoseconds)), ("bytes", JSON(figures.bytes)),
            ("fps", description.rate.map { .number($0.framesPerSecond) } ?? .null),
            ("name", .string(description.name)), ("id", .string(description.identity)),
            ("range", .string("\(format.colorimetry.range)")), ("matrix", .string("\(format.colorimetry.matrix)")),
        ]
    }

    /// Everything on one line, for people.
    var words: String {
        "\(path): \(counted(figures.frames, "frame")), \(extent)" + faults.map { "; \($0)" }.joined()
    }

    /// Duration and size, for people.
    var extent: String {
        let span = length ?? figures.first.flatMap { first in figures.last.map { $0 - first } } ?? .zero
        return "\(fixed(span.seconds, 3)) s, \(fixed(Double(figures.bytes) / 1e6, 1)) MB"
    }

    /// What is missing or damaged, for people.
    var faults: [String] {
        var faults: [String] = []
        if figures.gaps > 0 {
            faults.append("\(counted(figures.gaps, "gap")) with \(counted(figures.lost, "frame")) missing")
        }
        let continuity = figures.continuity
        if continuity.restarts > 0 { faults.append(counted(continuity.restarts, "restart")) }
        if continuity.holes > 0 {
            let all = "\(counted(continuity.holes, "hole")) of \(fixed(continuity.holeTime.seconds, 2)) s"
            let longest = ", the longest \(fixed(continuity.longestHole.seconds, 2)) s"
            faults.append(continuity.holes == 1 ? all : all + " in total" + longest)
        }
        if let dropped, dropped > 0 {
            faults.append("\(counted(dropped, "frame")) left out because \(bottleneck) was too slow")
        }
        if let droppedByRing, droppedByRing > 0 {
            faults.append("\(counted(droppedByRing, "frame")) dropped because every frame in memory was in use")
        }
        if figures.damaged > 0 { faults.append("\(counted(figures.damaged, "frame")) damaged") }
        return faults
    }
}

extension FileReport {
    /// A report on a recording just made of the frames of a ring.
    init(of source: SourceDescription, from ring: Ring, at path: String, _ summary: RecordingSummary) {
        var figures = FrameFileSummary()
        figures.frames = summary.frames
        figures.gaps = summary.gaps
        figures.lost = summary.lost
        figures.damaged = summary.damaged
        figures.first = summary.first
        figures.last = summary.last
        figures.bytes = summary.bytes
        figures.continuity = summary.continuity
        self.init(
            path: path, description: source, figures: figures, dropped: UInt64(summary.dropped),
            droppedByRing: ring.statistics.dropped)
    }
}

/// A number of bytes for people, in powers of 1000: `3 B`, `412 kB`, `1.2 MB`.
func inBytes(_ count: Int) -> String {
    guard count >= 1000 else { return "\(count) B" }
    let units = ["kB", "MB", "GB", "TB"]
    var (value, unit) = (Double(count) / 1000, 0)
    // A value that would round to 1000 moves to the next unit.
    while value >= 999.5, unit + 1 < units.count { (value, unit) = (value / 1000, unit + 1) }
    return "\(fixed(value, unit == 0 || value >= 99.95 ? 0 : 1)) \(units[unit])"
}

/// A count with its noun: "1 frame", "2 frames".
func counted(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// A number with that many decimals.
func fixed(_ value: Double, _ decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    guard value.isFinite, abs(value) * scale < 9e18 else { return "\(value)" }
    let scaled = Int64((abs(value) * scale).rounded())
    let whole = scaled / Int64(scale)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(whole)" }
    let digits = String(scaled % Int64(scale))
    return "\(sign)\(whole)." + String(repeating: "0", count: decimals - digits.count) + digits
}
