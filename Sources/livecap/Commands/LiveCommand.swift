// SPDX-License-Identifier: MIT
// `livecap live`: every frame of a camera fused with its past, for every program on the machine.

import Camera
import FrameRing
import Fusion
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrames
import LivecapIntents
import LivecapLiveFusion
import LivecapMovies
import LivecapStreams
import LivecapThreads
import LivecapVirtualCamera

enum LiveCommand {
    private static let output = Option(
        "output", short: "o", .file(),
        help:
            "Write the fused frames: a movie (.mkv, .mp4, .webm), or frames without loss (.y4m, .lcap). - is standard "
            + "output, as y4m. \(OutputName.help)")
    private static let strength = Option(
        "strength", LiveOptions.strengthKind,
        help:
            "How many frames the past is worth at most. More take out more noise, and show slow changes later (default: \(LiveOptions.usualStrength))"
    )
    private static let threads = Option(
        "threads", .integer(1...64), help: "How many threads fuse (default: one per processor, at most 2)")
    private static let frames = Option(
        "frames", short: "n", .integer(1...Int.max), help: "End the file after N frames")
    private static let duration = Option(
        "duration", short: "t", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help: "End after this time")
    private static let overwrite = Flag("overwrite", help: "Replace an existing file")
    private static let json = Flag("json", help: "Print a JSON object when done")

    static let verb = Verb(
        command: Command(
            "live", summary: "a better camera: every frame fused with its past",
            discussion: """
                Each frame is fused with what is remembered of those before: what stands still, or moves in a way that can \
                be followed, loses its noise; everything else is shown as the camera saw it. The picture has the frame's \
                own time, and leaves before the next one comes.

                With --to, other programs use it like any camera. With -o, it is written to a file; files and scenes at \
                the fast pace wait for it. Both may be given.

                While it runs, a line shows how many frames leave per second, and how much later than they came: the \
                median, and what one frame in twenty exceeds.

                Frames are not steadied: the picture moves as the camera does. 'livecap run --to pipewire --fuse to --steady to' \
                does both.
                """,
            groups: [
                SourceOptions.group,
                OptionGroup(
                    "Options",
                    [
                        SourceOptions.format, PlaceOptions.to, output, strength, threads, frames, duration, overwrite,
                        json,
                        ConsoleOptions.quiet,
                    ], rare: [MovieOptions.bitrate, MovieOptions.crf]),
                ViewOptions.group,
            ],
            exclusive: [SourceOptions.exclusive, [frames, duration], MovieOptions.qualities],
            needs: SourceOptions.needs + [
                Need(frames, oneOf: [output]), Need(overwrite, oneOf: [output]),
                Need(MovieOptions.bitrate, oneOf: [output]), Need(MovieOptions.crf, oneOf: [output]),
            ],
            examples: [
                Example("livecap live --to pipewire", "a camera for browsers, OBS and others, until Ctrl-C"),
                Example("livecap live --to pipewire:Desk --to /dev/video10", "under a name, and for older programs"),
                Example("livecap live -o evening.mp4 -t 1min", "a movie of a minute"),
                Example("livecap live --replay walk.lcap -o walk.y4m", "a recording, fused"),
            ])
    ) { arguments, console throws(Failure) in
        if arguments[SourceOptions.listDevices] { return try DevicesCommand.list(&console) }
        guard arguments.contains(PlaceOptions.to) || arguments.contains(output) else {
            throw .pictures(
                "nobody would see the fused frames", hint: "add --to pipewire, --to /dev/videoN, or -o FILE")
        }
        let name = arguments[output]
        if let name { try LiveFile.checkName(name) }
        let isLossless = name.map { MovieContainer(path: $0) == nil } ?? false
        if isLossless { try arguments.refuse(ViewOptions.all, as: "frames without loss stay as they are") }
        if arguments.movieQuality != nil, isLossless {
            throw .pictures(
                "frames without loss have no bit rate or quality to choose",
                hint: "leave out --bitrate and --crf, or name a movie: .mkv, .mp4 or .webm")
        }
        let path: String? =
            if let name { try OutputName.path(name, mayReplace: arguments[overwrite]) } else { nil }
        let interruption = try Interruption()
        if let path, OutputTarget.descriptor(namedBy: path) == STDOUT_FILENO { try console.leaveStandardOutput() }
        let isShown = arguments.contains(PlaceOptions.to),
            isEndless = !arguments.contains(frames) && !arguments.contains(duration)
        let needs = HostNeeds(
            role: .either, scenePace: isShown || isEndless ? .realtime : .fast,
            replayPace: isShown ? .realtime : .fast, otherPast: .zero, stopsBySignal: false)
        let host = try Host(arguments, needs, interruption) { (_) throws(Failure) in arguments.streamOptions() }
        defer { host.close() }
        if let signal = interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        let times = LiveTimes()
        let failure = Guarded<CameraError?>(nil)
        let stage = try stage(arguments, host, times) { error in failure.withLock { $0 = error } }
        defer { stage.close() }
        host.session.begin()
        let stream = try firstStream(of: stage, host, failure)
        // Cameras keep the stage at work only while they are watched.
        let use = path.map { _ in stream.keepOn() }
        defer { withExtendedLifetime(use) {} }
        let cameras = try ShownCameras.open(
            arguments, host, stream.source, as: arguments.view(host.session.rotation?.mount))
        defer { for camera in cameras { camera.close() } }
        for camera in cameras { stage.sinks.add(camera) }
        let file = try file(arguments, at: path, of: stream, host)
        let places = (cameras.map(\.name) + (path.map { [$0 == "-" ? "standard output" : $0] } ?? []))
        Console.note(
            "fusing \(host.session.source.inWords) to \(places.joined(separator: ", ")); "
                + "\(Interruption.howToEnd) ends it")
        host.reportGrant()
        stage.release()
        watch(host, times: times, file: file, for: arguments[duration])
        let written = file?.finish()
        stage.close()
        return try conclude(
            host, stream.source.format, times: times, path: path, written: written,
            stageFailure: failure.withLock { $0 }, &console)
    }

