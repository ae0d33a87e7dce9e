// SPDX-License-Identifier: MIT
// A movie of a session, whatever its cameras do.

import FrameRing
import Glibc
import LiveCapture
import LivecapCSystem
import LivecapFrames
import LivecapSound
import LivecapStreams
import LivecapThreads

/// A movie of a session, which may begin in the past and goes on through every change of its source.
///
/// ```swift
/// let movie = MovieOutput(to: "walk.mkv", past: .seconds(3))
/// try await session.add(movie)
/// let result = await movie.finish()
/// ```
///
/// A session may have several. A movie has a canvas, by default that of the session's source when it is added: frames
/// of other sources are fitted in, and the last picture is shown again, marked, while no source delivers. It reads the
/// ring like any other reader, so photos take no frame away from it. It ends when it is finished or removed, or its
/// session is released; a session that is stopped and started again goes on in the same movie.
public final class MovieOutput: Sendable {
    /// Where the movie is written.
    public let path: String
    /// What it is to be.
    public let settings: MovieSettings
    /// How long before it was added it begins, as far back as the history of the present source reaches. Sources at the
    /// fast pace have no past.
    public let past: Duration
    private let sound: SoundHistory?
    /// Keeps the microphone open.
    private let capture: SoundCapture?
    private let state = Guarded(State())

    private struct State: Sendable {
        var isAdded = false
        var feed: MovieFeed?
        var file: MovieFileOutput?
        var moment: Timestamp?
        var treatment: FrameTreatment = []
        /// Takes it out of its session.
        var leave: (@Sendable () -> Void)?
    }

    /// A movie to be written to `path`, whose suffix says what kind it is.
    public convenience init(to path: String, _ settings: MovieSettings = MovieSettings(), past: Duration = .zero) {
        self.init(to: path, settings, past: past, sound: nil)
    }

    /// The same with a track of sound, from `microphone`: see `CaptureSession.openMicrophone`.
    public convenience init(
        to path: String, _ settings: MovieSettings = MovieSettings(), past: Duration = .zero,
        microphone: SoundCapture
    ) {
        self.init(to: path, settings, past: past, sound: microphone.history, microphone)
    }

    /// The same with a track of sound, which needs a session on CLOCK_MONOTONIC.
    package init(
        to path: String, _ settings: MovieSettings = MovieSettings(), past: Duration = .zero, sound: SoundHistory?,
        _ capture: SoundCapture? = nil
    ) {
        var settings = settings
        settings.canvas = settings.canvas ?? MovieCanvas()
        // Its pictures are upright already.
        settings.mount = .upright
        self.path = path
        self.settings = settings
        self.past = past
        self.sound = sound
        self.capture = capture
    }

    deinit { leave() }

    /// The number of frames in the movie and left out so far.
    public var progress: RecordingProgress { file?.progress ?? RecordingProgress(frames: 0, dropped: 0) }

    /// The number of bytes in the file so far.
    public var byteCount: Int { file?.byteCount ?? 0 }

    /// How long the movie is so far, without pauses.
    public var length: Duration { file?.length ?? .zero }

    /// Leaves out the frames that are published from now on, until `resume`. What follows is seen as if there were no
    /// time between: the sound is cut at the same moments, to the sample. Without effect on a movie that is paused, or
    /// was not added yet.
    public func pause() { file?.pause() }

    /// Ends a pause: frames published from now on are part of the movie again. Without effect on a movie that is not
    /// paused.
    public func resume() { file?.resume() }

    /// Whether frames are left out at present.
    public var isPaused: Bool { file?.isPaused ?? false }

    /// Begins a chapter with the newest frame; during a pause, with the next one after it. Without a name, it is `Mark
    /// 1`, `Mark 2` and so on. Each camera begins a chapter of its name by itself.
    /// - Throws: `markTooLong` for a name of more than 255 bytes, and `tooManyMarks` if the movie has no room for
    ///   another.
    public func mark(_ name: String? = nil) throws(MovieError) { try file?.mark(name) }

    /// The path of the file, or of the first one if the movie is split; nil before it is added.
    public var firstPath: String? { file?.firstPath }

    /// The kind of file; nil before it is added.
    public var format: MovieFormat? { file?.format }

    /// Whether the movie has ended, by itself or because something failed.
    public var hasEnded: Bool { file?.waitForEnd(until: .now) ?? false }

    /// Waits until it has ended, by itself, by `finish`, or because something failed. Blocks.
    package func waitForEnd() { _ = file?.waitForEnd(until: .distantFuture) }

    /// Ends the movie with the newest frame, waits until the file is durable, and returns the result. Cancelling the
    /// task does not shorten this. Without effect on a movie that was never added.
    @discardableResult
    public func finish() async -> MovieResult { await onThread(named: "finish") { self.finish() } }

    /// The same for callers that may block.
    @discardableResult
    package func finish() -> MovieResult {
        leave()
        return file?.finish() ?? MovieResult()
    }

    /// When it was asked for, on the clock of its times; nil before it is added.
    package var moment: Timestamp? { state.withLock { $0.moment } }

