// SPDX-License-Identifier: MIT
// `livecap export`: converts a recording for other programs.

import Camera
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapIntents

enum ExportCommand {
    private static let file = Positional(
        .file(), required: false, help: "A recording, .y4m, .mjpg or a headerless file; - is standard input")
    private static let last = Option(
        "last", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "Instead of a file, this much of the past of a livecap that is running ('livecap run --ring 10s'), up to now. "
            + "--device names it, or its camera, if there are several")
    private static let output = Option(
        "output", short: "o", .file("FILE|DIR/"), required: true,
        help:
            "The output, by its suffix: .y4m, .mjpg, .mkv, or DIR/ for numbered pictures. - is standard output, as y4m "
            + "unless --to says otherwise. \(OutputName.help)")
    private static let kind = Option(
        "to",
        ValueKind<String>.choice("KIND", of: MovieKind.allCases.map(\.rawValue)).map { MovieKind(rawValue: $0)! },
        help: "The kind to write, if the name does not say or for standard output: y4m, mjpg, mkv or frames")
    private static let overwrite = Flag("overwrite", help: "Replace an existing file")
    private static let json = Flag("json", help: "Print a JSON object when done")

    static let verb = Verb(
        command: Command(
            "export", summary: "write a recording, or the last moments, for other programs",
            discussion: """
                y4m: raw planes, which nearly every program reads. Its rate is constant, so missing frames make it shorter. \
                JPEG is decoded, packed formats are split into planes without loss, and R'G'B' becomes Y'CbCr 4:4:4.

                mkv: Matroska with each frame's own time. JPEG frames stay unchanged, and so do raw ones in formats that \
                other programs know.

                mjpg: unchanged JPEG frames, one after the other, without times.

                frames: one picture per frame, 000001.jpg and so on: unchanged JPEG frames, others as PNG.

                JPEG frames without Huffman tables get the standard ones. Damaged frames are left out and counted. A file \
                gets its name once it is complete and on the disk.
                """,
            positionals: [file],
            groups: [
                OptionGroup(
                    "File", about: "The format of a headerless file.",
                    [SourceOptions.inputFormat, SourceOptions.size, SourceOptions.rate]),
                OptionGroup(
                    "Last moments",
                    about: "What a running livecap still keeps. ('livecap record --pre' makes a recording of it.)",
                    [last, SourceOptions.device]),
                OptionGroup("Options", [output, kind, overwrite, json]),
            ],
            exclusive: [[last, SourceOptions.inputFormat]],
            needs: [Need(SourceOptions.device, oneOf: [last])],
            examples: [
                Example("livecap export walk.lcap -o walk.mkv", "for players and editors, with true times"),
                Example("livecap export walk.lcap -o - | ffmpeg -i - walk.mp4", "through a pipe, as y4m"),
                Example("livecap export walk.lcap -o frames/", "one picture per frame"),
                Example("livecap export --last 5s -o goal.mkv", "what 'livecap run' saw in the last five seconds"),
            ])
    ) { arguments, console throws(Failure) in
        let name = arguments.required(output)
        if let file = arguments[file], arguments.isTyped(last) {
            throw .pictures("FILE and --last exclude each other: \(file)", hint: "leave out one of the two")
        }
        let interruption = try Interruption()
        let wish = arguments.isTyped(kind) ? arguments[kind] : nil
        try attempt { () throws(FrameFileError) in try MovieKind.checkName(name, as: wish, keepsAll: false) }
        // The suffix overrides the file of settings; standard output has none.
        let named = name == "-" ? nil : MovieKind(path: name) ?? (OutputTarget(name) == .folder ? .frames : nil)
        guard let kind = wish ?? named ?? arguments[kind] ?? MovieKind(path: name) else {
            throw .pictures(
                "unknown kind of output: \(name)",
                hint: "name it .y4m, .mkv, .mjpg or DIR/, or add --to KIND")
        }
        if OutputTarget.descriptor(namedBy: name) == STDOUT_FILENO { try console.leaveStandardOutput() }
        let frames = try frames(arguments, interruption)
        let path = try OutputName.path(name, mayReplace: arguments[overwrite])
        let made: FrameExport?
        do throws(Failure) { made = try export(frames, to: path, as: kind, arguments[overwrite], interruption) } catch {
            throw error.isReaderGone(from: path) ? .readerLeft : error
        }
        guard let made else {
            throw .interrupted(signal: interruption.signal ?? SIGINT, isBeforeFrames: kind != .frames)
        }
        try report(made, of: frames, path: path == "-" ? "standard output" : path, kind: kind, &console)
        return 0
    }

    /// What is exported: a file, or the last moments of a running livecap.
    private static func frames(
        _ arguments: Arguments, _ interruption: Interruption
    ) throws(Failure) -> any FrameFile {
        guard let name = arguments[file] else {
            if let past = arguments[last] { return try arguments.lastMoments(past) }
            throw .pictures(
                "'export' needs FILE or --last TIME", hint: "for example 'livecap export walk.lcap -o walk.mkv'")
        }
        let file: any FrameFile
        do throws(FrameFileError) {
            file = try openFrameFile(name, arguments.importSettings, unless: { interruption.signal != nil })
        } catch { throw interruption.failure(error) }
        return try attempt { () throws(CameraError) in try pictures(of: file) }
    }

    private static func export(
        _ frames: any FrameFile, to path: String, as kind: MovieKind, _ overwrite: Bool, _ interruption: Interruption
    ) throws(Failure) -> FrameExport? {
        var progress = Progress()
        defer { Progress.clearLine() }
        return try creating { () throws(FrameFileError) in
            try FrameExport(
                frames, to: path, as: kind, overwrite: overwrite,
                unless: { interruption.signal != nil },
                progress: { done in
                    progress.show { "\(done) of \(frames.frameCount) frames, \(100 * done / frames.frameCount) %" }
                })
        }
    }

    private static func report(
        _ made: FrameExport, of file: any FrameFile, path: String, kind: MovieKind, _ console: inout Console
    ) throws(Failure) {
        if kind == .y4m {
            let summary = try attempt { () throws(FrameFileError) in try file.summary(verifying: false) }
            if summary.lost > 0 || summary.continuity.holes > 0 { Console.note(MovieKind.y4mNote) }
        }
        if console.writesJSON {
            try console.print(
                .object([
                    ("file", .string(path)), ("kind", .string(kind.rawValue)), ("frames", JSON(made.frames)),
                    ("leftOut", JSON(made.leftOut)), ("bytes", JSON(made.byteCount)),
                ]))
        } else {
            let rest = made.leftOut > 0 ? "; \(counted(made.leftOut, "damaged frame")) left out" : ""
            let size = "\(fixed(Double(made.byteCount) / 1e6, 1)) MB"
            try console.print("\(path): \(counted(made.frames, "frame")), \(size)\(rest)")
        }
    }
}

extension MovieKind {
    /// A note about y4m's constant rate.
    static let y4mNote =
        "note: frames are missing and y4m has a constant rate, so it plays in less time; .mkv keeps the times"
}
