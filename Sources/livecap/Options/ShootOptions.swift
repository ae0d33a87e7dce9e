// SPDX-License-Identifier: MIT
// The options of `livecap shoot`, apart from its source.

import Fusion
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapStills

enum ShootOptions {
    static let at = Option(
        "at", ValueKind<Int64>.nanoseconds("TIME", signed: true).map(Duration.nanoseconds), repeatable: true,
        help:
            "The moment to show: for a file, or a scene at --pace fast, counted from its first frame; for a camera, or a "
            + "scene in real time, from now, so that -250ms is a quarter of a second ago",
        details: "Without a file, the time is counted once there is enough history")
    static let count = Option(
        "count", .integer(1...100_000), help: "Take N pictures, starting at each moment, --interval apart")
    static let interval = Option(
        "interval", aliases: ["timelapse"], ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help: "The time between the pictures of --count (default: 1s)")
    static let bracket = Option(
        "bracket",
        ValueKind<[Double]>("EV,EV...", expects: "up to nine steps from -8 to 8, such as -2,0,2") { text in
            let steps = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            let isWhole = steps.allSatisfy { $0.map { $0.magnitude <= ExposureBracket.maxStep } ?? false }
            return isWhole && steps.count <= ExposureBracket.maxSteps ? steps.compactMap(\.self) : nil
        },
        help:
            "Take a picture at each of several exposures: 1 is twice the light that the camera takes now, -1 half of it",
        details: "The camera's exposure must be one that can be set, and is afterwards what it was")
    static let quality = Option(
        "quality",
        ValueKind<String>.choice("HOW", of: PhotoQuality.allCases.map(\.rawValue)).map { PhotoQuality(rawValue: $0)! },
        help:
            "speed: one frame, denoised by its own estimated noise; balanced: frames aligned, merged and denoised; "
            + "quality: the best available, which takes many times as long; merge: aligned and merged only; mean: the "
            + "plain mean of the frames, which ghosts; single: one frame, unchanged (default: balanced)")
    static let frames = Option(
        "frames", short: "n", .integer(1...Fuser.maxFrames),
        help: "Frames to use (default: 8; 16 for quality, 1 for speed and single)",
        details: "Those of --after are among them")
    static let after = Option(
        "after", .integer(0...(Fuser.maxFrames - 1)),
        help: "How many of them are taken after the moment, which means waiting for them (default: 0)")
    static let reference = Option(
        "reference",
        ValueKind<String>.choice("FRAME", of: ReferencePolicy.allCases.map(\.rawValue))
            .map { ReferencePolicy(rawValue: $0)! },
        help: "The frame whose moment the picture shows: tap, the one nearest the moment; sharpest, the sharpest of "
            + "them; or best, one with open eyes and sharp faces (default: tap)")
    static let format = Option(
        "format", Kinds.shootFormat, repeatable: true,
        help:
            "The picture's format: jpeg, heic or png (default: by the suffix of FILE, or jpeg). Or the pixel format of a "
            + "camera's or scene's frames: MJPG, YUYV, NV12 ...")
    static let depth = Option(
        "depth",
        ValueKind<String>.choice("BITS", of: SampleDepth.allCases.map { "\($0.rawValue)" })
            .map { SampleDepth(rawValue: Int($0)!)! },
        help: "Bits per sample: 8 or 16 for PNG, 8 or 10 for HEIC, 8 for JPEG (default: the most that the format has, "
            + "or what a PNG or HEIC file has that is developed)")
    static let encodeQuality = Option(
        "encode-quality", .integer(1...100),
        help:
            "Encoder quality of JPEG or HEIC, which determines the file's size (default: 95 for JPEG, 75 for HEIC, whose "
            + "losses are below a camera's noise)")
    static let kernels = Option(
        "kernels",
        ValueKind<String>.choice("LEVEL", of: KernelLevel.allCases.map(\.rawValue))
            .map { KernelLevel(rawValue: $0)! },
        help: "The processor's instructions to use; every level gives the same picture (default: LIVECAP_KERNELS, or "
            + "else the best)")
    static let threads = Option(
        "threads", .integer(1...64), help: "Threads that make pictures (default: one per processor)")
    static let comparison = Option(
        "compare", .file("FILE"), help: "Also write a PNG that shows the single frame beside the result")
    static let explanation = Option(
        "explain", .file("FILE"),
        help:
            "Also write a PNG that shows how many frames each place is made of: violet for the single frame, yellow where "
            + "all frames agree. Bars below show each frame's weight, oldest first: white for the reference frame, red "
            + "for those left out")
    static let mask = Option(
        "mask", .file("FILE"),
        help: "With --effects, also write a small PNG of where people are: white where they are, black behind them")
    static let output = Option(
        "output", short: "o", .file("FILE|DIR"),
        help:
            "The picture's file, or a directory, where it gets the next free number (default: the current directory)",
        details:
            "Several pictures to one FILE get the next free -1, -2 ... before the suffix; in its name, %03d is the number, and "
            + "conversions of strftime, as in %Y/%m/%d-%H%M%S.jpg, are the picture's moment, also in folders, which are made "
            + "as needed. A name without a suffix gets the "
            + "format's, and an unknown suffix is refused. - is standard output; pipes and devices are written to directly"
    )
    static let hook = Option(
        "hook", .text("COMMAND", expects: "a command"),
        help:
            "Run this shell command after each picture: $1 and LIVECAP_FILE are its file, LIVECAP_JSON is its --json object",
        details:
            "For a deferred picture it gets the proxy, which the final replaces without another run; --defer never avoids "
            + "proxies. It delays no picture; at most two run at once, and livecap waits for them at the end. Their output "
            + "goes to standard error")
    static let live = Flag(
        "live",
        help:
            "Keep the 1.5 s before and after in the picture's own file, as phones do: a Motion Photo, which other programs "
            + "show as a still. JPEG or HEIC")
    static let pair = Flag(
        "pair",
        help:
            "With --live, keep the movie beside the picture, as iPhones do: NAME.mov, with the same content identifier")
    static let overwrite = Flag("overwrite", help: "Replace an existing regular file")
    static let json = Flag("json", help: "Print one JSON object per picture")
    static let verbose = Flag(
        "verbose", short: "v",
        help: "Print more about each picture: its noise, its frame, the bound of its lag, and why frames were left out")

