// SPDX-License-Identifier: MIT
// The source on the command line: a camera, a recording or a synthetic scene, and the format asked of it.

import Camera
import LivecapCommandTable
import LivecapFrameFiles
import LivecapFrames
import LivecapMovies

/// The options of every command with a source.
enum SourceOptions {
    static let device = device()
    /// For commands that take several cameras. The first one's value is that of `device`, once `RunCompanions` has set
    /// the others apart.
    static let devices = device(repeatable: true)
    private static func device(repeatable: Bool = false) -> Option<String> {
        Option(
            "device", short: "d",
            .text("DEVICE", completion: .pattern("/dev/video*", words: ["auto", "livecap"]))
                .meant { Int($0) != nil || $0.hasPrefix("/dev/") }
                .map { Int($0) == nil ? $0 : "/dev/video\($0)" },
            repeatable: repeatable,
            help:
                "The camera: auto (the preferred one: 'livecap devices --prefer'), a node such as /dev/video0, or 0 for "
                + "short, or an id or a name that 'livecap devices' lists"
                + (repeatable ? ". Given again, another camera that takes each picture, too, of the same instant" : ""),
            details:
                "If another livecap has it, shoot, record, movie, live, share and export use its frames, its past ones, too; "
                + "livecap, or livecap:PID, names that one whatever it has")
    }
    static let onUnplug = Option(
        "on-unplug", Kinds.unplugPolicy,
        help:
            "What to do when the camera is unplugged: wait for it, for ever or for a TIME as in wait:30s, and go on with the "
            + "same settings when it is back; go on with the next best camera that has the same format; or end. With next "
            + "and without --device, another camera takes over as soon as it is the preferred one (default: wait; for "
            + "'livecap run' without --device, next, but not during a movie; for a single picture, end)")
    static let onBusy = Option(
        "on-busy", Kinds.busyPolicy,
        help:
            "What to do if another program uses the camera: wait until it is free, for ever or for a TIME, or end "
            + "(default: end; for run, wait)")
    static let own = Flag(
        "own",
        help: "Do not use the frames of a livecap that has the camera, but treat it like any other program that has it")
    static let set = Option(
        "set", Kinds.controlSetting, repeatable: true,
        help:
            "Set a control of the camera before its first frame, as in exposure=10ms, white-balance=auto or gain=20; "
            + "'livecap controls' lists all and what they accept")
    static let profile = Option(
        "profile", Kinds.profile,
        help:
            "Set the camera's controls as 'livecap controls --save NAME' kept them, before --set (default: default, if it "
            + "was kept)")
    static let replay = Option(
        "replay", .file(),
        help:
            "A file instead of a camera: a livecap recording, .y4m, concatenated JPEG (.mjpg), .mkv with a camera's JPEG, or "
            + "headerless raw frames",
        details:
            "The latter need --input-format and --size. - is standard input, which is copied to $TMPDIR while in use")
    static let synthetic = synthetic()
    /// For commands that take several, as `devices` are.
    static let scenes = synthetic(repeatable: true)
    private static func synthetic(repeatable: Bool = false) -> Option<String> {
        Option(
            "synthetic",
            .text("SCENE", completion: .words(SyntheticSettings.Scene.allCases.map(\.rawValue))),
            repeatable: repeatable,
            help:
                "A synthetic scene instead of a camera: "
                + "\(SyntheticSettings.Scene.allCases.map(\.rawValue).joined(separator: ", ")); "
                + "settings follow a colon, as in handheld:seed=7,noise=strong",
            details: "Settings: \(SyntheticSettings.help)")
    }
    static let inputFormat = Option(
        "input-format", Kinds.pixelFormat, help: "The pixel format of a headerless file, such as YUYV, NV12 or I420")
    static let pace = Option(
        "pace", ValueKind<String>.choice("PACE", of: Pace.allCases.map(\.rawValue)).map { Pace(rawValue: $0)! },
        help:
            "How fast files and scenes run: realtime, or fast, which runs as fast as the frames are consumed and gives "
            + "the same results every time (default: fast for files and for recordings of finite scenes)")
    static let size = Option(
        "size", aliases: ["resolution"], Kinds.size,
        help:
            "Width and height in pixels, or vga, hd720, hd1080, uhd4k or photo (default: photo, the largest size at "
            + "the camera's full frame rate)")
    static let rate = Option(
        "fps", aliases: ["framerate"], Kinds.rate, help: "Frames per second, such as 30, 29.97 or 30000/1001")
    static let format = Option(
        "format", Kinds.pixelFormat,
        help:
            "The pixel format of the frames: MJPG, YUYV, NV12 or another that the camera offers. H264 and HEVC are decoded "
            + "by FFmpeg's libraries, except into recordings, and H264 into movies")
    static let history = Option(
        "ring", HistoryWish.kind,
        help:
            "How much history to keep in memory: a time such as 10s, or a size such as 256M (default: 1.5s, or for "
            + "pictures at least 20 frames; for serve and view 4s, and up to 10s where that takes at most 32M)")
    static let memory = Option(
        "memory", .bytes(),
        help:
            "Memory limit: for record, of its frames (default: 512M); for shoot and run, of everything (default: 1G, "
            + "more for cameras that need more, but at most half of the machine's)")
    static let listDevices = Flag(
        "list-devices", aliases: ["list-formats", "list-ctrls", "list-controls"], standsAlone: true,
        help: "List the cameras with their formats and controls, and exit")

