// SPDX-License-Identifier: MIT
// `livecap sync`: how far the times of several cameras are apart: measured, listed and forgotten.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrames

enum SyncCommand {
    static let verb = Verb(
        "sync", summary: "measure and keep how far the times of several cameras are apart",
        discussion: """
            Drivers state the times of frames in different ways, and cameras take different times to read and send them. \
            'calibrate' measures by how much the times of cameras differ, from light that all of them see change: wave a \
            hand close to them, or switch a lamp, irregularly and all the time.

            Offsets are kept by the cameras' ids, and 'livecap run -d A -d B' uses them for its pictures of one instant. \
            Another camera of the model has none.
            """,
        actions: [calibrate, list, forget], usual: "list",
        examples: [
            Example("livecap sync calibrate -d 0 -d 2", "measure for ten seconds, and keep the result"),
            Example("livecap sync", "all offsets that are kept"),
            Example("livecap sync forget BRIO", "all offsets of one camera"),
            Example(
                "livecap sync calibrate --synthetic handheld --synthetic handheld:offset=40ms",
                "try it with scenes of which one states its times 40 ms late"),
        ])

    /// Cameras to compare, which other commands would take pictures with.
    private static let devices = Option(
        "device", short: "d",
        .text("DEVICE", completion: .pattern("/dev/video*", words: ["auto"]))
            .meant { Int($0) != nil || $0.hasPrefix("/dev/") }
            .map { Int($0) == nil ? $0 : "/dev/video\($0)" },
        repeatable: true,
        help: "A camera, given at least twice: the others are compared with the first")
    private static let duration = Option(
        "for", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help: "For how long to measure, from 4s to 5m (default: 10s)")
    private static let json = Flag("json", help: "Print one JSON object per offset")
    private static let options = [OptionGroup("Options", [json])]
    private static let camera = Positional(
        ValueKind<String>.text("CAMERA", expects: "a camera's id, name or node"), repeatable: true,
        help: "One camera, to forget all of its offsets, or two, to forget theirs")

    private static let calibrate = Verb(
        command: Command(
            "sync calibrate", summary: "measure how far the times of cameras are apart, and keep it",
            discussion: """
                An offset is kept only if it is sure: if enough changes in all pictures, if it is the same change, and if \
                only one offset explains it. What is kept is how much later the times of a camera are than those of the \
                first one, and how far that may be wrong. Ctrl-C keeps nothing.
                """,
            groups: [
                OptionGroup(
                    "Options",
                    [
                        devices, SourceOptions.scenes, duration, SourceOptions.size, SourceOptions.rate,
                        SourceOptions.format, SourceOptions.set, SourceOptions.profile, SourceOptions.onBusy, json,
                        ConsoleOptions.quiet,
                    ])
            ],
            exclusive: [[devices, SourceOptions.scenes]],
            examples: [
                Example("livecap sync calibrate -d 0 -d 2 --for 20s", "more surely"),
                Example("livecap sync calibrate -d 0 -d 2 -d 4", "two cameras against the first"),
            ])
    ) { arguments, console throws(Failure) in
        let span = arguments[duration] ?? .seconds(10)
        guard (.seconds(4) ... .seconds(300)).contains(span) else {
            throw .pictures("--for: less than 4 s say too little, and more than 5 minutes are not needed", hint: "10s")
        }
        return try SyncCalibration(arguments, devices: devices, for: span, keepingIn: try file()).run(&console)
    }

    private static let list = Verb(
        command: Command(
            "sync list", summary: "list the offsets that are kept", groups: options,
            examples: [Example("livecap sync list --json", "the same, for programs")])
    ) { _, console throws(Failure) in
        let entries = try content().entries
        let names = names()
        for entry in entries {
            try OffsetReport(entry, names: names).print(to: &console)
        }
        if entries.isEmpty {
            Console.note("livecap: no offsets are kept; 'livecap sync calibrate -d A -d B' measures one")
        }
        return 0
    }

    private static let forget = Verb(
        command: Command(
            "sync forget", summary: "forget offsets that are kept", positionals: [camera], groups: options,
            examples: [Example("livecap sync forget BRIO C920", "the offset of these two alone")])
    ) { arguments, console throws(Failure) in
        let file = try file(), entries = try content().entries
        let wanted = arguments.all(camera).map { key($0, entries) }
        guard wanted.count <= 2 else {
            throw .pictures("an offset is of two cameras, and \(wanted.count) are named", hint: "name one or two")
        }
        let going = entries.filter { Set([$0.first, $0.second]).isSuperset(of: wanted) }
        guard !going.isEmpty else {
            throw .pictures(
                "no offset of \(arguments.all(camera).joined(separator: " and ")) is kept",
                hint: "'livecap sync list' lists all")
        }
        let names = names()
        for entry in going {
            _ = try creating { () throws(FileError) in try file.forget(entry.second, from: entry.first) }
            if console.writesJSON { try OffsetReport(entry, names: names).print(to: &console) }
        }
        return 0
    }

    /// The file of offsets.
    private static func file() throws(Failure) -> CameraOffsets {
        guard let file = CameraOffsets.standard else {
            throw .pictures("there is no folder to keep offsets in", hint: "set XDG_STATE_HOME or HOME")
        }
        return file
    }

    /// What is kept. What is wrong with the file is noted.
    private static func content() throws(Failure) -> CameraOffsets.Content {
        let content = try file().read()
        if let notice = content.notice { Console.note("note: \(notice)") }
        return content
    }

    /// The names of the cameras that are connected, by their keys.
    private static func names() -> [String: String] {
        Dictionary(
            CameraDirectory().cameras().map { (CameraOffsets.key($0.identity), $0.name) },
            uniquingKeysWith: { a, _ in a }
        )
    }

    /// The key of a camera that somebody names: one that is kept, or else a connected camera's.
    private static func key(_ name: String, _ entries: [CameraOffsets.Entry]) -> String {
        let key = CameraOffsets.key(name)
        if entries.contains(where: { $0.first == key || $0.second == key }) { return key }
        do throws(CameraError) {
            return CameraOffsets.key(try CameraDirectory().camera(named: name).identity)
        } catch { return key }
    }
}