    /// For tables: how a picture is made.
    static let picture = OptionGroup(
        "Picture", [quality, frames, format, ViewOptions.rotation],
        rare: [
            after, reference, depth, encodeQuality, ViewOptions.turned, ViewOptions.mirroring, ViewOptions.verticalFlip,
            ViewOptions.zoom, ViewOptions.date, ViewOptions.dateFormat, kernels, threads,
        ])
    /// Options that exclude each other.
    static let exclusive = ViewOptions.exclusive(with: ViewOptions.turned)
    /// Options that have no effect by themselves.
    static let needs = [
        Need(interval, oneOf: [count]), Need(EngineOptions.deferral, oneOf: [LibraryPlace.intoOption]),
        Need(EngineOptions.keepFrames, oneOf: [LibraryPlace.intoOption]),
        Need(pair, oneOf: [live]), Need(mask, oneOf: [EffectOptions.ofPictures]),
        Need(SoundOptions.sound, oneOf: [live]),
        Need(MovieOptions.bitrate, oneOf: [live]), Need(MovieOptions.crf, oneOf: [live]),
    ]

    /// For tables: the moments, how pictures are made, and where they go.
    static let groups = [
        SourceOptions.group,
        OptionGroup("Moments", [at, count, interval, bracket]),
        picture,
        EngineOptions.group,
        OptionGroup(
            "Output",
            [
                output, LibraryPlace.intoOption, live, hook, overwrite, json, ConsoleOptions.quiet,
            ],
            rare: [
                EffectOptions.ofPictures, mask, verbose, pair, SoundOptions.sound, MovieOptions.bitrate,
                MovieOptions.crf, comparison, explanation,
            ]),
    ]
}

/// The two meanings of `shoot --format`, which users do not confuse.
enum ShootFormat: Hashable {
    case picture(StillFormat)
    case frames(PixelFormat)
}

extension Kinds {
    static let shootFormat = ValueKind(
        "FORMAT",
        expects: "a picture format: jpeg, heic or png; nor a pixel format such as MJPG, YUYV or NV12",
        completion: .words(StillFormat.allCases.map(\.rawValue) + pixelFormatNames)
    ) { text -> ShootFormat? in
        if let picture = StillFormat(rawValue: text.lowercased()) ?? StillFormat(suffixOf: ".\(text)") {
            return .picture(picture)
        }
        // Any four letters would be valid as a camera's format; these are meant as a picture's.
        if otherPictures.contains(text.lowercased()) { return nil }
        return PixelFormat(named: text).map(ShootFormat.frames)
    }
}

/// Picture formats that cannot be written.
private let otherPictures: Set = [
    "tif", "tiff", "webp", "avif", "gif", "bmp", "jxl", "jp2", "dng", "raw",
]
