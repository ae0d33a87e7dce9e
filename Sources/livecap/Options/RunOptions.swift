// SPDX-License-Identifier: MIT
// The options of `livecap run`: where taps come from, and when it ends.

import LivecapCommandTable
import LivecapFrames
import LivecapMovies
import Shutter

enum RunOptions {
    static let shutter = Option(
        "shutter", .file("DEVICE"),
        help:
            "An input device whose keys take pictures, such as /dev/input/event3: a remote shutter, a pedal, a mouse",
        details: "Taps have the kernel's time of the press")
    static let shutterKey = Option(
        "shutter-key",
        ValueKind("KEY", expects: "a key's name or number, such as KEY_CAMERA, KEY_ENTER, BTN_LEFT or 28") {
            InputKey($0)
        },
        repeatable: true, help: "Use only this key of --shutter (default: any key)")
    static let grab = Flag("grab", help: "Take exclusive use of --shutter's keys")
    static let socket = Option(
        "socket", .file("PATH"),
        help:
            "The socket where other programs request pictures with lines of JSON such as {\"tap\":\"-250ms\"} (default: "
            + "livecap/shutter.sock in the runtime directory)")
    static let noSocket = Flag("no-socket", help: "Accept no requests from other programs")
    static let burst = Option(
        "burst-interval", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "The time between pictures while a key of --shutter, or a program's press, is held (default: one frame "
            + "interval)")
    static let count = Option("count", .integer(1...1_000_000), help: "End after N pictures")
    static let duration = Option(
        "duration", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help: "End after this time")

    static let idleOff = Option(
        "idle-off", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "Switch the camera off, light and all, when no picture was taken for this time (default: it stays on)",
        details:
            "The next tap switches it on, and waits for its frames: its picture shows the first one whose exposure has "
            + "settled. A window that shows what is now keeps it on"
    )
    static let faceExposure = Option(
        "face-exposure", ValueKind<String>.choice("SWITCH", of: ["on", "off"]).map { $0 == "on" },
        help:
            "Whether the camera's exposure and focus follow the faces that are found: on, whenever there are some; off, never "
            + "(default: the exposure does when it is automatic and leaves faces clearly too dark or too bright)")
    static let latest = Option(
        "latest", .file(),
        help:
            "Keep this file current: a picture of the newest frame, with quality speed, replaces it once per second and is "
            + "complete at any time. An existing file is replaced even without --overwrite. Its suffix decides its format "
            + "(default: JPEG)")

    static let serve = Flag(
        "serve",
        help:
            "Also serve the page of 'livecap serve', at --listen: a viewfinder and a shutter in browsers. Its pictures go into "
            + "the --library, too")

    static let view = Flag(
        "view",
        help:
            "Also open the window of 'livecap view'. Where it is closed, everything else goes on; q in it ends the run")
    static let fullScreen = Flag("full-screen", help: "Fill the screen from the start; f changes that")

    static let record = Option(
        "record", .file(),
        help:
            "Also record all frames, as 'livecap record' does, into a file of the kinds that it writes",
        details:
            "If the page changes the camera or its format, the next file goes on: walk-001.lcap after walk.lcap. "
            + OutputName.help)

    static let movies = Option(
        "movies", .file("DIR"),
        help:
            "A directory for movies, numbered as pictures are. m in the terminal, r in a window, or {\"movie\":\"start\"} on the socket, "
            + "starts one, and m again, or {\"movie\":\"stop\"}, ends it; pictures go on meanwhile")
    static let movieKind = Option(
        "movie-kind", Kinds.movie,
        help:
            "The kind of movies: mkv (a camera's JPEG frames go in unchanged, which leaves the processors to pictures), mp4 "
            + "or webm (default: mkv)")
    static let moviePast = Option(
        "pre", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help: "Begin movies this much before they are asked for. --ring grows to hold it")