    /// Fuses the frames of a host that has not begun, once it is released.
    private static func stage(
        _ arguments: Arguments, _ host: Host, _ times: LiveTimes,
        whenFailed: @escaping @Sendable (CameraError) -> Void
    ) throws(Failure) -> StageHost {
        let settings = LiveSettings(memory: arguments[strength] ?? LiveOptions.usualStrength)
        let stage: StageHost
        if let refusal = FusedSource.refusal(of: host.session.source.format) { throw .camera(refusal) }
        do throws(SystemShortage) {
            stage = try .fusing(
                settings, threads: arguments[threads] ?? LiveOptions.usualThreads, times: times, isHeld: true,
                whenFailed: whenFailed)
        } catch { throw .camera(.shortage(error)) }
        _ = host.session.sinks.attach(stage)
        host.interruption.onSignal { stage.hostEnds() }
        return stage
    }

    /// The fused frames. Compressed frames have to flow for that: the first one shows what they decode to.
    private static func firstStream(
        of stage: StageHost, _ host: Host, _ failure: borrowing Guarded<CameraError?>
    ) throws(Failure) -> SinkStream {
        if let stream = stage.firstStream() { return stream }
        if let signal = host.interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        let error = failure.withLock { $0 } ?? host.session.failure
        throw .camera(error ?? .badSettings("there was no frame", hint: "nothing was written"))
    }

    /// Opens the file that `path` names, if it names one.
    private static func file(
        _ arguments: Arguments, at path: String?, of stream: SinkStream, _ host: Host
    ) throws(Failure) -> LiveFile? {
        guard let path else { return nil }
        var settings = MovieSettings(duration: arguments[duration], overwrite: arguments[overwrite])
        settings.software = BuildInformation.program
        settings.mount = arguments.mount ?? host.session.rotation?.capture ?? .upright
        settings.zoom = arguments[ViewOptions.zoom]
        settings.date = arguments.date
        settings.isFused = true
        settings.quality = arguments.movieQuality
        settings.frames = arguments[frames]
        let file = try LiveFile(path, of: stream, settings, unless: host.interruption)
        file.follow(host.interruption)
        return file
    }

