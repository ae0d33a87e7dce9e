// SPDX-License-Identifier: MIT
// `livecap info`: shows the content of a file of frames, in total or frame by frame, and how a picture was made.

import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFrameFiles
import LivecapFrames
import LivecapIntents
import LivecapStills

enum InfoCommand {
    private static let file = Positional(
        .file(), help: "A recording, .y4m, .mjpg or a headerless file, a picture, or a movie")
    private static let frames = Flag("frames", help: "List every frame: number, time, bytes, checksums and marks")
    private static let quick = Flag(
        "quick", help: "Trust the file's index instead of reading every byte; of a movie, read only its description")
    private static let depth = Option(
        "depth", .file("FILE"),
        help: "Also write a picture's depth map to this file: PNG, grey, 16 bits, 0 for unknown; - is standard output")
    private static let overwrite = Flag("overwrite", help: "Replace an existing file of --depth")
    private static let json = Flag("json", help: "Print a JSON object; with --frames, one per frame first")

    static let verb = Verb(
        command: Command(
            "info", summary: "show what a file of frames holds, or how a picture was made",
            discussion: """
                For a file of frames, every byte is read and checked, and JPEG is decoded, unless --quick is given. A torn or \
                damaged recording is shown as far as it is readable; its damage is part of the report, not a failure.

                With --frames, two checksums (XXH3-64) identify each frame: 'xxh3' covers the bytes in the file, and 'samples' \
                the picture's samples plane by plane, which is the same in every format that holds the same samples (YUYV, \
                NV16 and YUV422P; NV12 and I420).

                For a picture, it shows the account that livecap stores in it: the frames it was made from, their weights and \
                times, those left out and why, how far its moment is from the one requested, and, if it was taken live, how \
                long each stage took. Unchanged frames (--quality single of JPEG frames) have no such account. A truncated \
                picture is reported as such, and is not 'intact' in JSON. Of a depth map in it, or of one in a file of its own, \
                it shows size, distances and whether it is filtered, and --depth takes it out.

                For a movie, of whatever program, it shows the tracks, the chapters, when it begins and which camera it is of, and \
                the account that livecap stores. Nothing is decoded. This needs FFmpeg's libraries.
                """,
            positionals: [file],
            groups: [
                OptionGroup(
                    "File", about: "The format of a headerless file.",
                    [SourceOptions.inputFormat, SourceOptions.size, SourceOptions.rate]),
                OptionGroup("Options", [frames, quick, depth, overwrite, json]),
            ],
            needs: [Need(overwrite, oneOf: [depth])],
            examples: [
                Example("livecap info walk.lcap", "frames, times, gaps and damage of a recording"),
                Example("livecap info walk.lcap --frames --json", "every frame, for programs"),
                Example("livecap info livecap-0001.jpg", "which frames a picture was made from"),
                Example("livecap info now.heic --depth now.depth.png", "the distances that a photo has"),
                Example("livecap info walk.mp4", "tracks and beginning of a movie"),
                Example("livecap info a.yuv --input-format NV12 --size 640x480", "a headerless file"),
            ])
    ) { arguments, console throws(Failure) in
        let path = arguments.required(file)
        // Concatenated JPEG frames begin like a picture; the file's name or the options decide.
        let isOfFrames = arguments[frames] || arguments.contains(SourceOptions.inputFormat)
        if !isOfFrames, StillFormat(suffixOf: path) != nil, let photo = try PhotoReport(path) {
            try arguments.refuse(
                [SourceOptions.size, SourceOptions.rate, quick], as: "\(path) is a picture, not a file of frames")
            if let output = arguments[depth] {
                try DepthExtraction.write(path, to: output, mayReplace: arguments[overwrite], &console)
            }
            try photo.print(to: &console)
            return 0
        }
        try arguments.refuse([depth], as: "\(path) is not a picture, and has no depth map")
        if !isOfFrames, MovieContentReport.isMovie(path), access(path, F_OK) == 0 {
            try arguments.refuse(
                [SourceOptions.size, SourceOptions.rate], as: "\(path) is a movie, not a file of frames")
            try MovieContentReport(path, isQuick: arguments[quick]).print(to: &console)
            return 0
        }
        let opened = try attempt { () throws(FrameFileError) in try openFrameFile(path, arguments.importSettings) }
        if arguments[frames] { try list(opened, &console) }
        let summary = try summarise(opened, verifying: !arguments[quick])
        try InfoReport(path: path, file: opened, summary: summary).print(to: &console)
        return 0
    }

    /// The totals of the file. Reading gigabytes takes a while, so a terminal shows progress.
    private static func summarise(_ file: any FrameFile, verifying: Bool) throws(Failure) -> FrameFileSummary {
        var progress = Progress()
        let check = FrameCheck(file.description.format)
        return try attempt { () throws(FrameFileError) in
            try file.summary(verifying: verifying, isSound: { check?.isSound($0) ?? true }) { frames in
                progress.show { "checked \(frames) of \(file.frameCount) frames, \(100 * frames / file.frameCount) %" }
            }
        }
    }