    /// What stages have done to its frames; nothing before it is added.
    package var treatment: FrameTreatment { state.withLock { $0.treatment } }

    /// Gives up the copies with the index first that are not made within a time from now on: `MovieFileOutput`.
    public func limitIndexing(to time: Duration) { file?.limitIndexing(to: time) }

    /// Whether only putting the index of its files first is left to do, and goes on.
    package var isPuttingIndexFirst: Bool { file?.isPuttingIndexFirst ?? false }

    /// Whether it has been asked to end, and its index is still to be put first, unless that is given up.
    package var hasIndexToPutFirst: Bool { file?.hasIndexToPutFirst ?? false }

    private var file: MovieFileOutput? { state.withLock { $0.file } }

    // MARK: The session's side

    /// Opens the file and begins, with the frames of a host from `past` before `asked` on.
    fileprivate func begin(in host: StreamView, asked: Timestamp?) throws(MovieError) {
        let isFree = state.withLock { state in
            defer { state.isAdded = true }
            return !state.isAdded
        }
        guard isFree else { throw Self.isAddedAlready(path) }
        let first = MovieSource(host.source, host.ring, mount: settings.mount(in: host.mount))
        state.withLock { $0.treatment = host.treatment }
        var settings = settings
        if host.treatment.contains(.fused) { settings.isFused = true }
        if host.treatment.contains(.steadied) { settings.isSteadied = true }
        do throws(MovieError) {
            try check(host.source)
            let kind = try refuseSlow(host.source, first.mount())
            let file = try MovieFileOutput(first, to: path, settings, sound: sound) { feed in
                state.withLock { $0.feed = feed }
                let leave = host.sinks.attach(Follower(self, kind))
                state.withLock { $0.leave = leave }
            }
            state.withLock { $0.file = file }
            file.start(at: beginning(in: host, asked))
        } catch {
            leave()
            throw error
        }
    }

    /// Why the movie cannot be added to a host now, as far as is known without its file. Blocks.
    fileprivate func refusal(in host: StreamView) -> MovieError? {
        guard !state.withLock({ $0.isAdded }) else { return Self.isAddedAlready(path) }
        let mount = settings.mount(in: host.mount)()
        do throws(MovieError) {
            try check(host.source)
            let kind = try refuseSlow(host.source, mount)
            if settings.split == nil, !settings.overwrite, access(path, F_OK) == 0 {
                throw .file(.failed(path, call: "open", errno: EEXIST))
            }
            _ = try settings.track(of: host.source, mount, kind, MovieLibrary())
            return nil
        } catch { return error }
    }

    /// The kind of file. Throws if no machine with so many processors could make it.
    private func refuseSlow(_ source: SourceDescription, _ mount: CameraMount) throws(MovieError) -> MovieFormat {
        let kind = try settings.kind(of: path, source, mount, hasSound: sound != nil)
        let cost = MovieEstimate.cost(settings, kind, of: source, mount, hasSound: sound != nil)
        let processors = lc_processor_count()
        // What is estimated for a slow machine may still run on a fast one.
        guard cost.processor <= 2 * Double(processors) else {
            throw .tooSlow(share: cost.processor, processors: Int(processors))
        }
        return kind
    }

    fileprivate func cost(in host: StreamView) throws(MovieError) -> MovieCost {
        let mount = settings.mount(in: host.mount)()
        let kind = try settings.kind(of: path, host.source, mount, hasSound: sound != nil)
        return MovieEstimate.cost(settings, kind, of: host.source, mount, hasSound: sound != nil)
    }

    private func check(_ source: SourceDescription) throws(MovieError) {
        guard sound != nil, source.clock != .monotonic else { return }
        throw .contradiction(
            "a recording, or a scene at the fast pace, has no sound of this machine's microphones",
            hint: "make the movie without one")
    }

    private static func isAddedAlready(_ path: String) -> MovieError {
        .failed("a movie can be added only once", detail: path)
    }

    /// When the movie begins, on the source's clock; nil for its next frame.
    private func beginning(in host: StreamView, _ asked: Timestamp?) -> Timestamp? {
        let now = host.source.clock == .monotonic ? asked ?? .now : host.ring.newestTime
        state.withLock { $0.moment = now }
        guard past > .zero || asked != nil else { return nil }
        return now.map { $0 - past }
    }

    /// Has `body` called when it is taken out of its session.
    fileprivate func whenLeft(_ body: @escaping @Sendable () -> Void) {
        let hasLeft = state.withLock { state in
            guard let leave = state.leave else { return true }
            state.leave = {
                leave()
                body()
            }
            return false
        }
        if hasLeft { body() }
    }

    fileprivate func leave() {
        let leave = state.withLock { $0.leave.take() }
        leave?()
    }

    fileprivate func stop() { file?.stop() }

    /// What the host holds: the movie itself may be released before.
    private final class Follower: FrameSink {
        private let feed: MovieFeed?
        private let holdsCamera: Bool
        private let settings: MovieSettings
        private let cost: @Sendable (SourceDescription, CameraMount) -> MovieCost

