// SPDX-License-Identifier: MIT
// A movie of a ring's frames, which may begin in the past.

import FrameRing
import LivecapCSystem
import LivecapFrameFiles
import LivecapFrames
import LivecapSound
import LivecapStabilization
import LivecapThreads
import Synchronization

/// What a movie is to be.
public struct MovieSettings: Hashable, Codable, Sendable {
    /// The codec; nil for the frames' own where the container has it, else the container's usual one.
    public var codec: MovieCodec?
    /// The format of its file, if that has no name that says so: on standard output (`-`), in a pipe or at a device.
    /// Nil for Matroska there. In a stream, the movie has no chapters, and is not split.
    public var container: MovieContainer?
    /// Ends the movie before the first frame that is this much later than its first one.
    public var duration: Duration?
    /// Whether an existing file of the same name may be replaced.
    public var overwrite: Bool
    /// The size and rate of the pictures, whatever the cameras deliver, without a gap. Nil for frames as they come:
    /// movies of a session always have a canvas.
    public var canvas: MovieCanvas?
    /// The bit rate or constant quality of the pictures, which are then encoded even if they could stay as they are.
    /// Nil for what suits most movies.
    public var quality: MovieQuality?
    /// How the motion of the camera is taken out of the pictures, which are then never unchanged. With `cinematic`,
    /// frames wait in memory for those of the next 0.8 seconds: at 30 frames a second, 41 MB for 1280x720.
    public var stabilization = StabilizationMode.off
    /// The program that its file names as its maker.
    public var software = "livecap"
    /// What makes the pictures upright. Players of MP4 turn them; in other files, and on a canvas of a size of its own,
    /// they are encoded upright. With `codec` `mjpeg`, and of a camera's H.264, which are passed through, they stay
    /// unrotated.
    public var mount = CameraMount.upright
    /// Enlarges a part of the frames, which are then never unchanged: the point is one of the frames before they are
    /// turned upright. Nil for all of them.
    public var zoom: DigitalZoom?
    /// The date and time at which each frame was taken, drawn at the lower left of its picture, upright, after all
    /// else. Pictures are then never unchanged, and are made upright instead of turned by players. Nil for none.
    public var date: DateFormat?
    /// When the movie goes on in another file; nil for one file. Parts are named like the movie, with numbers that are
    /// free: `walk-001.mkv`, `walk-002.mkv`. Existing files are never replaced then.
    public var split: MovieSplit?
    /// Takes one picture of each such interval, the one nearest to its time. They are shown at the rate of the canvas,
    /// or 30 per second, without sound. Nil for all pictures, at their own times.
    public var timelapse: Duration?
    /// Whether the source's frames are each fused of several, which its file says.
    public var isFused = false
    /// Whether the motion of the camera was taken out of the source's frames, which its file says. `stabilization`
    /// takes it out in the movie itself.
    public var isSteadied = false
    /// Whether another camera may go on in the movie by itself, where the session's `UnplugPolicy` lets it: each begins
    /// a chapter. Otherwise the movie shows its last picture until its camera is back. A source that the program sets
    /// is always followed.
    public var changesCameras = false
    /// Whether an MP4 file gets its index first once it is complete, as programs expect that look at files as they
    /// download them. Until then, and otherwise, it is in fragments. In a stream, it stays so.
    public var hasIndexFirst = true
    /// The number of frames after which the movie ends.
    package var frames: Int?
    /// What makes pictures of a session upright, however its camera is mounted; nil for what the session knows of that.
    package var hostMount: CameraMount?
    /// Ends the movie before the first frame later than this.
    var end: Timestamp?
    /// Only frames of this epoch are part of the movie.
    var epoch: UInt32?
    /// Whether the movie can be played before it is complete. Otherwise its index is at the end, as in most MP4 files.
    var isFragmented = true
    /// What a still has in common with this movie, which is then QuickTime's.
    var contentIdentifier: String?

    /// Creates settings. By default a movie goes on until it is stopped.
    public init(
        codec: MovieCodec? = nil, duration: Duration? = nil, overwrite: Bool = false, canvas: MovieCanvas? = nil
    ) {
        self.codec = codec
        self.duration = duration
        self.overwrite = overwrite
        self.canvas = canvas
    }
}

