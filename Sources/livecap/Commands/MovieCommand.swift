// SPDX-License-Identifier: MIT
// `livecap movie`: makes a movie, which may begin before it was asked for.

import FrameRing
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapIntents
import LivecapMovies

enum MovieCommand {
    private static let output = Option(
        "output", short: "o", .file("FILE|DIR"), required: true,
        help:
            "The movie: its suffix, .mkv, .mp4 or .webm, decides the kind; in a directory, it is the next livecap-0001.mkv. "
            + "- is standard output, as --movie-kind says. "
            + OutputName.help)
    private static let pre = Option(
        "pre", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "Begin the movie this much in the past: before the tap with --on-tap, else once so much is in memory. --ring "
            + "grows to hold it")
    private static let onTap = Flag(
        "on-tap",
        help:
            "Wait for a tap before the movie begins: Enter or space in the terminal, a line on standard input, or SIGUSR1; "
            + "the next one ends it")
    private static let codec = Option(
        "codec",
        ValueKind<String>.choice("CODEC", of: MovieCodec.allCases.map(\.rawValue)).map { MovieCodec(rawValue: $0)! },
        help:
            "How pictures are compressed: mjpeg (the camera's own, unchanged; .mkv only), h264 (.mkv, .mp4), vp9 or av1 "
            + "(default: mjpeg in .mkv files if the camera delivers it, else h264; vp9 in .webm files)")
    private static let duration = Option(
        "duration", aliases: ["time"], short: "t",
        ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help: "The length of the movie, with the time of --pre, measured by the frames' own times")
    private static let kind = Option(
        "movie-kind", Kinds.movie,
        help:
            "The kind of a movie whose name does not say it, on standard output, in a pipe or a directory: mkv, mp4 (in "
            + "fragments, as browsers play it while it comes) or webm (default: mkv)")
    private static let overwrite = Flag("overwrite", help: "Replace an existing file")
    private static let fragments = Flag(
        "fragments",
        help:
            "Leave an .mp4 file in fragments, as it is while it grows. Otherwise it is copied once at its end, so that its "
            + "index comes first, as editors and downloads like it")
    private static let json = Flag("json", help: "Print a JSON object when done")

