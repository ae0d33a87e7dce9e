// SPDX-License-Identifier: MIT
// The options of `livecap shoot`, apart from its source.

import CommandTable
import Frames
import FusionKernels
import LiveCapture
import Stills

enum ShootOptions {
    static let at = Option(
        "at", ValueKind<Int64>.nanoseconds("TIME", signed: true).map(TimeSpan.init(nanoseconds:)), repeatable: true,
        help:
            "The moment to take: counted from the first frame of a file, or of a scene at --pace fast; on a camera, or a "
            + "scene in real time, from now, which begins when enough history is there, so that -250ms is a quarter of "
            + "a second ago")
    static let count = Option(
        "count", .integer(1...100_000), help: "So many pictures from each moment on, --interval apart")
    static let interval = Option(
        "interval", aliases: ["timelapse"], ValueKind<Int64>.positiveNanoseconds().map(TimeSpan.init(nanoseconds:)),
        help: "The time from one picture of --count to the next; 1s if left out")
    static let quality = Option(
        "quality",
        ValueKind<String>.choice("HOW", of: PhotoQuality.allCases.map(\.rawValue)).map { PhotoQuality(rawValue: $0)! },
        help:
            "speed: the frame alone, denoised by what it says of its own noise; balanced: frames aligned, merged and "
            + "denoised; quality: the best picture known here, which takes many times as long; merge: aligned "
            + "and merged, no more; mean: the plain mean of the frames as they are, which ghosts; single: the frame as "
            + "it is. balanced if left out")
    static let frames = Option(
        "frames", short: "n", .integer(1...Fuser.maxFrames),
        help: "Frames to use, those of --after among them; 8 if left out, 16 for quality, 1 for speed and single")
    static let after = Option(
        "after", .integer(0...(Fuser.maxFrames - 1)),
        help: "How many of them may be later than the moment, which has to be waited for; 0 if left out")
    static let reference = Option(
        "reference",
        ValueKind<String>.choice("FRAME", of: ReferencePolicy.allCases.map(\.rawValue))
            .map { ReferencePolicy(rawValue: $0)! },
        help: "The frame whose moment the picture shows: tap, the nearest to the moment, or sharpest, the sharpest of "
            + "the frames; tap if left out")
    static let format = Option(
        "format", Kinds.shootFormat, repeatable: true,
        help:
            "jpeg, heic or png: the picture's kind; if left out, what the suffix of FILE says, or jpeg. Or what the "
            + "frames of a camera or scene are to be: MJPG, YUYV, NV12 ...")
    static let depth = Option(
        "depth",
        ValueKind<String>.choice("BITS", of: SampleDepth.allCases.map { "\($0.rawValue)" })
            .map { SampleDepth(rawValue: Int($0)!)! },
        help: "Bits a sample: of PNG 8 or 16, of HEIC 8 or 10, of JPEG 8; the most there are if left out")
    static let encodeQuality = Option(
        "encode-quality", .integer(1...100),
        help:
            "How much a JPEG or HEIC picture keeps, and how large it gets; what costs less than a camera's own noise, "
            + "if left out: 95 of JPEG, 75 of HEIC")
    static let kernels = Option(
        "kernels",
        ValueKind<String>.choice("LEVEL", of: KernelLevel.allCases.map(\.rawValue))
            .map { KernelLevel(rawValue: $0)! },
        help: "How much of the processor to use; every level gives the same picture. LIVECAP_KERNELS or else the best, "
            + "if left out")
    static let threads = Option(
        "threads", .integer(1...64), help: "Threads that make pictures; as many as there are processors if left out")
    static let turned = Option(
        "orientation",
        ValueKind<String>.choice("HOW", of: orientations.map(\.name)).map { name in
            orientations.first { $0.name == name }!.value
        },
        help:
            "Where the picture's upper edge goes, for a camera that is mounted so, mirrored before that or not; up if "
            + "left out")
    static let comparison = Option(
        "compare", .file("FILE"), help: "Also write a PNG picture that shows the frame beside what was made of it")
    static let explanation = Option(
        "explain", .file("FILE"),
        help:
            "Also write a PNG picture that shows what it rests on: violet where the frame stands alone, yellow where all "
            + "frames agree; below, each frame's weight, oldest first: white the frame whose moment it is, red those left "
            + "out")
    static let output = Option(
        "output", short: "o", .file("FILE|DIR"),
        help:
            "Where the picture goes; into a directory with the next free number (default: the current one). Several pictures "
            + "to one FILE get the next free -1, -2 ... before its suffix; %03d in its name is the number, and conversions of "
            + "strftime, as in %Y%m%d-%H%M%S.jpg, are the picture's moment. A name without a suffix gets the format's. - is "
            + "standard output; pipes and devices are written through")
    static let hook = Option(
        "hook", .text("COMMAND", expects: "a command"),
        help:
            "Run this shell command after each picture: $1 and LIVECAP_FILE are its file, LIVECAP_JSON is what --json says of it. "
            + "Of a deferred picture it gets the proxy, which goes when the final is there; for that it does not run again, and "
            + "--defer never does without proxies. It holds no picture up; two run at once at most, and the end waits for them. "
            + "What it prints goes to standard error")
    static let overwrite = Flag("overwrite", help: "Replace a regular file that is there already, and nothing else")
    static let json = Flag("json", help: "Print an object a picture")

