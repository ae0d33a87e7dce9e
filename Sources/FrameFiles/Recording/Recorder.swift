// SPDX-License-Identifier: MIT
// Records a ring's frames to a dump without ever delaying the camera.

import FrameRing
import LivecapFiles
import LivecapFrames
import LivecapThreads
import Synchronization

/// When a recording ends by itself, and how much memory it may use.
public struct RecordingSettings: Hashable, Codable, Sendable {
    /// Ends the recording after this many frames.
    public var frames: Int?
    /// Ends the recording before the first frame that is this much later than the first one.
    public var duration: Duration?
    /// The size of the queue before the disk, in bytes. Raised to hold at least two frames and rounded up to whole
    /// pieces of 4 MiB.
    public var queueBytes: Int
    /// Whether an existing file of the same name may be replaced.
    public var overwrite: Bool

    /// How long a frame is waited for that would end the recording.
    private static let lateness = Duration.seconds(1)

    /// Until when a frame is waited for, after one at `first`. The frame that would end the recording may never arrive,
    /// but a camera's clock continues. Frames of a recording that begins in the past come later than their times.
    package func deadline(after first: Timestamp?, _ clock: SourceClock) -> Timestamp {
        guard clock == .monotonic, let duration, let first else { return .distantFuture }
        return max(first + duration, .now) + Self.lateness
    }

    /// Creates settings. By default a recording continues until it is stopped and has a queue of 64 MiB.
    public init(
        frames: Int? = nil, duration: Duration? = nil, queueBytes: Int = 64 << 20, overwrite: Bool = false
    ) {
        self.frames = frames
        self.duration = duration
        self.queueBytes = queueBytes
        self.overwrite = overwrite
    }
}

/// How far a recording is.
public struct RecordingProgress: Hashable, Codable, Sendable {
    /// Frames recorded so far.
    public var frames: Int
    /// Frames left out so far, because the disk was slower than the camera.
    public var dropped: Int

    package init(frames: Int, dropped: Int) { (self.frames, self.dropped) = (frames, dropped) }
}

/// The outcome of a recording in figures.
public struct RecordingSummary: Hashable, Codable, Sendable {
    /// Frames in the file.
    public var frames = 0
    /// Frames dropped because the disk, or copying, was slower than the camera.
    public var dropped = 0
    /// Places where frames are missing, whether the recorder dropped them or the stream had already lost them.
    public var gaps = 0
    /// Frames missing at those places, as far as is known.
    public var lost = 0
    /// Frames marked as damaged.
    public var damaged = 0
    /// The first frame's time.
    public var first: Timestamp?
    /// The last frame's time.
    public var last: Timestamp?
    /// The total size of the frames in the file, in bytes.
    public var bytes = 0
    /// Restarts of the stream, and holes in time.
    public var continuity = Continuity()

    /// Creates the summary of a recording without frames.
    public init() {}
}

/// How a recording ended.
public struct RecordingResult: Hashable, Sendable {
    /// A summary of the file's contents.
    public var summary: RecordingSummary
    /// Why the recording ended early, if it did. The frames counted in the summary are in the file and readable all the
    /// same.
    public var failure: FrameFileError?

    /// Creates the result of a recording.
    package init(summary: RecordingSummary, failure: FrameFileError? = nil) {
        self.summary = summary
        self.failure = failure
    }
}

/// Follows a ring and writes its frames to a dump, starting at `init`.
///
/// It uses two threads. One copies each frame from its lease into a bounded queue, hashing it on the way, and releases
/// the slot at once. The other writes. When the queue is full, the frame is left out of the *recording* and counted as
/// dropped; the ring and the camera are not affected. With a gate, as used by replays and scenes at the fast pace, no
/// frame is dropped: the source waits for the disk.
public final class Recorder: Sendable {
    private let control: RecordingControl
    private let thread: Guarded<SystemThread?>