    static let verb = Verb(
        command: Command(
            "movie", summary: "make a movie, which may begin before you ask for it",
            discussion: """
                Each picture of the movie has its frame's own time. JPEG frames of a camera go into .mkv files unchanged; \
                for .mp4 and .webm, which browsers play, and for raw frames, they are encoded. H.264 of a camera \
                (--format H264) goes into .mkv and .mp4 files unchanged, from a keyframe: the last before the \
                start, or the next after a loss. The movie ends after \
                --duration, at the end of a file or scene, at the second tap, or with Ctrl-C.

                With --pre, the movie begins in the past: its first pictures are those that are in memory when it is asked \
                for.

                With --on-tap and --trigger motion, or sound, what is noticed begins the movie, too, which then ends once there \
                was quiet for --trigger-quiet, or at a tap. Why it began is said, and is "trigger" in the JSON object.

                If encoding or the disk is slower than the camera, the movie falls behind by as much as --ring keeps. Frames \
                beyond that are left out and counted; the others keep their times, and the camera loses none. A smaller \
                --size, a lower --fps or another --codec helps. Files and scenes at the fast pace wait instead.

                While a camera is unplugged, its last picture stays, darkened and marked by two bars, and the sound goes on. \
                --on-unplug says for how long, and whether another camera goes on.

                p in the terminal pauses the movie and goes on with it: the time between is cut out, of pictures and sound \
                alike. c marks a chapter; each camera begins one, too. 'livecap info' shows them, and so do players; a file \
                that was cut off has them as well. --split makes several files of a long movie.

                With --stabilise, pictures are steadied before they are encoded; no JPEG frame is then unchanged.

                The file can be played while it grows. If livecap is killed, everything is there but about the last second it \
                shows. A full disk ends the movie, and what was written until then is complete. At the end, an .mp4 file \
                gets its index first, which takes a copy: Ctrl-C gives that up, and so does a disk without the room.

                Movies of cameras have sound, if there is a microphone: the camera's own, else the one connected last. If it \
                is unplugged, there is silence until the next one takes over. Its clock is measured, so that sound and \
                pictures stay together however wrong it is. In the terminal, m mutes, + and - change the gain by 3 dB, and \
                q ends the movie.

                Movies need the libraries of FFmpeg 5 to 9 ('apt install ffmpeg'), which are loaded only for them.
                """,
            groups: [
                SourceOptions.group,
                OptionGroup(
                    "Options",
                    [
                        output, duration, pre, onTap, TriggerOptions.beginning, SoundOptions.sound, SoundOptions.mute,
                        StabilizationOptions.stabilise,
                        MovieOptions.timelapse, MovieOptions.split, overwrite, json, ConsoleOptions.quiet,
                    ],
                    rare: [
                        SourceOptions.format, kind, codec, MovieOptions.bitrate, MovieOptions.crf, SoundOptions.gain,
                        MovieOptions.canvas, TriggerOptions.quiet, fragments,
                    ]),
                ViewOptions.group,
            ],
            exclusive: [SourceOptions.exclusive, [MovieOptions.split, overwrite], MovieOptions.qualities],
            needs: SourceOptions.needs + [
                Need(TriggerOptions.beginning, oneOf: [onTap]),
                Need(TriggerOptions.quiet, oneOf: [TriggerOptions.beginning]),
            ],
            examples: [
                Example("livecap movie -o walk.mkv", "the preferred camera, until Ctrl-C"),
                Example("livecap movie -o walk.mp4 --pre 5s --on-tap", "from five seconds before you press Enter"),
                Example(
                    "livecap movie -o fox.mkv --pre 3s --on-tap --trigger motion", "from three seconds before it moves"),
                Example("livecap movie -o clip.webm -t 10s --size 1280x720", "ten seconds for a web page"),
                Example("livecap movie -o talk.mp4 --sound Yeti --gain 6", "with this microphone, made louder"),
                Example("livecap movie --replay walk.lcap -o walk.mp4", "a recording as a movie"),
                Example("livecap movie -o - | ffplay -", "through a pipe, as Matroska"),
                Example("livecap movie -o day.mkv --split 10m", "a file of each ten minutes"),
                Example("livecap movie -o %Y/%m/%d-%H%M%S.mp4", "named by its time, in a folder for each month"),
                Example("livecap movie -o clouds.mp4 --timelapse 2s", "sixty times as fast"),
            ])
    ) { arguments, console throws(Failure) in
        if arguments[SourceOptions.listDevices] { return try DevicesCommand.list(&console) }
        let name = try OutputName.movie(arguments.required(output), arguments[kind] ?? .mkv)
        var named = MovieSettings(codec: arguments[codec])
        named.container = arguments[kind]
        let container = try attempt { () throws(MovieError) in try named.container(of: name) }
        if let kind = arguments[kind], kind != container {
            throw .pictures("\(name) is the name of another kind than --movie-kind", hint: "leave one of the two out")
        }
        if OutputTarget.descriptor(namedBy: name) == STDOUT_FILENO { try console.leaveStandardOutput() }
        if arguments.contains(MovieOptions.split), OutputTarget(name) == .stream {
            throw .pictures("a movie in a stream is not split", hint: "name a file, or leave out --split")
        }
        let path = try OutputName.path(
            name, mayReplace: arguments[overwrite], isSplit: arguments.contains(MovieOptions.split))
        if arguments.contains(MovieOptions.timelapse), let sound = arguments[SoundOptions.sound], sound != .none {
            throw .pictures("a timelapse has no sound", hint: "leave out --sound, or --timelapse")
        }
        let beginning = try MovieBeginning(arguments, past: pre, isTapped: arguments[onTap])
        if beginning.listens { try TriggerOptions.checkSound(arguments) }
        if beginning.waits { RunShutters.blockSignals() }
        let interruption = try Interruption()
        var settings = MovieSettings(
            codec: arguments[codec], duration: arguments[duration], overwrite: arguments[overwrite],
            canvas: arguments[MovieOptions.canvas] ?? (isCamera(arguments) ? MovieCanvas() : nil))
        settings.container = arguments[kind]
        (settings.split, settings.timelapse) = (arguments[MovieOptions.split], arguments[MovieOptions.timelapse])
        settings.stabilization = arguments[StabilizationOptions.stabilise] ?? .off
        settings.quality = arguments.movieQuality
        settings.hasIndexFirst = !arguments[fragments]
        settings.zoom = arguments[ViewOptions.zoom]
        settings.date = arguments.date
        // Motion is seen in pictures only.
        let keepsH264 = settings.keepsH264(at: path) && !beginning.watches
        // At the fast pace, a scene without an end would fill the disk before anybody could stop it, and has no sound.
        let needs = HostNeeds(
            role: .either,
            scenePace: beginning.waits || settings.duration == nil || MovieMicrophone.isAsked(arguments)
                ? .realtime : .fast,
            replayPace: beginning.waits ? .realtime : .fast, otherPast: beginning.past,
            decodes: { !keepsH264 || $0 != .h264 }, stopsBySignal: false)
        let host = try Host(arguments, needs, interruption) { (_) throws(Failure) in
            arguments.streamOptions(past: beginning.neededHistory)
        }
        // The report comes first: a camera that does not answer keeps nobody from reading it.
        defer { host.close() }
        let (loop, source) = (host.loop, host.session.source)
        settings.software = BuildInformation.program
        settings.mount = arguments.mount ?? loop.rotation?.capture ?? .upright
        if let signal = interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        let microphone = try MovieMicrophone.open(
            arguments, source, host.session.granted, past: beginning.neededHistory)
        defer { microphone?.close() }
        if beginning.listens, microphone == nil { throw .sound(.noMicrophone) }
        microphone?.follow(host)
        let movie = try creating(unless: interruption) { () throws(MovieError) in
            try MovieFileOutput(
                source, ring: host.session.ring, to: path, settings, sound: microphone?.capture.history,
                gate: host.gate, camera: { loop.source(ofFrame: $0).name })
        }
        noteMount(settings, movie, source.format.pixelFormat)
        interruption.onSignal { movie.interrupt(by: interruption.signal) }
        interruption.offer(movie.optionalWork)
        host.reportGrant()
        defer { beginning.close() }
        let asked = try beginning.begin(movie, host, microphone, to: path == "-" ? "standard output" : path)
        watch(movie, host, microphone)
        return try conclude(
            movie, path: path, asked: asked, cause: beginning.cause, host: host, microphone: microphone, &console)
    }

