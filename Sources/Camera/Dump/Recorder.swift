// SPDX-License-Identifier: MIT
// Recording a ring's frames to a dump without ever holding up the camera.

import FrameRing
import Frames
import Synchronization
import Threads

/// When a recording ends by itself, and how much memory it may take.
public struct RecordingSettings: Hashable, Sendable {
    /// Ends after so many frames.
    public var frames: Int?
    /// Ends before the first frame that is so much later than the first.
    public var duration: TimeSpan?
    /// Bytes of the queue in front of the disk; at least two frames, in whole pieces of 4 MiB.
    public var queueBytes: Int
    /// Whether a file by that name may be replaced.
    public var overwrite: Bool

    /// Settings; by default a recording goes on until it is stopped, with a queue of 64 MiB.
    public init(
        frames: Int? = nil, duration: TimeSpan? = nil, queueBytes: Int = 64 << 20, overwrite: Bool = false
    ) {
        self.frames = frames
        self.duration = duration
        self.queueBytes = queueBytes
        self.overwrite = overwrite
    }
}

/// What a recording came to.
public struct RecordingSummary: Hashable, Sendable {
    /// Frames in the file.
    public var frames = 0
    /// Frames left out because the disk, or copying, was slower than the camera.
    public var dropped = 0
    /// Places where frames are missing, be it from the recording or already from the stream.
    public var gaps = 0
    /// Frames missing there, as far as is known.
    public var lost = 0
    /// Frames marked as damaged.
    public var damaged = 0
    /// The first frame's time.
    public var first: Timestamp?
    /// The last frame's time.
    public var last: Timestamp?
    /// Bytes of the frames in the file.
    public var bytes = 0
    /// Restarts, and holes in time.
    public var continuity = Continuity()

    /// Nothing recorded.
    public init() {}
}

/// How a recording ended.
public struct RecordingResult: Hashable, Sendable {
    /// What is in the file.
    public var summary: RecordingSummary
    /// Why it ended early, if it did. What the summary tells is in the file and readable all the same.
    public var failure: CameraError?

    /// What came of a recording.
    package init(summary: RecordingSummary, failure: CameraError? = nil) {
        (self.summary, self.failure) = (summary, failure)
    }
}

/// Follows a ring and writes its frames to a dump, from `init` on.
///
/// Two threads: one copies each frame out of its lease into a bounded queue (hashing it on the way) and lets go of the
/// slot at once; one writes. When the queue is full, the frame is left out of the *recording* and counted; the ring and
/// the camera never notice. With a gate, as replays and scenes at the fast pace have, nothing is left out: the source
/// waits for the disk.
public final class Recorder: Sendable {
    private let control: RecordingControl
    private let thread: Mutex<SystemThread?>

    /// Starts to record what `source` publishes into `ring` from now on.
    public convenience init(
        _ source: SourceDescription, ring: FrameRing, to path: String,
        _ settings: RecordingSettings = RecordingSettings(), gate: FollowerGate? = nil
    ) throws(CameraError) {
        let sink: any RecordingSink =
            try OutputPlace(path) == .stream ? StreamSink(path) : RecordingFile(path, overwrite: settings.overwrite)
        try self.init(source, ring: ring, to: sink, settings, gate: gate)
    }

    init(
        _ source: SourceDescription, ring: FrameRing, to sink: any RecordingSink, _ settings: RecordingSettings,
        gate: FollowerGate?
    ) throws(CameraError) {
        var described = source
        described.format = ring.format
        do throws(CameraError) {
            let job = try RecordingJob(DumpHeader(of: described), ring, sink, settings, gate)
            let thread = try CameraError.wrapping { () throws(SystemShortage) in
                try SystemThread(name: "record") { job.run() }
            }
            control = job.control
            self.thread = Mutex(thread)
        } catch {
            sink.discard()
            throw error
        }
    }

    deinit { _ = finish() }

    /// Asks the recording to end; frames published so far may be missing from it.
    public func stop() { control.shouldStop.store(true, ordering: .releasing) }

    /// Stops, and waits until the file is on the disk.
    @discardableResult
    public func finish() -> RecordingResult {
        stop()
        return wait()
    }

    /// Waits until the recording has ended by itself or by `stop`, and its file is on the disk.
    public func wait() -> RecordingResult {
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
        return control.result.withLock { $0 }
    }

    /// Waits for the end, at most until `deadline` on CLOCK_MONOTONIC; whether it has come.
    public func waitForEnd(until deadline: Timestamp) -> Bool {
        control.ended.wait(until: deadline) { control.hasEnded.load(ordering: .acquiring) }
    }

    /// Frames recorded and left out so far.
    public var progress: (frames: Int, dropped: Int) {
        (control.frames.load(ordering: .relaxed), control.dropped.load(ordering: .relaxed))
    }

    /// Bytes of the frames recorded so far.
    public var byteCount: Int { control.bytes.load(ordering: .relaxed) }
}

/// What a recorder and its thread share.
final class RecordingControl: Sendable {
    let shouldStop = Atomic<Bool>(false)
    let hasEnded = Atomic<Bool>(false)
    let ended = OwnedSignal()
    /// Where the first frame ends in the file. Stored before the queue's releasing store of `written`, read behind the
    /// acquiring load paired with it.
    let firstFrameEnd = Atomic<Int>(.max)
    let frames = Atomic<Int>(0)
    let dropped = Atomic<Int>(0)
    let bytes = Atomic<Int>(0)
    let result = Mutex(RecordingResult(summary: RecordingSummary()))
}