    /// Waits for the end, and shows progress.
    private static func watch(
        _ host: Host, times: LiveTimes, file: LiveFile?, for duration: Duration?
    ) {
        let (begun, attention, loop) = (Timestamp.now, host.attention, host.loop)
        let end = file == nil ? duration.map { begun + $0 } ?? .distantFuture : .distantFuture
        file?.whenEnded { attention.call() }
        let isOver = { file?.waitForEnd(until: .now) ?? (loop.hasEnded || host.interruption.signal != nil) }
        host.watch(until: end, for: isOver) {
            let now = times.figures
            guard now.frames > 0 || file != nil else { return "nobody is looking" }
            let rate = Double(now.frames) / max(0.1, (Timestamp.now - begun).seconds)
            return
                "\(now.frames) frames, \(fixed(rate, 1)) fps, \(now.inWords), each worth \(fixed(Double(now.evidence), 1))"
        }
    }

    /// Says what a file lacks, and what it has after a failure.
    private static func report(_ summary: RecordingSummary, at path: String, _ failure: Failure?) {
        if summary.dropped > 0 {
            let (frames, verb) = (counted(summary.dropped, "frame"), summary.dropped == 1 ? "is" : "are")
            let place = path == "-" ? "standard output" : path
            Console.note("note: \(frames) \(verb) missing, because \(place) was slower than the camera")
            if MovieKind(path: path) == .y4m { Console.note(MovieKind.y4mNote) }
        }
        if failure != nil { Console.noteKept(summary.frames, in: path) }
    }

    private static func conclude(
        _ host: Host, _ format: FrameFormat, times: LiveTimes, path: String?,
        written: (summary: RecordingSummary, failure: Failure?)?, stageFailure: CameraError?,
        _ console: inout Console
    ) throws(Failure) -> Int32 {
        let figures = times.figures
        var failure = written?.failure ?? (stageFailure ?? host.session.failure)?.failure
        let isReaderGone = path.map { failure?.isReaderGone(from: $0) == true } ?? false
        if isReaderGone { failure = nil }
        let summary = written?.summary
        if let path, let summary { report(summary, at: path, failure) }
        if summary.map({ $0.frames > 0 }) ?? (figures.frames > 0 || failure == nil) {
            if console.writesJSON {
                var fields: [(String, JSON)] = [
                    ("frames", JSON(figures.frames)), ("width", JSON(format.size.width)),
                    ("height", JSON(format.size.height)), ("format", .string("\(format.pixelFormat)")),
                    ("passed", JSON(figures.passed)), ("scenes", JSON(figures.begun)),
                    ("repeated", JSON(figures.repeated)), ("latencyMs", .number(figures.median / .milliseconds(1))),
                    ("latency95Ms", .number(figures.most / .milliseconds(1))),
                    ("latencyMeanMs", .number(figures.mean / .milliseconds(1))),
                    ("latencyMaxMs", .number(figures.longest / .milliseconds(1))),
                    ("noise", .number(Double(figures.noise))), ("evidence", .number(Double(figures.evidence))),
                ]
                fields.append(("file", path.map { .string($0) } ?? .null))
                fields.append(("written", summary.map { JSON($0.frames) } ?? .null))
                fields.append(("dropped", summary.map { JSON($0.dropped) } ?? .null))
                try console.print(.object(fields))
            } else {
                let file = path.map { $0 == "-" ? "" : "\($0): " } ?? ""
                let frames = summary?.frames ?? figures.frames
                let isUnseen = figures.passed == 0 && host.session.ring.newestTime != nil
                let words = figures.frames > 0 ? ", \(figures.inWords)" : isUnseen ? ", because nobody looked" : ""
                try console.print("\(file)\(counted(frames, "frame"))\(words)")
            }
            try console.flush()
        }
        if let failure { throw failure }
        if let interrupted = host.interruptedBeforeFrames { throw interrupted }
        if let summary, summary.frames == 0, !isReaderGone {
            if let signal = host.interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
            throw .frameFile(
                .badFile(host.session.source.name, detail: "no frame of it was fused", hint: "nothing was written"))
        }
        return host.interruption.exitStatus
    }
}

extension LiveTimes.Figures {
    /// How much later frames leave than they came.
    fileprivate var inWords: String {
        "\(fixed(median / .milliseconds(1), 1)) ms later (p95 \(fixed(most / .milliseconds(1), 1)))"
    }
}