    /// For tables. `--format` belongs to each command, because some produce files that have a format, too.
    static let group = group(device, synthetic)
    /// The same for commands that take several cameras.
    static let groupOfSeveral = group(devices, scenes)
    private static func group(_ device: Option<String>, _ synthetic: Option<String>) -> OptionGroup {
        OptionGroup(
            "Source", placeholder: "SOURCE",
            about: "Where frames come from (default: the preferred camera).",
            [device, set, replay, synthetic, size, rate, history],
            rare: [profile, onUnplug, onBusy, own, inputFormat, pace, memory, listDevices])
    }

    /// Only one source at a time.
    static let exclusive: [any Declared] = [device, replay, synthetic]
    /// Options that only some sources have.
    static let needs = [Need(inputFormat, oneOf: [replay]), Need(pace, oneOf: [replay, synthetic])]
}

/// Kinds of values that only livecap has.
enum Kinds {
    static let size = ValueKind(
        "SIZE",
        expects: "a size from 1x1 to 65535x65535 such as 1280x720, or one of \(presets.joined(separator: ", "))",
        completion: .words(["640x480", "1280x720", "1920x1080", "2560x1440", "3840x2160"] + presets)
    ) { FrameSize($0).map { FormatRequest(size: $0) } ?? CapturePreset(rawValue: $0.lowercased())?.request }
    private static let presets = CapturePreset.allCases.map(\.rawValue)
    static let rate = ValueKind("RATE", expects: "a frame rate from 0.001 to 100000 such as 30, 29.97 or 30000/1001") {
        FrameRate($0)
    }
    static let pixelFormat = ValueKind(
        "FORMAT", expects: "a pixel format such as MJPG, YUYV or NV12",
        completion: .words(pixelFormatNames)
    ) { PixelFormat(named: $0) }
    static let controlSetting = ValueKind(
        "NAME=VALUE", expects: "NAME=VALUE, such as exposure=10ms or focus=auto",
        completion: .words(ControlName.common.map { "\($0)=" })
    ) { ControlSetting($0) }
    static let zoom = ValueKind("FACTOR", expects: "a factor from 1 to 16 such as 2, or 2@0.3,0.7") { DigitalZoom($0) }
    static let movie = ValueKind<String>.choice("KIND", of: MovieContainer.allCases.map(\.rawValue)).map {
        MovieContainer(rawValue: $0)!
    }
    static let profile = ValueKind("NAME", expects: "a name of letters, digits and -_.: such as night") {
        ControlProfiles.isName($0) ? $0 : nil
    }
    static let unplugPolicy = ValueKind<UnplugPolicy>(
        "POLICY", expects: "wait or next, optionally with a limit (wait:30s), or end",
        completion: .words(["wait", "wait:30s", "next", "next:30s", "end"])
    ) { text in
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var limit: Duration?
        if parts.count == 2 {
            guard let time = try? ValueKind<Int64>.positiveNanoseconds().parse(parts[1]) else { return nil }
            limit = .nanoseconds(time)
        }
        switch parts[0] {
        case "wait": return .wait(limit: limit)
        case "next": return .next(limit: limit)
        case "end" where limit == nil: return .end
        default: return nil
        }
    }
    static let busyPolicy = ValueKind<BusyPolicy>(
        "POLICY", expects: "wait, wait:TIME such as wait:30s, or end", completion: .words(["wait", "wait:30s", "end"])
    ) { text in
        switch text {
        case "wait": return .wait(limit: nil)
        case "end": return .end
        default:
            guard text.hasPrefix("wait:") else { return nil }
            let limit = try? ValueKind<Int64>.positiveNanoseconds().parse(String(text.dropFirst(5)))
            return limit.map { .wait(limit: .nanoseconds($0)) }
        }
    }
    static let pixelFormats = PixelFormat.readable + [.h264, .hevc] + PixelFormat.ofDepthCameras
    static let pixelFormatNames = pixelFormats.map(\.description)
}

extension Arguments {
    /// The format asked of a camera or a scene.
    var request: FormatRequest {
        // `shoot` has one option for the format of frames and of pictures.
        let wished = all(ShootOptions.format).compactMap { wish -> PixelFormat? in
            if case .frames(let format) = wish { format } else { nil }
        }
        return FormatRequest(
            pixelFormat: self[SourceOptions.format] ?? wished.last, size: self[SourceOptions.size]?.size,
            rate: self[SourceOptions.rate])
    }

    /// The description of a headerless file. Sizes and rates from the configuration file are meant for cameras, so they
    /// are ignored.
    var importSettings: ImportSettings {
        ImportSettings(
            format: isTyped(SourceOptions.inputFormat) ? self[SourceOptions.inputFormat] : nil,
            size: isTyped(SourceOptions.size) ? self[SourceOptions.size]?.size : nil,
            rate: isTyped(SourceOptions.rate) ? self[SourceOptions.rate] : nil)
    }
}