    /// Pictures that pass through into .mkv files are not turned by anybody.
    private static func noteMount(_ settings: MovieSettings, _ movie: MovieFileOutput, _ frames: PixelFormat) {
        let isMade = settings.canvas?.size != nil || settings.zoom != nil || settings.date != nil
        guard settings.mount != .upright, !isMade, movie.format.container == .mkv else { return }
        let way: String
        if frames == .h264 {
            way = "--format MJPG or YUYV, or an .mp4 file,"
        } else {
            guard movie.format.codec == .mjpeg else { return }
            way = "--canvas SIZE, or another codec than mjpeg,"
        }
        Console.note(
            "note: players do not turn .mkv files: pictures stay as the camera delivers them (\(way) makes them upright)"
        )
    }

    /// Whether frames come from a camera, which may go and come back: what is missing then is filled in.
    private static func isCamera(_ arguments: Arguments) -> Bool {
        !arguments.contains(SourceOptions.replay) && !arguments.contains(SourceOptions.synthetic)
    }

    /// Waits for the end, and shows progress.
    private static func watch(_ movie: MovieFileOutput, _ host: Host, _ microphone: MovieMicrophone?) {
        let attention = host.attention
        movie.whenEnded { attention.call() }
        microphone?.capture.onNotice { attention.call() }
        host.watch(for: { movie.waitForEnd(until: .now) }) {
            if let copying = movie.indexing { return copying.words }
            let so = movie.progress
            let seconds = fixed(movie.length.seconds, 1)
            let sound = microphone.map { ", \($0.meter)" } ?? ""
            return
                "\(movie.isPaused ? "paused, " : "")\(so.frames) frames, \(seconds) s, \(movie.byteCount / 1_000_000) MB, \(so.dropped) dropped\(sound)"
        } look: {
            microphone?.reportNotices()
        }
    }

    /// Reports the result. What is in the movie is reported even if it ended early.
    private static func conclude(
        _ movie: MovieFileOutput, path: String, asked: Timestamp?, cause: TriggerCause?, host: Host,
        microphone: MovieMicrophone?, _ console: inout Console
    ) throws(Failure) -> Int32 {
        let result = movie.finish()
        var failure = result.failure?.failure ?? host.session.failure?.failure
        let frames = result.summary.frames
        if failure?.isReaderGone(from: path) == true {
            guard frames > 0 else {
                throw host.interruption.signal.map { .interrupted(signal: $0, isBeforeFrames: true) } ?? .readerLeft
            }
            failure = nil
        }
        if frames > 0 {
            let report = MovieReport(
                path: path, result: result, format: movie.format, movie.stabilization, asked: asked, cause: cause,
                host: host, sound: microphone?.capture)
            try report.print(to: &console)
            try console.flush()
        }
        if let failure {
            if OutputTarget(path) != .stream { Console.noteKept(frames, in: result.files ?? path) }
            throw failure
        }
        guard frames > 0 else {
            if let signal = host.interruption.signal {
                throw .interrupted(signal: signal, isBeforeFrames: true)
            }
            throw .frameFile(
                .badFile(
                    host.session.source.name, detail: "no frame of it became part of the movie",
                    hint: "nothing was written"))
        }
        return host.interruption.exitStatus
    }
}
