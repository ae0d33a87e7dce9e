// SPDX-License-Identifier: MIT
// What is said of a file of frames: the same words and keys for `info` and `record`.

import Camera
import Frames

/// A file of frames in words and as an object.
struct FileReport {
    let path: String
    let file: any FrameFile
    let summary: FrameFileSummary

    /// Frames the recorder had to leave out, where the file tells.
    private var dropped: UInt64? { (file as? DumpReader)?.dropped }

    func print(to console: inout Console) throws(Failure) {
        if console.writesJSON {
            try console.print(.object(members))
        } else {
            for line in lines { try console.print(line) }
        }
    }

    private var members: [(String, JSON)] {
        let description = file.description
        let health = file.health
        return [
            ("file", .string(path)), ("frames", JSON(summary.frames)), ("width", JSON(description.format.size.width)),
            ("height", JSON(description.format.size.height)), ("format", .string("\(description.format.pixelFormat)")),
            ("firstNs", summary.first.map { .integer($0.nanoseconds) } ?? .null),
            ("lastNs", summary.last.map { .integer($0.nanoseconds) } ?? .null), ("gaps", JSON(summary.gaps)),
            ("damaged", JSON(summary.damaged)), ("dropped", dropped.map { JSON($0) } ?? .null),
            ("lost", JSON(summary.lost)), ("repaired", JSON(summary.repaired)), ("bytes", JSON(summary.bytes)),
            ("fps", description.rate.map { .number($0.framesPerSecond) } ?? .null),
            ("name", .string(description.name)), ("id", .string(description.identity)),
            ("range", .string("\(description.format.colorimetry.range)")),
            ("matrix", .string("\(description.format.colorimetry.matrix)")),
            ("intact", .bool(health.isIntact && summary.damaged == 0 && summary.repaired == 0)),
            ("index", .string(health.index.rawValue)), ("lostFrames", JSON(health.lostFrames)),
            ("damagedStretches", JSON(health.damagedStretches)), ("tornBytes", JSON(health.tornBytes)),
        ]
    }

    private var lines: [String] {
        let description = file.description
        let format = description.format
        let span = summary.first.flatMap { first in summary.last.map { $0 - first } } ?? .zero
        let rate = description.rate.map { " at \($0) fps" } ?? ""
        var lines = [
            path,
            "  \(summary.frames) frames, \(format.pixelFormat) \(format.size)\(rate), \(fixed(span.seconds, 3)) s, "
                + "\(fixed(Double(summary.bytes) / 1e6, 1)) MB",
        ]
        if description.name != path { lines.append("  from \(description.name) (\(description.identity))") }
        lines.append("  colours: \(format.colorimetry.range) range, \(format.colorimetry.matrix)")
        if let first = summary.first, let last = summary.last {
            lines.append("  from \(first.nanoseconds) ns to \(last.nanoseconds) ns on its own clock")
        }
        lines.append("  \(condition)")
        return lines
    }

    /// What is missing or broken, in a sentence.
    private var condition: String {
        var faults: [String] = []
        if summary.gaps > 0 { faults.append("\(summary.gaps) gaps with \(summary.lost) frames lost before recording") }
        if let dropped, dropped > 0 { faults.append("\(dropped) frames left out because the disk was too slow") }
        if summary.damaged > 0 { faults.append("\(summary.damaged) frames damaged") }
        if summary.repaired > 0 { faults.append("\(summary.repaired) frame headers repaired from the index") }
        let health = file.health
        if health.lostFrames > 0 || health.damagedStretches > 0 {
            faults.append("\(health.lostFrames) frames lost in \(health.damagedStretches) damaged stretches")
        }
        if health.tornBytes > 0 { faults.append("\(health.tornBytes) bytes of an unfinished frame at the end") }
        if health.index == .rebuilt { faults.append("the index was missing or damaged and has been found anew") }
        return faults.isEmpty ? "whole: no gaps, no damage" : faults.joined(separator: "; ")
    }
}

/// A number with so many decimals.
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
