// SPDX-License-Identifier: MIT
// Records a ring's frames for other programs, as they arrive.

import FrameRing
import LivecapFrameFiles
import LivecapFrames
import LivecapPictures
import LivecapThreads
import Synchronization

/// Follows a ring and writes its frames as `.y4m`, `.mjpg`, `.mkv` or pictures, starting with `init`.
///
/// One thread converts and writes. If it is slower than the camera, it may fall behind by up to the ring's history;
/// frames beyond that are left out of the recording and counted, and the camera is not affected. With a gate, which
/// files and scenes at the fast pace have, no frame is left out.
public final class MovieRecorder: Sendable {
    private let state: State
    private let thread: Guarded<SystemThread?>

    /// The state shared with the thread.
    private final class State: Sendable {
        let shouldStop = Atomic<Bool>(false)
        /// Nil once the thread has ended, so that nothing keeps the ring.
        let ring: Guarded<Ring?>
        /// The stream's planes, until the thread takes them.
        let planes = Guarded<SharedPlanes?>(nil)
        let end = EndNotice()
        let frames = Atomic<Int>(0)
        let dropped = Atomic<Int>(0)
        let bytes = Atomic<Int>(0)
        let result = Guarded(RecordingResult(summary: RecordingSummary()))

        init(_ ring: Ring) { self.ring = Guarded(ring) }
    }

    /// Starts to record the frames that `source` publishes into `ring`, from `beginning`, or from now on. If `path` is
    /// a pipe, waits for its reader until `isUnwanted` returns true, and then throws `interrupted`.
    package init(
        _ source: SourceDescription, ring: Ring, to path: String, as kind: MovieKind,
        _ settings: RecordingSettings = RecordingSettings(), gate: FollowerGate? = nil,
        from beginning: consuming FrameSubscription? = nil, unless isUnwanted: () -> Bool = { false }
    ) throws(FrameFileError) {
        var described = source
        described.format = ring.format
        let writer = try kind.writer(
            path, described, anchor: source.clock == .monotonic ? .now : nil, span: nil, overwrite: settings.overwrite,
            isGrowing: true, unless: isUnwanted)
        let state = State(ring)
        self.state = state
        let job = MovieJob(
            writer, source: described, settings: settings,
            subscription: beginning ?? FrameSubscription(to: ring, gate: gate))
        let started = try FrameFileError.wrapping { () throws(SystemShortage) in
            try SystemThread(name: "record") {
                let result = job.run(
                    planes: { state.planes.withLock { $0.take() } },
                    shouldStop: { state.shouldStop.load(ordering: .acquiring) },
                    progress: { frames, dropped, bytes in
                        state.frames.store(frames, ordering: .relaxed)
                        state.dropped.store(dropped, ordering: .relaxed)
                        state.bytes.store(bytes, ordering: .relaxed)
                    })
                state.result.withLock { $0 = result }
                state.ring.withLock { $0 = nil }
                state.end.note()
            }
        }
        thread = Guarded(started)
    }

    deinit { _ = finish() }

    /// Decodes JPEG frames together with the other readers of their stream, that of `planes`.
    package func follow(_ planes: SharedPlanes) { state.planes.withLock { $0 = planes } }

    /// Asks the recording to end. Frames already published may be missing from it.
    public func stop() {
        state.shouldStop.store(true, ordering: .releasing)
        state.ring.withLock { $0 }?.wakeWaiters()
    }

    /// Stops, waits until the file is durable, and returns the result.
    @discardableResult
    package func finish() -> RecordingResult {
        stop()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
        return state.result.withLock { $0 }
    }

    /// Waits for the end until `deadline` on CLOCK_MONOTONIC at the latest. Returns whether the recording has ended.
    package func waitForEnd(until deadline: Timestamp) -> Bool {
        state.end.wait(until: deadline.nanoseconds)
    }

