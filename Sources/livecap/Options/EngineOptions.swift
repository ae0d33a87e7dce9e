// SPDX-License-Identifier: MIT
// The options of commands that take photos: how the engine works.

import Camera
import FrameRing
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrames

enum EngineOptions {
    static let prioritize = Flag(
        "prioritize",
        help:
            "Give pictures of --quality quality that are taken in quick succession balanced, so that none waits longer than the "
            + "one before; the report says which quality was used")
    static let relieve = Flag(
        "relieve",
        help:
            "While the machine is short of memory, processors or disk, or hot, lower the quality of pictures, and the rate of "
            + "what pages and virtual cameras show, to 15 or 5 frames per second; the report says which quality was used, and "
            + "run notes it")
    static let noOverlap = Flag("no-overlap", help: "Start a picture only when the previous one is done")
    static let noPast = Flag(
        "no-past", help: "Use no frame from before the moment: the picture shows the first one after it")
    static let overload = Option(
        "overload",
        ValueKind<String>.choice("POLICY", of: OverloadPolicy.allCases.map(\.rawValue))
            .map { OverloadPolicy(rawValue: $0)! },
        help:
            "What to do with a picture while there is no room for it: queue, it waits as long as the history holds its frames; "
            + "refuse, it fails at once (default: queue)")
    static let deferral = Option(
        "defer",
        ValueKind<String>.choice("WHEN", of: DeferralPreference.allCases.map(\.rawValue))
            .map { DeferralPreference(rawValue: $0)! },
        help:
            "With --library, which pictures start as a proxy and are finished later: automatic, those that would take "
            + "long; required, all; never, none (default: automatic)")
    static let keepFrames = Flag(
        "keep-frames",
        help:
            "With --library, keep the source frames of every picture and a few around them: 'livecap develop' can then make the "
            + "picture again, also slightly earlier or later",
        details:
            "Two of them come after the moment, and have to be waited for; 'livecap library clean' removes the frames "
            + "(default: keep only those of deferred pictures)")
    static let trace = Option(
        "trace", .file(),
        help:
            "Write a timeline of frames, waits and the stages of each picture, for ui.perfetto.dev or chrome://tracing")

    /// For tables.
    static let group = OptionGroup(
        "Engine", [], rare: [prioritize, relieve, noOverlap, noPast, overload, deferral, keepFrames, trace])
}

extension Arguments {
    /// The session's options on the command line. Those of another session `besides` the first use its library, which
    /// the first one looks after, and have no trace.
    func sessionOptions(
        _ picture: PictureOptions, besides first: CaptureSession? = nil
    ) throws(Failure) -> SessionOptions {
        var options = SessionOptions()
        if let history = askedHistory { options.history = history }
        options.historyMemory = askedHistoryMemory.map { HistoryMemory(bytes: $0) }
        if self[ShootOptions.live], !contains(SourceOptions.history) { options.history = LivePhotos.neededHistory }
        if !contains(SourceOptions.history), contains(RunOptions.movies) || contains(RunOptions.moviePast) {
            options.history = max(options.history ?? .zero, RunMovies.neededHistory(self))
        }
        if let memory = self[SourceOptions.memory] { options.memory = memory }
        (options.threads, options.level) = (picture.threads, picture.level)
        options.formats = [picture.settings.format]
        if let latest = LatestFrame.format(self) { options.formats.insert(latest) }
        options.photosMayHaveEffects = picture.settings.hasDrawing || EffectOptions.havePhotos(self)
        options.isZeroShutterLagEnabled = !self[EngineOptions.noPast]
        options.isResponsiveCaptureEnabled = !self[EngineOptions.noOverlap]
        options.isFastCapturePrioritizationEnabled = self[EngineOptions.prioritize]
        options.pressurePolicy = self[EngineOptions.relieve] ? .stepsDown : .none
        options.idleOff = self[RunOptions.idleOff]
        options.isShared = self[PlaceOptions.share]
        options.overload = self[EngineOptions.overload] ?? .queue
        if let first {
            options.library = first.library
            options.finishingDelay = nil
            options.cleanUp = nil
            return options
        }
        if contains(LibraryPlace.option) { options.library = try LibraryPlace.open(self, mayCreate: true) }
        // A user who asks for frames to be kept does not want the same program to remove them.
        if self[EngineOptions.keepFrames] { options.cleanUp = nil }
        if let path = self[EngineOptions.trace] {
            if path == "-" {
                throw .pictures("--trace -: standard output is for reports", hint: "name a file, or /dev/fd/3")
            }
            options.trace = try creating { () throws(FileError) in
                try Trace(path: path, overwrite: self[ShootOptions.overwrite])
            }
        }
        return options
    }

    /// Throws what is wrong with the source as the command line describes it: a scene's settings, a file that does not
    /// exist. Opens nothing.
    func checkSource() throws(Failure) {
        _ = try captureSource(scenePace: .realtime, replayPace: .realtime)
        if let path = self[SourceOptions.replay], path != "-", access(path, F_OK) != 0, errno == ENOENT {
            throw .frameFile(.noSuchFile(path))
        }
    }

    /// Whether another camera is asked to go on where the present one is unplugged, in the middle of a movie, too.
    var asksForNextCamera: Bool { if case .next = self[SourceOptions.onUnplug] { true } else { false } }

    /// The source that the command line selects: a file, a scene, a camera, or else the preferred camera.
    /// `unplugPolicy` applies to a camera if the command line says nothing of it.
    func captureSource(
        scenePace: Pace, replayPace: Pace, unplugPolicy: UnplugPolicy = .wait()
    ) throws(Failure) -> CaptureSource {
        if contains(SourceOptions.replay) || contains(SourceOptions.synthetic) {
            try refuse([SourceOptions.onUnplug], as: "only cameras can be unplugged")
            try refuse([SourceOptions.onBusy], as: "only cameras can be in use by another program")
            try refuse([SourceOptions.set], as: "only cameras have controls")
            try refuse([SourceOptions.profile], as: "only cameras have controls")
        }
        if let path = self[SourceOptions.replay] {
            try refuse([RunOptions.idleOff], as: "only cameras and scenes can be switched off")
            if let format = request.pixelFormat, isTyped(SourceOptions.format) || isTyped(ShootOptions.format) {
                throw .pictures(
                    "--format \(format): only cameras and scenes have a choice of formats; a file's frames have theirs",
                    hint: "leave it out; for a headerless file, use --input-format \(format)")
            }
            return .replay(path, importSettings, self[SourceOptions.pace] ?? replayPace)
        }
        if let text = self[SourceOptions.synthetic] {
            let settings = try attempt { () throws(CameraError) in try SyntheticSettings(text) }
            let request = request
            if let scene = settings.rate, let rate = request.rate, scene != rate, isTyped(SourceOptions.rate) {
                throw .pictures(
                    "--fps \(rate): the scene's settings already say fps=\(scene)", hint: "leave one of them out")
            }
            return .synthetic(
                settings, pixelFormat: request.pixelFormat ?? .yuyv,
                size: request.size ?? FrameSize(width: 1280, height: 720), rate: request.rate ?? FrameRate(30),
                self[SourceOptions.pace] ?? scenePace)
        }
        return .camera(
            self[SourceOptions.device] ?? "auto", request, onUnplug: self[SourceOptions.onUnplug] ?? unplugPolicy,
            controls: all(SourceOptions.set), profile: self[SourceOptions.profile])
    }
}