/// Pictures that a movie shows again because no frame came in their time.
public struct MovieRepetitions: Hashable, Sendable {
    /// How many there are.
    public var pictures = 0
    /// How many of them are marked, because their camera had been away for a while.
    public var marked = 0

    /// None.
    public init() {}
}

/// How a movie ended.
public struct MovieResult: Hashable, Sendable {
    /// What is in the file. `dropped` counts the frames that left the history before they were encoded or written, and
    /// on a canvas those that came so late that others had their place.
    public var summary = RecordingSummary()
    /// What is in its track of sound; nil if it has none.
    public var sound: MovieSoundSummary?
    /// Pictures on a canvas that are no frames. They count as far as they were made, also after a failure.
    public var repeated = MovieRepetitions()
    /// The size of all files.
    public var byteCount = 0
    /// The files, in their order: one, unless the movie is split.
    public var parts: [MoviePartSummary] = []
    /// The chapters in the files, by the movie's time: one for each camera, and what was marked.
    public var chapters: [MovieChapter] = []
    /// What pauses left out.
    public var pauses = MoviePauseSummary()
    /// How many times as fast a timelapse is shown; nil for other movies.
    public var factor: Double?
    /// Frames of a camera's H.264 that were left out because they build on missing ones: those from the beginning, a
    /// lost frame or a pause until the next one that needs no other.
    public var waitedForKey = 0
    /// How long the movie is shown, from its first picture to the end of its last.
    public var length = Duration.zero
    /// Whether its files are MP4 with the index first.
    public var isIndexFirst = false
    /// Why MP4 files were left in fragments that were to have their index first. They can be played all the same.
    public var indexGap: MovieIndexGap?
    /// Why it ended early, if it did. The frames in the summary are in the file and can be played all the same.
    public var failure: MovieError?
}

/// Makes a movie of the frames of a ring, or of several one after the other.
///
/// It is a reader of the ring like any other, with one thread, which takes each frame by a lease, passes it through or
/// encodes it, and writes it. It may fall behind the camera by the ring's history. Frames beyond that are left out of
/// the movie and counted; the others keep their own times, and the camera is not affected.
///
/// Created, it has opened the file and the encoder, so that whatever is missing is known. `start` then begins the
/// movie, with frames to come or with some of the history.
public final class MovieFileOutput: Sendable {
    /// The kind of file that is written.
    public let format: MovieFormat
    /// How its pictures are steadied.
    public let stabilization: StabilizationMode
    private let feed: MovieFeed
    private let state: MovieState
    private let thread: Guarded<SystemThread?>

    /// Opens `path` for frames that `source` publishes into `ring`. With a gate, which files and scenes at the fast
    /// pace have, no frame is left out. With `sound`, the movie has a second track: the sound of its time, which needs
    /// a source on CLOCK_MONOTONIC. `camera` is the name of the camera that delivered the frame of a counter, by
    /// default the source's.
    /// - Throws: what is missing: a codec that fits, FFmpeg's libraries, an encoder, a name that is free.
    package convenience init(
        _ source: SourceDescription, ring: Ring, to path: String, _ settings: MovieSettings = MovieSettings(),
        sound: SoundHistory? = nil, gate: FollowerGate? = nil, camera: (@Sendable (UInt64) -> String)? = nil
    ) throws(MovieError) {
        var settings = settings
        let container = try settings.container(of: path)
        let mount = settings.takeMount(for: container, source.format.pixelFormat)
        let stream = MovieSource(source, ring, gate: gate, mount: { mount }, camera: camera)
        try self.init(stream, to: path, settings, sound: sound) { feed in
            feed.begin(stream)
            feed.complete()
        }
    }

