// SPDX-License-Identifier: MIT
// The options of commands that take photos: how the engine works.

import Camera
import CommandTable
import Files
import FrameRing
import Frames
import LiveCapture

enum EngineOptions {
    static let prioritize = Flag(
        "prioritize",
        help:
            "Lower the quality of pictures taken in quick succession, so that each is done as soon as the one before; the "
            + "report says which it was")
    static let noOverlap = Flag("no-overlap", help: "Begin with a picture only when the one before is done")
    static let noPast = Flag(
        "no-past", help: "Use no frame from before the moment: the first one behind it is the picture's")
    static let overload = Option(
        "overload",
        ValueKind<String>.choice("POLICY", of: OverloadPolicy.allCases.map(\.rawValue))
            .map { OverloadPolicy(rawValue: $0)! },
        help:
            "What becomes of a picture while there is no memory for it: queue, it waits as long as the history has its "
            + "frames; refuse, it fails at once. queue if left out")
    static let deferral = Option(
        "defer",
        ValueKind<String>.choice("WHEN", of: DeferralPreference.allCases.map(\.rawValue))
            .map { DeferralPreference(rawValue: $0)! },
        help:
            "With --library: automatic, pictures that would keep you waiting are a proxy at first, and made later; required, "
            + "all are; never, none is. automatic if left out")
    static let keepFrames = Flag(
        "keep-frames",
        help:
            "With --library: keep the source frames of every picture and a few around them, two of them after the moment, which "
            + "it waits for: 'livecap develop' can then make the picture again, also a bit earlier or later. 'livecap "
            + "library clean' removes them. Without it only the frames of deferred pictures are kept")
    static let trace = Option(
        "trace", .file(),
        help: "Write what happened when, for ui.perfetto.dev or chrome://tracing: frames, waits, each picture's stages")

    /// For tables.
    static let group = OptionGroup("Engine", [prioritize, noOverlap, noPast, overload, deferral, keepFrames, trace])
}

extension Arguments {
    /// The session's options on the command line.
    func sessionOptions(_ picture: PictureOptions) throws(Failure) -> SessionOptions {
        var options = SessionOptions()
        if let history = self[SourceOptions.history] { options.history = history }
        if let memory = self[SourceOptions.memory] { options.memory = memory }
        (options.threads, options.level) = (picture.threads, picture.level)
        options.formats = [picture.settings.format]
        if let latest = LatestFrame.format(self) { options.formats.insert(latest) }
        options.isZeroShutterLagEnabled = !self[EngineOptions.noPast]
        options.isResponsiveCaptureEnabled = !self[EngineOptions.noOverlap]
        options.isFastCapturePrioritizationEnabled = self[EngineOptions.prioritize]
        options.overload = self[EngineOptions.overload] ?? .queue
        if contains(LibraryPlace.option) { options.library = try LibraryPlace.open(self, mayCreate: true) }
        // A user who asks for frames to be kept does not want the same program to remove them.
        if self[EngineOptions.keepFrames] { options.cleanUp = nil }
        if let path = self[EngineOptions.trace] {
            options.trace = try creating { () throws(FileError) in
                try Trace(path: path, overwrite: self[ShootOptions.overwrite])
            }
        }
        return options
    }

    /// The source that the command line selects: a file, a scene, a camera, or else the preferred camera.
    func captureSource(scenePace: Pace, replayPace: Pace) throws(Failure) -> CaptureSource {
        if let path = self[SourceOptions.replay] {
            if let format = request.pixelFormat, isTyped(SourceOptions.format) || isTyped(ShootOptions.format) {
                throw .pictures(
                    "--format \(format): a file's frames are what they are, and only a camera or a scene is asked for others",
                    hint: "leave it out; of a headerless file, --input-format \(format) says what its frames are")
            }
            return .replay(path, importSettings, self[SourceOptions.pace] ?? replayPace)
        }
        if let text = self[SourceOptions.synthetic] {
            let settings = try attempt { () throws(CameraError) in try SyntheticSettings(text) }
            let request = request
            if let scene = settings.rate, let rate = request.rate, scene != rate, isTyped(SourceOptions.rate) {
                throw .pictures(
                    "--fps \(rate): the scene's own settings say fps=\(scene)", hint: "leave one of them out")
            }
            return .synthetic(
                settings, pixelFormat: request.pixelFormat ?? .yuyv,
                size: request.size ?? FrameSize(width: 1280, height: 720), rate: request.rate ?? FrameRate(30),
                self[SourceOptions.pace] ?? scenePace)
        }
        return .camera(self[SourceOptions.device] ?? "auto", request)
    }
}