    /// Starts recording the frames that `source` publishes into `ring`, from `beginning`, or from now on. If `path` is
    /// a pipe, waits for its reader until `isUnwanted` returns true, and then throws `interrupted`.
    package convenience init(
        _ source: SourceDescription, ring: Ring, to path: String,
        _ settings: RecordingSettings = RecordingSettings(), gate: FollowerGate? = nil,
        from beginning: consuming FrameSubscription? = nil, unless isUnwanted: () -> Bool = { false }
    ) throws(FrameFileError) {
        let sink: any RecordingSink =
            try OutputTarget(path) == .stream
            ? StreamSink(path, unless: isUnwanted) : RecordingFile(path, overwrite: settings.overwrite)
        try self.init(source, ring: ring, to: sink, settings, gate: gate, from: beginning)
    }

    init(
        _ source: SourceDescription, ring: Ring, to sink: any RecordingSink, _ settings: RecordingSettings,
        gate: FollowerGate?, from beginning: consuming FrameSubscription? = nil
    ) throws(FrameFileError) {
        var described = source
        described.format = ring.format
        do throws(FrameFileError) {
            let job = try RecordingJob(
                DumpHeader(of: described), ring: ring, sink: sink, settings: settings, gate: gate,
                from: beginning)
            let thread = try FrameFileError.wrapping { () throws(SystemShortage) in
                try SystemThread(name: "record") { job.run() }
            }
            control = job.control
            self.thread = Guarded(thread)
        } catch {
            sink.discard()
            throw error
        }
    }

    deinit { _ = finish() }

    /// Asks the recording to end. Frames already published may be missing from it.
    public func stop() { control.stop() }

    /// Stops the recording and waits until the file is durable.
    @discardableResult
    package func finish() -> RecordingResult {
        stop()
        return wait()
    }

    /// Waits until the recording has ended, by itself or through `stop`, and its file is durable.
    package func wait() -> RecordingResult {
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
        return control.result.withLock { $0 }
    }

    /// Waits for the end, at most until `deadline` on CLOCK_MONOTONIC. Returns whether the recording has ended.
    package func waitForEnd(until deadline: Timestamp) -> Bool {
        control.end.wait(until: deadline.nanoseconds)
    }

    /// Calls `body` when the recording has ended, or at once if it has.
    package func whenEnded(_ body: @escaping @Sendable () -> Void) { control.end.call(body) }

    /// Frames recorded and dropped so far.
    public var progress: RecordingProgress {
        RecordingProgress(
            frames: control.frames.load(ordering: .relaxed), dropped: control.dropped.load(ordering: .relaxed))
    }

    /// The total size in bytes of the frames recorded so far.
    public var byteCount: Int { control.bytes.load(ordering: .relaxed) }
}

/// The state that a recorder and its threads share.
final class RecordingControl: Sendable {
    private let hasStopped = Atomic<Bool>(false)
    /// Ends the waits of the copier. Nil once it has ended: nothing of its memory is kept then.
    private let waker: Guarded<(@Sendable () -> Void)?>
    let end = EndNotice()
    /// Where the first frame ends in the file. Stored before the queue's releasing store of `written`, and read after
    /// the acquiring load paired with it.
    let firstFrameEnd = Atomic<Int>(.max)
    let frames = Atomic<Int>(0)
    let dropped = Atomic<Int>(0)
    let bytes = Atomic<Int>(0)
    let result = Guarded(RecordingResult(summary: RecordingSummary()))

    init(wake: @escaping @Sendable () -> Void) { waker = Guarded(wake) }

    /// Has the copier look whether to stop.
    func wake() { waker.withLock { $0 }?() }

    /// Notes that everything is written.
    func noteEnd() {
        waker.withLock { $0 = nil }
        end.note()
    }

    var shouldStop: Bool { hasStopped.load(ordering: .acquiring) }

    func stop() {
        hasStopped.store(true, ordering: .releasing)
        wake()
    }
}