    /// Opens `path` for streams of which `first` is the first: it determines the kind of movie, and the canvas.
    /// `connect` has to add it to the feed, before or after this returns, and those that follow.
    init(
        _ first: MovieSource, to path: String, _ settings: MovieSettings, sound: SoundHistory? = nil,
        _ connect: (MovieFeed) -> Void
    ) throws(MovieError) {
        format = try settings.kind(of: path, first.description, first.mount(), hasSound: sound != nil)
        stabilization = settings.stabilization
        let signal = OwnedSignal()
        let feed = MovieFeed(signal, isSplit: settings.split != nil)
        let state = MovieState(signal, feed)
        let maker = MovieMaker(first, feed: feed, path: path, format: format, settings: settings, sound: sound)
        connect(feed)
        let started = try MovieError.wrapping { () throws(FrameFileError) in
            try FrameFileError.wrapping { () throws(SystemShortage) in
                try SystemThread(name: "movie") {
                    let result = maker.run(state)
                    // An encoder leaves tens of megabytes on the heap.
                    lc_heap_trim()
                    state.end(with: result)
                }
            }
        }
        self.feed = feed
        self.state = state
        thread = Guarded(started)
        if let failure = state.waitUntilOpened() {
            _ = finish()
            throw failure
        }
    }

    deinit { _ = finish() }

    /// Begins the movie with the first frame at or after `time`, on the source's clock: it may lie in the past, as far
    /// back as the history reaches, or in the future. Without a time, it begins with the next frame. Only the first
    /// call counts.
    public func start(at time: Timestamp? = nil) { state.start(time.map { .at($0) } ?? feed.nextFrame) }

    /// Whether `start` has been called.
    package var hasStarted: Bool { state.hasStarted }

    /// Asks the movie to end with the newest frame published until now. Only the first call counts.
    public func stop() { feed.stop() }

    /// Leaves out the frames that are published from now on, until `resume`. What follows is seen as if there were no
    /// time between: the sound is cut at the same moments, to the sample. Without effect on a movie that is paused.
    public func pause() { feed.pause() }

    /// Ends a pause: frames published from now on are part of the movie again. Without effect on a movie that is not
    /// paused.
    public func resume() { feed.resume() }

    /// Whether frames are left out at present.
    public var isPaused: Bool { feed.isPaused }

    /// Begins a chapter with the newest frame; during a pause, with the next one after it. Without a name, it is `Mark
    /// 1`, `Mark 2` and so on.
    /// - Throws: `markTooLong` for a name of more than 255 bytes, and `tooManyMarks` if the file has no room: it has
    ///   some for about 200 short names.
    public func mark(_ name: String? = nil) throws(MovieError) { try feed.mark(name) }

    /// Ends it with the newest frame, waits until the file is durable, and returns the result.
    @discardableResult
    package func finish() -> MovieResult {
        stop()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
        return state.result.withLock { $0 }
    }

    /// Waits for the end until `deadline` on CLOCK_MONOTONIC at the latest. Returns whether the movie has ended.
    package func waitForEnd(until deadline: Timestamp) -> Bool { state.waitForEnd(until: deadline) }

    /// How far the index of its MP4 files has been put first, once that is all that is left to do; nil before.
    public var indexing: MovieIndexProgress? { state.indexer.isFinishing ? state.indexer.progress : nil }

    /// Whether that is going on, and is not given up.
    package var isPuttingIndexFirst: Bool {
        indexing != nil && state.indexer.isWanted && !waitForEnd(until: .now)
    }

    /// Whether the movie has been asked to end, and its index is still to be put first, unless that is given up.
    package var hasIndexToPutFirst: Bool {
        state.isIndexed.load(ordering: .relaxed) && feed.isStopped && state.indexer.isWanted
            && !waitForEnd(until: .now)
    }

    /// Gives up the copies with the index first that are not made within a time from now on, as when the program is to
    /// end. Those files stay in fragments.
    public func limitIndexing(to time: Duration) { state.indexer.limit(to: time) }

    /// Calls `body` when the movie has ended, or at once if it has.
    package func whenEnded(_ body: @escaping @Sendable () -> Void) { state.whenEnded(body) }

    /// The path of the file; of the first one, if the movie is split.
    public var firstPath: String { state.firstPath.withLock { $0 } }