        init(_ movie: MovieOutput, _ format: MovieFormat) {
            feed = movie.state.withLock { $0.feed }
            holdsCamera = !movie.settings.changesCameras
            settings = movie.settings
            let (settings, hasSound) = (movie.settings, movie.sound != nil)
            cost = { MovieEstimate.cost(settings, format, of: $0, $1, hasSound: hasSound) }
        }

        func cost(of source: SourceDescription, _ mount: CameraMount) -> MovieCost { cost(source, mount) }

        func streamBegins(_ stream: SinkStream) {
            feed?.begin(
                MovieSource(
                    stream.source, stream.ring, planes: stream.planes, gate: stream.gate,
                    mount: settings.mount(in: stream.mount),
                    camera: stream.camera,
                    uses: [stream.keepOn(), holdsCamera ? stream.holdCamera() : nil].compactMap { $0 }))
        }

        func hostEnds() { feed?.complete() }
    }
}

extension CaptureSession {
    /// Adds a movie, which begins with the next frame, or `past` before. The file and the encoder are opened by then.
    ///
    /// With a treatment, it is made of frames that are fused with their past, have the session's effects, or both. Such
    /// frames are made only while something asks for them, so this movie cannot begin in the past.
    /// - Throws: what is missing: a codec that fits, FFmpeg's libraries, an encoder, a name that is free. `canAdd`
    ///   tells before.
    public func add(_ movie: MovieOutput, of treatment: FrameTreatment = []) async throws(MovieError) {
        let asked: Timestamp? = movie.past > .zero ? .now : nil
        try await onThread(named: "open") { () throws(MovieError) in
            guard !treatment.isEmpty else { return try movie.begin(in: self.view, asked: asked) }
            try self.begin(movie, of: treatment, asked: asked)
        }
    }

    private func begin(_ movie: MovieOutput, of treatment: FrameTreatment, asked: Timestamp?) throws(MovieError) {
        let use: (stage: StageHost, release: @Sendable () -> Void)
        do throws(OutputError) { use = try stage(treatment) } catch {
            throw .contradiction(error.message, hint: error.hint)
        }
        do throws(MovieError) { try use.stage.add(movie, asked: asked) } catch {
            use.release()
            throw error
        }
        movie.whenLeft(use.release)
    }

    /// Why `add` would refuse a movie now; nil if it would succeed. An encoder is opened to find out, and no file.
    public func canAdd(_ movie: MovieOutput) async -> MovieError? {
        await onThread(named: "ask") { movie.refusal(in: self.view) }
    }

    /// What a movie would cost with the present source, estimated for a slow machine. `outputCost` has that of all
    /// movies that were added.
    /// - Throws: what in the movie's name and settings excludes each other.
    public func cost(of movie: MovieOutput) throws(MovieError) -> MovieCost { try movie.cost(in: view) }

    /// The same for callers that may block. `asked`: when the movie was asked for, on CLOCK_MONOTONIC.
    package func add(_ movie: MovieOutput, asked: Timestamp?) throws(MovieError) {
        try view.add(movie, asked: asked)
    }

    /// Ends a movie with the newest frame, and returns at once. `finish` of the movie has its result.
    public func remove(_ movie: MovieOutput) {
        movie.leave()
        movie.stop()
    }
}

extension StreamView {
    /// Adds a movie of the host's frames, which begins with the next one, or `past` before. The file and the encoder
    /// are opened by then. `asked`: when the movie was asked for, on CLOCK_MONOTONIC. Blocks.
    package func add(_ movie: MovieOutput, asked: Timestamp?) throws(MovieError) {
        try movie.begin(in: self, asked: asked)
    }
}

extension StageHost {
    /// Adds a movie of the frames that the stage makes, which begins with the next one, or `past` before, as far as the
    /// stage keeps that. `asked`: when the movie was asked for, on CLOCK_MONOTONIC. Blocks.
    package func add(_ movie: MovieOutput, asked: Timestamp?) throws(MovieError) {
        if let refusal = refusal(of: movie.settings, past: movie.past) { throw refusal }
        guard let present else {
            throw .contradiction("there is no frame yet to make a movie of", hint: "try again in a moment")
        }
        try present.add(movie, asked: asked)
    }

    /// Why a movie of such settings that begins so long before now is not made; nil if it is.
    package func refusal(of settings: MovieSettings = MovieSettings(), past: Duration) -> MovieError? {
        if settings.stabilization != .off, treatment.contains(.steadied) {
            return .contradiction(
                "frames that are steadied already cannot be stabilised again", hint: "leave out one of the two")
        }
        // A movie that asks for no more than was meant to be kept begins with what there is.
        guard past > self.past else { return nil }
        let (kept, done) = (keptPast, treatment.words ?? "kept")
        return kept == .zero
            ? .contradiction("nothing of the past is \(done), so a movie cannot begin there", hint: "begin it now")
            : .contradiction(
                "only the last \(kept.inSeconds) are \(done), so a movie cannot begin \(past.inSeconds) ago",
                hint: "ask for less")
    }
}