    static let rotation = Option(
        "rotate", ValueKind<String>.choice("DEGREES", of: ["0", "90", "180", "270"]).map { Int($0)! },
        help: "Turn the picture clockwise, after mirroring: the same as --orientation in degrees")
    static let mirroring = Flag("hflip", aliases: ["mirror"], help: "Mirror the picture left to right")
    static let verticalFlip = Flag("vflip", help: "Mirror the picture top to bottom")

    /// For tables: how a picture is made.
    static let picture: [any Declared] = [
        quality, frames, after, reference, format, depth, encodeQuality, turned, rotation, mirroring, verticalFlip,
        kernels,
        threads,
    ]
    /// Options that exclude each other.
    static let exclusive: [[any Declared]] = [[turned, rotation], [turned, mirroring], [turned, verticalFlip]]
    /// Options that have no effect by themselves.
    static let needs = [
        Need(interval, oneOf: [count]), Need(EngineOptions.deferral, oneOf: [LibraryPlace.intoOption]),
        Need(EngineOptions.keepFrames, oneOf: [LibraryPlace.intoOption]),
    ]

    /// The orientation that results from rotating and mirroring; nil if neither is asked for.
    static func orientation(_ arguments: Arguments) -> PhotoOrientation? {
        if let orientation = arguments[turned] { return orientation }
        let (isMirrored, isUpended) = (arguments[mirroring], arguments[verticalFlip])
        guard isMirrored || isUpended || arguments.contains(rotation) else { return nil }
        // Mirroring top to bottom is mirroring left to right and half a turn.
        let turns = ((arguments[rotation] ?? 0) / 90 + (isUpended ? 2 : 0)) % 4
        return orientations[turns + (isMirrored != isUpended ? 4 : 0)].value
    }

    /// Quarter turns clockwise, then the same after mirroring.
    private static let orientations: [(name: String, value: PhotoOrientation)] = [
        ("up", .up), ("right", .right), ("down", .down), ("left", .left), ("mirrored", .upMirrored),
        ("mirrored-right", .rightMirrored), ("mirrored-down", .downMirrored), ("mirrored-left", .leftMirrored),
    ]

    /// For tables: the moments, how pictures are made, and where they go.
    static let groups = [
        SourceOptions.group,
        OptionGroup("Moments", [at, count, interval]),
        OptionGroup("Picture", picture),
        EngineOptions.group,
        OptionGroup(
            "Output",
            [output, LibraryPlace.intoOption, comparison, explanation, hook, overwrite, json, ConsoleOptions.quiet]),
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
        expects: "a picture format: jpeg, heic or png; nor one of a camera's frames, such as MJPG, YUYV or NV12",
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