    /// The number of frames in the movie and left out so far.
    public var progress: RecordingProgress { state.progress }

    /// How long the movie is so far: from its first picture to the end of its last, without pauses.
    public var length: Duration { .nanoseconds(state.length.load(ordering: .relaxed)) }

    /// The number of bytes in the file so far.
    public var byteCount: Int { state.bytes.load(ordering: .relaxed) }
}

extension MovieFileOutput {
    /// Opens `path` for frames that `source` publishes into `ring`; `start` then begins the movie.
    ///
    /// Call `finish` before letting the output go: one that is released has to block until its file is durable.
    /// - Throws: what is missing: a codec that fits, FFmpeg's libraries, an encoder, a name that is free.
    public static func open(
        _ source: SourceDescription, ring: Ring, to path: String, _ settings: MovieSettings = MovieSettings(),
        gate: FollowerGate? = nil
    ) async throws(MovieError) -> MovieFileOutput {
        try await onThread(named: "open") { () throws(MovieError) in
            try MovieFileOutput(source, ring: ring, to: path, settings, gate: gate)
        }
    }

    /// Ends the movie with the newest frame and waits until the file is durable. Cancelling the task does not shorten
    /// this.
    @discardableResult
    public func finish() async -> MovieResult { await onThread(named: "finish") { self.finish() } }
}

/// What the output and its thread share.
final class MovieState: Sendable {
    private enum Opening {
        case opening
        case opened
        case failed(MovieError)
    }

    private let opening = Guarded(Opening.opening)
    private let begin = Guarded<MovieStart?>(nil)
    private let end = EndNotice()
    private let signal: OwnedSignal
    private let feed: MovieFeed
    private let frames = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)
    let bytes = Atomic<Int>(0)
    /// In nanoseconds.
    let length = Atomic<Int64>(0)
    let firstPath = Guarded("")
    let indexer = MovieIndexer()
    /// Whether files get their index first.
    let isIndexed = Atomic<Bool>(false)
    let result = Guarded(MovieResult())

    /// `signal` is also notified when the feed is stopped.
    init(_ signal: OwnedSignal, _ feed: MovieFeed) { (self.signal, self.feed) = (signal, feed) }

    // MARK: The owner's side

    /// Waits until the thread has opened everything. Returns why it could not.
    func waitUntilOpened() -> MovieError? {
        var failure: MovieError?
        _ = signal.wait(until: .distantFuture) {
            opening.withLock {
                if case .failed(let error) = $0 { failure = error }
                if case .opening = $0 { return false }
                return true
            }
        }
        return failure
    }

    func start(_ start: MovieStart) {
        begin.withLock { $0 = $0 ?? start }
        signal.notify()
    }

    var hasStarted: Bool { begin.withLock { $0 != nil } }

    func waitForEnd(until deadline: Timestamp) -> Bool {
        end.wait(until: deadline.nanoseconds)
    }

    func whenEnded(_ body: @escaping @Sendable () -> Void) { end.call(body) }

    var progress: RecordingProgress {
        RecordingProgress(frames: frames.load(ordering: .relaxed), dropped: dropped.load(ordering: .relaxed))
    }

    // MARK: The thread's side

    func opened(_ failure: MovieError?, at path: String = "") {
        firstPath.withLock { $0 = path }
        opening.withLock { $0 = failure.map { .failed($0) } ?? .opened }
        signal.notify()
    }

    /// Waits for the movie's beginning. Nil if it is stopped before.
    func waitForStart() -> MovieStart? {
        var start: MovieStart?
        _ = signal.wait(until: .distantFuture) {
            start = begin.withLock { $0 }
            return start != nil || feed.isStopped
        }
        return start
    }

    func report(frames: Int, dropped: Int, bytes: Int, length: Duration) {
        self.frames.store(frames, ordering: .relaxed)
        self.dropped.store(dropped, ordering: .relaxed)
        self.bytes.store(bytes, ordering: .relaxed)
        self.length.store(length.nanoseconds, ordering: .relaxed)
    }

    func end(with result: MovieResult) {
        self.result.withLock { $0 = result }
        end.note()
    }
}