    /// Options that have no effect by themselves.
    static let needs =
        pictureNeeds + movieNeeds([movies, serve]) + [
            Need(serve, oneOf: [LibraryPlace.intoOption]),
            Need(ServeOptions.listen, oneOf: [serve]), Need(ServeOptions.tokenFile, oneOf: [serve]),
            Need(ServeOptions.open, oneOf: [serve]), Need(ServeOptions.name, oneOf: [serve]),
            Need(ServeOptions.hold, oneOf: [serve]), Need(ServeOptions.liveSound, oneOf: [serve]),
            Need(ServeOptions.certificate, oneOf: [serve]), Need(ServeOptions.key, oneOf: [serve]),
            Need(ServeOptions.certificate, oneOf: [ServeOptions.key]),
            Need(ServeOptions.key, oneOf: [ServeOptions.certificate]), Need(fullScreen, oneOf: [view]),
        ]

    /// Those of a window, too.
    static let pictureNeeds = [
        Need(shutterKey, oneOf: [shutter]), Need(grab, oneOf: [shutter]),
        Need(EngineOptions.deferral, oneOf: [LibraryPlace.intoOption]),
        Need(PlaceOptions.strength, oneOf: [PlaceOptions.fuse]),
        Need(MovieOptions.split, oneOf: [movies]), Need(MovieOptions.canvas, oneOf: [movies]),
        Need(StabilizationOptions.stabilise, oneOf: [movies]),
        Need(TriggerOptions.quiet, oneOf: [TriggerOptions.trigger]),
        Need(TriggerOptions.action, oneOf: [TriggerOptions.trigger]),
        Need(EngineOptions.keepFrames, oneOf: [LibraryPlace.intoOption]),
        Need(ShootOptions.pair, oneOf: [ShootOptions.live]),
    ]

    /// Those of movies, too, which one of some options has made.
    static func movieNeeds(_ makers: [any Declared]) -> [Need] {
        [
            Need(movieKind, oneOf: makers), Need(moviePast, oneOf: makers), Need(MovieOptions.bitrate, oneOf: makers),
            Need(MovieOptions.crf, oneOf: makers),
            Need(SoundOptions.sound, oneOf: makers + [ShootOptions.live, TriggerOptions.trigger]),
            Need(SoundOptions.gain, oneOf: makers + [TriggerOptions.trigger]),
        ]
    }

    static let groups = [
        SourceOptions.groupOfSeveral,
        OptionGroup(
            "Taps", [shutter, idleOff],
            rare: [
                shutterKey, grab, burst, TriggerOptions.trigger, TriggerOptions.quiet, TriggerOptions.action, socket,
                noSocket,
                count, duration,
            ]),
        ShootOptions.picture,
        OptionGroup(
            "Movies",
            [
                movies, moviePast,
            ],
            rare: [
                movieKind, MovieOptions.bitrate, MovieOptions.crf, MovieOptions.split, MovieOptions.canvas,
                StabilizationOptions.stabilise, SoundOptions.sound,
                SoundOptions.gain,
            ]),
        OptionGroup(
            "Other programs",
            [
                serve, ServeOptions.listen, PlaceOptions.to, EffectOptions.effects,
            ],
            rare: [
                view, fullScreen, EffectOptions.places, faceExposure, PlaceOptions.share, PlaceOptions.fuse,
                PlaceOptions.steady,
                PlaceOptions.strength,
                ServeOptions.tokenFile,
                ServeOptions.open, ServeOptions.name, ServeOptions.liveSound, ServeOptions.hold,
                ServeOptions.certificate,
                ServeOptions.key,
            ]),
        EngineOptions.group,
        OptionGroup(
            "Output",
            [
                ShootOptions.output, LibraryPlace.intoOption, ShootOptions.live, record, ShootOptions.hook,
                ShootOptions.overwrite, ShootOptions.json, ConsoleOptions.quiet,
            ],
            rare: [ShootOptions.pair, latest, RunFacts.option, ShootOptions.verbose]),
    ]
}
