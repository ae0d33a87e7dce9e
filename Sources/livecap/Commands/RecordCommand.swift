// SPDX-License-Identifier: MIT
// `livecap record`: writes frames into a file, until there are enough or it is stopped.

import FrameRing
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapIntents

enum RecordCommand {
    private static let output = Option(
        "output", short: "o", .file(), required: true,
        help:
            "The output, by its suffix: .y4m, .mjpg or .mkv for other programs, DIR/ for numbered pictures, otherwise a "
            + "recording that keeps everything (.lcap). - is standard output, as y4m. \(OutputName.help)")
    private static let frames = Option(
        "frames", short: "n", .integer(1...Int.max), help: "End after N frames")
    private static let duration = Option(
        "duration", short: "t", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help: "End after this time, measured by the frames' own times")
    private static let pre = Option(
        "pre", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "Begin this much in the past, with the frames that a livecap which has the camera still keeps. With --duration of "
            + "the same length, its last moments are saved")
    private static let overwrite = Flag("overwrite", help: "Replace an existing file")
    private static let json = Flag("json", help: "Print a JSON object when done")

    static let verb = Verb(
        command: Command(
            "record", summary: "record frames into a file",
            discussion: """
                Frames are written as the camera delivers them, with their times, to a raw frame dump that --replay \
                plays. Recording ends after --frames, after --duration, at the end of a file or scene, or with Ctrl-C. \
                The file is readable at any time, however the recording ends.

                Other programs read .y4m, .mjpg and .mkv, which keep less: .y4m has a constant rate and frames converted to \
                planes; .mjpg has unchanged JPEG frames and no times; .mkv has frames and times. 'livecap export' makes them \
                from a recording later.

                If another livecap has the camera, its frames are recorded, with --pre those that it still keeps, too.

                If the disk is slower than the camera, the recording lacks frames, which are counted as dropped; the camera \
                itself loses none. Files and scenes at the fast pace wait for the disk instead.
                """,
            groups: [
                SourceOptions.group,
                OptionGroup(
                    "Options",
                    [SourceOptions.format, output, frames, duration, pre, overwrite, json, ConsoleOptions.quiet]),
            ],
            exclusive: [SourceOptions.exclusive, [frames, duration]],
            needs: SourceOptions.needs,
            examples: [
                Example("livecap record -o walk.lcap --duration 10s", "ten seconds of the preferred camera"),
                Example(
                    "livecap record -d /dev/video2 --size 1280x720 --format MJPG -o a.lcap", "until Ctrl-C"),
                Example("livecap record --synthetic handheld:seed=7 -n 99 -o b.lcap", "a synthetic scene"),
                Example(
                    "livecap record --pre 5s --duration 5s -o last.lcap",
                    "the last five seconds of 'livecap run --ring 6s'"),
                Example("livecap record -o - | ffplay -", "frames to another program, as y4m"),
            ])
    ) { arguments, console throws(Failure) in
        if arguments[SourceOptions.listDevices] { return try DevicesCommand.list(&console) }
        let interruption = try Interruption()
        let name = arguments.required(output)
        try attempt { () throws(FrameFileError) in try MovieKind.checkName(name) }
        let path = try OutputName.path(name, mayReplace: arguments[overwrite])
        let kind = MovieKind(path: path)
        if OutputTarget.descriptor(namedBy: path) == STDOUT_FILENO { try console.leaveStandardOutput() }
        let settings = RecordingSettings(
            frames: arguments[frames], duration: arguments[duration], overwrite: arguments[overwrite])
        // At the fast pace, a scene without an end would fill the disk before anybody could stop it.
        let past = arguments[pre] ?? .zero
        let lack = Failure.pictures(
            "--pre: no other livecap has this camera, so nothing of its past is kept",
            hint: "leave it out; 'livecap run --ring 6s' keeps six seconds for others")
        // A recording keeps what the camera compressed as it is.
        let needs = HostNeeds(
            role: .either, scenePace: settings.isEndless ? .realtime : .fast, otherPast: past,
            pastLack: past > .zero ? lack : nil, decodes: { _ in kind != nil }, stopsBySignal: false)
        let host = try Host(arguments, needs, interruption) { (_) throws(Failure) in
            arguments.streamOptions(past: past > .zero ? past + .seconds(1) : .zero)
        }
        // The report comes first: a camera that does not answer keeps nobody from reading it.
        defer { host.close() }
        let source = host.session.source
        let asked = Timestamp.now
        if let signal = interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        let recorder = try livecap.record(
            source, from: host.session.ring, to: path, settings, gate: host.gate, unless: interruption)
        interruption.onSignal { recorder.stop() }
        let isEndless = settings.isEndless && source.frameCount == nil
        Console.note(
            "recording \(source.inWords) to \(path)\(isEndless ? "; \(Interruption.howToEnd) ends it" : "")")
        host.reportGrant()
        host.session.begin()
        watch(recorder, host)
        var result = recorder.finish()
        if result.failure?.failure.isReaderGone(from: path) == true {
            guard result.summary.frames > 0 else {
                throw interruption.signal.map { .interrupted(signal: $0, isBeforeFrames: true) } ?? .readerLeft
            }
            result.failure = nil
        }
        if let first = result.summary.first { host.noteLack(of: past, from: asked - first, "recording") }
        if kind == .y4m, result.summary.lost > 0 || result.summary.continuity.holes > 0 {
            Console.note(MovieKind.y4mNote)
        }
        return try conclude(result, path: path == "-" ? "standard output" : path, host: host, &console)
    }