    /// Calls `body` when the recording has ended, or at once if it has.
    package func whenEnded(_ body: @escaping @Sendable () -> Void) { state.end.call(body) }

    /// The number of frames recorded and left out so far.
    public var progress: RecordingProgress {
        RecordingProgress(
            frames: state.frames.load(ordering: .relaxed), dropped: state.dropped.load(ordering: .relaxed))
    }

    /// The number of bytes of the frames recorded so far, as the camera delivered them.
    public var byteCount: Int { state.bytes.load(ordering: .relaxed) }
}

/// The recording itself. `@unchecked Sendable`: created by one thread, then used only by the recorder's.
private final class MovieJob: @unchecked Sendable {
    private let writer: any FrameWriter
    private let source: SourceDescription
    private let settings: RecordingSettings
    private var subscription: FrameSubscription
    private var recorded: [FrameMetadata] = []
    private var undecodable = 0
    /// The time of the first frame, whether it was recorded or not.
    private var firstTime: Timestamp?
    private var bytes = 0

    init(
        _ writer: any FrameWriter, source: SourceDescription, settings: RecordingSettings,
        subscription: consuming FrameSubscription
    ) {
        self.writer = writer
        self.source = source
        self.settings = settings
        self.subscription = subscription
    }

    func run(
        planes: () -> SharedPlanes?, shouldStop: () -> Bool, progress: (Int, Int, Int) -> Void
    ) -> RecordingResult {
        var failure: FrameFileError?
        do throws(FrameFileError) {
            while !shouldStop(), recorded.count < settings.frames ?? .max, try step(unless: shouldStop) {
                if let planes = planes() { writer.follow(planes) }
                progress(recorded.count, Int(clamping: subscription.missed), bytes)
            }
            try writer.flush()
        } catch { failure = error }
        do throws(FrameFileError) {
            if failure != nil { recorded.removeLast(recorded.count - writer.cut()) }
            if recorded.isEmpty { writer.discard() } else { try writer.finish() }
        } catch {
            if case .removed = error { return RecordingResult(summary: RecordingSummary(), failure: error) }
            failure = failure ?? error
        }
        return RecordingResult(summary: summary, failure: failure)
    }

    /// Writes the next frame. Returns false at the end of the recording.
    private func step(unless shouldStop: () -> Bool) throws(FrameFileError) -> Bool {
        switch subscription.next(until: settings.deadline(after: firstTime, source.clock), unless: shouldStop) {
        case .ended: return false
        // The frame that would end the recording is missing, or nobody wants more.
        case .timedOut: return false
        case .frame(let lease):
            var frame = lease.metadata
            firstTime = firstTime ?? frame.time
            guard !isPastEnd(frame.time) else { return false }
            let missed = Int(clamping: subscription.missed) - noted
            noted += missed
            frame.noteLoss(UInt32(clamping: missed))
            let isWritten = try lease.withBytes { (bytes) throws(FrameFileError) in try writer.append(frame, bytes) }
            if isWritten {
                recorded.append(frame)
                bytes += frame.byteCount
            } else {
                undecodable += 1
            }
            return true
        }
    }

    private var noted = 0

    private func isPastEnd(_ time: Timestamp) -> Bool {
        guard let duration = settings.duration, let firstTime else { return false }
        return time - firstTime >= duration
    }

    private var summary: RecordingSummary {
        var summary = RecordingSummary()
        summary.frames = recorded.count
        summary.damaged = undecodable
        summary.bytes = recorded.reduce(0) { $0 + $1.byteCount }
        summary.dropped = Int(clamping: subscription.missed)
        summary.gaps = recorded.count { $0.flags.contains(.gapBefore) }
        summary.lost = recorded.reduce(0) { $0 + Int($1.lostBefore) }
        summary.continuity = Continuity(count: recorded.count, rate: source.rate) { recorded[$0] }
        (summary.first, summary.last) = (recorded.first?.time, recorded.last?.time)
        return summary
    }
}