    /// Lists every frame, reading each one completely.
    private static func list(_ file: any FrameFile, _ console: inout Console) throws(Failure) {
        let memory = try attempt { () throws(FrameFileError) in try file.makeFrameMemory() }
        defer { withExtendedLifetime(memory) {} }
        let bytes = memory.regions[0]
        var gatherer = SampleGatherer(file.description.format)
        if !console.writesJSON {
            try console.print(
                "number  sequence            time ns     bytes  xxh3              samples           marks")
        }
        for index in 0..<file.frameCount {
            let frame = try attempt { () throws(FrameFileError) in try file.read(index, into: bytes) }
            let payload = UnsafeRawBufferPointer(rebasing: bytes[..<frame.byteCount])
            let line = FrameLine(
                number: index, frame: frame, checksum: Checksum.of(payload), samples: gatherer.checksum(of: payload))
            if console.writesJSON { try console.print(line.object) } else { try console.print(line.text) }
        }
    }
}

/// A file's frames and condition, as text and as a JSON object.
private struct InfoReport {
    let path: String
    let file: any FrameFile
    let summary: FrameFileSummary

    private var frames: FileReport {
        FileReport(
            path: path, description: file.description, figures: summary, dropped: (file as? DumpReader)?.dropped,
            droppedByRing: nil)
    }

    func print(to console: inout Console) throws(Failure) {
        if console.writesJSON {
            try console.print(.object(frames.members + state))
        } else {
            for line in lines { try console.print(line) }
        }
    }

    private var state: [(String, JSON)] {
        let health = file.health
        return [
            ("repaired", JSON(summary.repaired)), ("undecodable", JSON(summary.undecodable)),
            (
                "intact",
                .bool(
                    health.isIntact && summary.damaged == 0 && summary.undecodable == 0 && summary.repaired == 0)
            ),
            ("index", .string(health.index.rawValue)), ("lostFrames", JSON(health.lostFrames)),
            ("damagedStretches", JSON(health.damagedStretches)), ("tornBytes", JSON(health.tornBytes)),
        ]
    }

    private var lines: [String] {
        let description = file.description
        let format = description.format
        let rate = description.rate.map { " at \($0) fps" } ?? ""
        var lines = [
            path,
            "  \(counted(summary.frames, "frame")), \(format.pixelFormat) \(format.size)\(rate), \(frames.extent)",
        ]
        if description.name != path { lines.append("  from \(description.name) (\(description.identity))") }
        lines.append("  colours: \(format.colorimetry.range) range, \(format.colorimetry.matrix)")
        if let first = summary.first, let last = summary.last {
            lines.append("  from \(first.nanoseconds) ns to \(last.nanoseconds) ns on its own clock")
        }
        lines.append("  \(condition)")
        return lines
    }

    /// What is missing or broken, in one sentence.
    private var condition: String {
        var faults = frames.faults
        if summary.undecodable > 0 {
            faults.append("\(counted(summary.undecodable, "frame")) broken: not decodable")
        }
        if summary.repaired > 0 {
            faults.append("\(counted(summary.repaired, "frame header")) repaired from the index")
        }
        let health = file.health
        if health.lostFrames > 0 || health.damagedStretches > 0 {
            faults.append(
                "\(counted(health.lostFrames, "frame")) lost in \(counted(health.damagedStretches, "damaged place"))")
        }
        if health.tornBytes > 0 {
            faults.append("\(counted(health.tornBytes, "byte")) of an unfinished frame at the end")
        }
        if health.index == .rebuilt { faults.append("the index was missing or damaged and has been rebuilt") }
        return faults.isEmpty ? "complete: no gaps, no damage" : faults.joined(separator: "; ")
    }
}

/// One frame in a list of frames.
private struct FrameLine {
    let number: Int
    let frame: FrameMetadata
    let checksum: UInt64
    /// Nil if the picture is not stored as plain samples.
    let samples: UInt64?

    private var marks: [String] {
        var marks: [String] = []
        if frame.flags.contains(.firstOfEpoch) { marks.append("first-of-epoch") }
        if frame.flags.contains(.gapBefore) { marks.append("gap-before") }
        if frame.flags.contains(.distrustedTime) { marks.append("distrusted-time") }
        if frame.flags.contains(.standardHuffmanTables) { marks.append("standard-huffman-tables") }
        if frame.flags.contains(.damaged) { marks.append("damaged") }
        return marks
    }

    var object: JSON {
        .object([
            ("frame", JSON(number)), ("id", .string("\(frame.id)")), ("sequence", JSON(frame.sequence)),
            ("ns", .integer(frame.time.nanoseconds)), ("bytes", JSON(frame.byteCount)),
            ("xxh3", .string(hex(checksum))),
            ("samples", JSON(samples.map(hex))), ("flags", .array(marks.map(JSON.string))),
            ("damage", .string(frame.damage.name)), ("lostBefore", JSON(frame.lostBefore)),
        ])
    }

    var text: String {
        let damage = frame.isUsable ? [] : [frame.damage.name]
        let columns = [
            "\(number)".padded(6), "\(frame.sequence)".padded(9), "\(frame.time.nanoseconds)".padded(18),
            "\(frame.byteCount)".padded(9), hex(checksum), samples.map(hex) ?? "-               ",
            (marks + damage).joined(separator: ","),
        ]
        return columns.joined(separator: "  ").trimmed
    }
}

/// Sixteen hexadecimal digits.
private func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}

extension String {
    /// Padded on the left to `width`.
    fileprivate func padded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

    /// Without trailing spaces.
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