    /// Waits for the end, and shows progress.
    private static func watch(_ recorder: any FrameRecording, _ host: Host) {
        let (begun, attention) = (Timestamp.now, host.attention)
        recorder.whenEnded { attention.call() }
        host.watch(for: { recorder.waitForEnd(until: .now) }) {
            let so = recorder.progress
            let seconds = (Timestamp.now - begun).seconds
            let rate = seconds > 0.5 ? ", \(fixed(Double(so.frames) / seconds, 1)) fps" : ""
            let megabytes = recorder.byteCount / 1_000_000
            return "\(so.frames) frames, \(fixed(seconds, 1)) s\(rate), \(megabytes) MB, \(so.dropped) dropped"
        }
    }

    /// Reports the result. Recorded frames are reported even if the recording failed.
    private static func conclude(
        _ result: RecordingResult, path: String, host: Host, _ console: inout Console
    ) throws(Failure) -> Int32 {
        let failure = result.failure?.failure ?? host.session.failure?.failure
        if result.summary.frames > 0 {
            try FileReport(of: host.session.source, from: host.session.ring, at: path, result.summary)
                .print(host, to: &console)
            try console.flush()
        }
        if let failure {
            if path != "standard output" { Console.noteKept(result.summary.frames, in: path) }
            throw failure
        }
        if result.summary.frames == 0 {
            if let signal = host.interruption.signal {
                throw .interrupted(signal: signal, isBeforeFrames: true)
            }
            let damaged = result.summary.damaged
            throw .frameFile(
                .badFile(
                    host.session.source.name,
                    detail: damaged > 0 ? "none of \(counted(damaged, "frame")) can be used" : "it delivered no frame",
                    hint: "nothing was recorded"))
        }
        return host.interruption.exitStatus
    }
}

extension FileReport {
    /// Prints the report, with what only the session knows.
    fileprivate func print(_ host: Host, to console: inout Console) throws(Failure) {
        if console.writesJSON {
            let copied = ("bytesCopied", JSON(host.session.ring.statistics.bytesCopied))
            let transport = ("transport", host.loop.transport.map { JSON.string($0.rawValue) } ?? .null)
            try console.print(.object(members + [copied, transport, ("ring", host.ringObject)]))
        } else {
            try console.print(words)
        }
    }
}

extension RecordingSettings {
    fileprivate var isEndless: Bool { frames == nil && duration == nil }
}

extension SourceDescription {
    /// The source and what it delivers, on one line.
    var inWords: String { "\(name), \(format.pixelFormat) \(format.size)\(rate.map { " at \($0) fps" } ?? "")" }
}
