// SPDX-License-Identifier: MIT
// A source running into its ring, with the output that takes photos of it, as programs use it.

import Camera
import FrameRing
import LivecapDeveloping
import LivecapEffects
import LivecapFacts
import LivecapFrames
import LivecapPhotoStorage
import LivecapStreams
import LivecapThreads
import LivecapTriggers
import Synchronization

/// Captures frames from one source, and takes photos of them through its `photoOutput`.
///
/// ```swift
/// let session = try await CaptureSession(source: .camera())
/// try await session.start()
/// let photo = try await session.photoOutput.photo()
/// await session.stop()
/// ```
///
/// A stopped session can be started again, with another source, too. No method blocks the thread that calls it: what
/// takes long is done on threads of the session's own.
public final class CaptureSession: Sendable {
    /// The output that accepts taps. It stays the same when the session is stopped and started again.
    public let photoOutput: PhotoOutput

    let options: SessionOptions
    private let log: EventLog<SessionEvent>
    /// They stay when the session is stopped and started again.
    package let sinks: HostSinks
    /// The effects and reactions that its stages draw.
    package let effects = EffectBoard()
    /// What makes the frames that outputs and movies ask for.
    let stages: SessionStages
    /// What looks for facts, from the first wish on.
    let finder = Guarded<FactFinder?>(nil)
    /// What watches for motion, from the first wish on.
    let motion = Guarded<MotionWatch?>(nil)
    /// Locked while the session starts, stops or changes its source, which takes long.
    private let control: Guarded<Control>
    /// The newest run, and the one before it while its history is kept.
    private let runs: Guarded<Runs>
    /// Whether a bracket is being taken.
    let isBracketing = Atomic(false)
    /// Makes exposure and focus follow faces.
    let faces: FaceFollower
    /// How many stops are under way.
    private let ends = Atomic<Int>(0)
    /// Wakes the thread that waits for the end of that history.
    private let forgetting = Guarded<Alarm?>(nil)

    private struct Runs: Sendable {
        var newest: SessionRun
        var past: SessionRun?
        /// Whether another run follows the newest, or takes its place, even if that one has ended.
        var isChanging = false
        /// Why the session could not go on with the source it had, after another had failed.
        var loss: CameraError?
    }

    private struct Control: Sendable {
        /// Nil if the source can be opened only once.
        var source: CaptureSource?
        var phase: Phase
    }

    private enum Phase { case opened, running, stopped }

    /// Creates a session, and opens its source.
    ///
    /// Throws if the source cannot be opened: no such camera, no permission, a damaged recording, impossible settings.
    public convenience init(
        source: CaptureSource, options: SessionOptions = SessionOptions()
    ) async throws(CameraError) {
        let opened = try await onThread(named: "open") { () throws(CameraError) in try Opened(source, options: options)
        }
        self.init(opened, source, options)
    }

    /// The same for callers that may block.
    package convenience init(opening source: CaptureSource, _ options: SessionOptions) throws(CameraError) {
        self.init(try Opened(source, options: options), source, options)
    }

    /// Creates a session for an open source. With a `gate`, the source waits for the session instead of outrunning it.
    /// The session can be started again, and take another source, if `again` says how the source is opened.
    package convenience init(
        _ source: sending any FrameSource, gate: FollowerGate? = nil, again: CaptureSource? = nil,
        _ options: SessionOptions = SessionOptions()
    ) throws(CameraError) {
        self.init(try Opened(source, gate: gate, options), again, options)
    }

    private init(_ opened: Opened, _ source: CaptureSource?, _ options: SessionOptions) {
        self.options = options
        log = opened.log
        faces = FaceFollower(opened.log)
        sinks = opened.sinks
        stages = SessionStages(opened.sinks, effects) { [log] in log.add(.treatmentFailed($0, $1)) }
        control = Guarded(Control(source: source, phase: .opened))
        runs = Guarded(Runs(newest: opened.run))
        photoOutput = PhotoOutput(opened.run, opened.readiness)
        // Whoever draws light or follows faces knows where they are.
        effects.onFaces { [weak self] in self?.follow($0) }
        effects.onNewSettings { [log] in log.add(.effectsChanged($0)) }
    }

    deinit {
        let (runs, log, faces) = (runs.withLock { $0 }, log, faces)
        forgetting.withLock { $0 }?.switchOff()
        sinks.removeAll()
        stages.end()
        guard control.withLock({ $0.phase != .stopped }) else { return log.finish() }
        let end: @Sendable () -> Void = {
            runs.newest.end()
            faces.finish()
            runs.past?.end()
            log.finish()
        }
        // Whoever releases the session may be on a thread that must not wait.
        do throws(SystemShortage) { try SystemThread(name: "stop", end).detach() } catch { end() }
    }

    // MARK: Starting and stopping

    /// Starts the session, and returns once the first frame has arrived: a photo can be taken then.
    ///
    /// Throws `running` if the session runs, `source` if the source cannot be opened again or fails before its first
    /// frame, `ended` if there is no frame or the session is stopped meanwhile, and `cancelled` if the task is; the
    /// session is then stopped.
    public func start() async throws(SessionError) {
        let run = try await onThread(named: "start") { () throws(SessionError) in try self.beginAgain() }
        let isDecided = await run.arrivals.wait { run.ring.newestTime != nil || run.desk.hasEnded }
        guard isDecided, !Task.isCancelled else {
            await stop(.cancellingShots)
            throw .cancelled
        }
        // A source may be short. It has ended by now, and its frames are there all the same.
        guard run.ring.newestTime == nil || run.desk.isStopping else { return }
        throw run.failure.map { .source($0) } ?? .ended
    }

    /// What a stop does with the shots in progress.
    public enum StopMode: Hashable, Sendable, CaseIterable {
        /// Finishes the shots whose frames have arrived. All others fail as `streamEnded`.
        case finishingShots
        /// Cancels every shot that is not stored yet.
        case cancellingShots
    }

    /// Stops the source, ends the shots in progress, and returns once all of them are done and the camera is free.
    ///
    /// Cancelling the task does not shorten this. Has no effect if the session is stopped.
    public func stop(_ mode: StopMode = .finishingShots) async {
        await onThread(named: "stop") { self.end(mode) }
    }

    /// Takes another source, or another format of the same camera.
    ///
    /// While the session is stopped, frames flow after the next `start`. If the source cannot be opened, this throws
    /// `source`, and the session tries it again when it is started.
    ///
    /// While the session runs, it finishes the shots in progress and goes on with the new source; this returns once its
    /// first frame has arrived. Photos of earlier moments can still be taken for as long as the history lasts, if
    /// memory suffices for both; they show what the earlier source saw. Shots of moments to come, and streams of
    /// frames, end.
    ///
    /// A source that `canSetSource` refuses does not interrupt the present one. If the new source fails later, but
    /// before its first frame, this throws `source` (`ended` if it delivers none), and the session goes on with the one
    /// it had; if that fails, too, the session is stopped, with that as its `failure`. Throws `ended` if the session is
    /// stopped meanwhile, and `cannotReopen` if there is no way back. Cancelling the task does not shorten this.
    public func setSource(_ source: CaptureSource) async throws(SessionError) {
        try await onThread(named: "open") { () throws(SessionError) in try self.replaceSource(source) }
    }

    /// Whether the session can take another source: nil if it can, or else why `setSource` would
    /// throw. Changes nothing, and opens no camera to stream.
    ///
    /// For a camera: that it is connected and may be opened, delivers the format, and has the controls and the profile.
    /// For a recording: that it can be read. Another program may still be using a camera, and the machine may lack
    /// memory.
    public func canSetSource(_ source: CaptureSource) async -> SessionError? {
        await onThread(named: "open") {
            // There must be a way back.
            let isStuck = self.control.withLock { $0.phase == .running && $0.source == nil }
            return isStuck ? .cannotReopen : source.refusal().map { .source($0) }
        }
    }

    /// Starts the session for the first time. Does nothing if it was started or stopped before. For callers that do not
    /// wait for the first frame.
    package func begin() {
        control.withLock { control in
            guard control.phase == .opened else { return }
            control.phase = .running
            run.begin()
        }
    }

    /// Stops the session. Blocks until all shots are done.
    package func end(_ mode: StopMode = .finishingShots) {
        // A change of the source that begins a run after this one was read looks at it.
        ends.add(1, ordering: .sequentiallyConsistent)
        defer { ends.subtract(1, ordering: .sequentiallyConsistent) }
        let runs = runs.withLock { $0 }
        // Before the lock: a stop that waits for its shots is hastened by one that cancels them.
        if mode == .cancellingShots {
            runs.newest.cancelAll()
            runs.past?.cancelAll()
        }
        // A change of the source then waits for a frame no longer.
        runs.newest.stopStream()
        control.withLock { control in
            guard control.phase != .stopped else { return }
            self.run.end()
            faces.finish()
            endPast()
            control.phase = .stopped
            log.add(.stopped)
        }
    }

    private func beginAgain() throws(SessionError) -> SessionRun {
        try control.withLock { control throws(SessionError) in
            switch control.phase {
            case .running where !run.desk.hasEnded: throw .running
            case .running, .stopped:
                run.end()
                faces.finish()
                endPast()
                control.phase = .stopped
                try reopen(control.source)
            case .opened: break
            }
            control.phase = .running
            run.begin()
            return run
        }
    }

    /// The source that was asked for last; nil if it can be opened only once. Blocks while that changes.
    var chosenSource: CaptureSource? { control.withLock { $0.source } }

    /// Takes another source as `setSource` does. Blocks.
    package func replaceSource(_ source: CaptureSource) throws(SessionError) {
        try control.withLock { control throws(SessionError) in
            if control.phase == .running { return try changeSource(&control, to: source) }
            // The same camera must be closed before it can be opened.
            run.end()
            endPast()
            (control.source, control.phase) = (source, .stopped)
            try reopen(source)
            control.phase = .opened
        }
    }

    private func reopen(_ source: CaptureSource?) throws(SessionError) {
        guard let source else { throw .cannotReopen }
        log.beginChapter()
        do throws(CameraError) {
            let opened = try Opened(
                source, options: options, log: log, readiness: photoOutput.readiness, sinks: sinks, after: run)
            runs.withLock { runs in
                runs.newest = opened.run
                runs.loss = nil
            }
            photoOutput.serve(opened.run)
        } catch { throw .source(error) }
    }

    // MARK: Changing the source while the session runs

    private func changeSource(_ control: inout Control, to source: CaptureSource) throws(SessionError) {
        // There must be a way back.
        guard let before = control.source else { throw .cannotReopen }
        // What can be known before does not cost the frames of the present source.
        if let refusal = source.refusal() { throw .source(refusal) }
        runs.withLock { $0.isChanging = true }
        defer { runs.withLock { $0.isChanging = false } }
        endPast()
        let past = run
        past.retire()
        faces.finish()
        do throws(SessionError) {
            try begin(source, after: past)
            control.source = source
        } catch {
            // A stop that is under way ends whatever has begun.
            guard !isBeingStopped else { throw error }
            do throws(SessionError) { try begin(before, after: past) } catch let loss {
                guard !isBeingStopped else { throw error }
                run.end()
                endPast()
                past.end()
                control.phase = .stopped
                runs.withLock { runs in
                    runs.isChanging = false
                    if case .source(let failure) = loss { runs.loss = failure }
                }
                log.add(.stopped)
            }
            throw error
        }
    }

    /// Whether a stop is under way.
    var isBeingStopped: Bool { ends.load(ordering: .sequentiallyConsistent) > 0 }

    /// Begins a run of a source, beside a run that is retired, and waits for its first frame.
    private func begin(_ source: CaptureSource, after past: SessionRun) throws(SessionError) {
        let run: SessionRun
        do throws(CameraError) {
            run = try Opened(
                source, options: options, log: log, readiness: photoOutput.readiness, sinks: sinks, after: past
            ).run
        } catch { throw .source(error) }
        let isKept = past.servesPast(beside: run.description.clock)
        runs.withLock { ($0.newest, $0.past) = (run, isKept ? past : nil) }
        photoOutput.serve(run, after: isKept ? past : nil)
        log.add(.sourceChanged(run.description))
        if isBeingStopped { run.stopStream() }
        run.begin()
        run.desk.bell.wait { run.ring.newestTime != nil || run.desk.hasEnded || run.desk.isStopping }
        guard run.ring.newestTime != nil else {
            let failure = run.failure
            if !run.desk.isStopping { run.end() }
            throw failure.map { .source($0) } ?? .ended
        }
        if isKept { endPastLater(past) }
    }

    /// Ends the run before the newest, if its history is still kept.
    private func endPast() {
        guard let past = runs.withLock({ $0.past }) else { return }
        forgetting.withLock { $0.take() }?.switchOff()
        photoOutput.forget(past)
        past.end()
        runs.withLock { if $0.past === past { $0.past = nil } }
    }

    /// Ends a run once its history is too old.
    private func endPastLater(_ past: SessionRun) {
        let (alarm, history) = (Alarm(), past.history)
        forgetting.withLock { $0 = alarm }
        // Without a thread, it is kept until the next change or the stop.
        try? SystemThread(name: "forget") { [weak self] in
            alarm.wait(until: .now + history)
            guard !alarm.isOff, let self else { return }
            control.withLock { _ in
                if self.runs.withLock({ $0.past === past }) { self.endPast() }
            }
        }.detach()
    }

    // MARK: What happens

    /// The session's events, from the latest start on. Any number of readers may follow them, and every one gets all of
    /// them. They end when the session is released. A reader that is more than 1000 events late loses the oldest.
    ///
    /// A task that reads them must not hold the session, or neither ends:
    ///
    /// ```swift
    /// let events = session.events
    /// Task { for await event in events { print(event) } }
    /// ```
    public var events: EventSequence<SessionEvent> { log.sequence }

    /// Follows the frames of the present run as they arrive; the stream ends with it. Follow them before `start` to
    /// miss none.
    public func frames(_ delivery: FrameDelivery = .newest) -> FrameStream { FrameStream(run, delivery) }

    /// Keeps the camera of the present run on while the value exists, as a tap does for a moment. Only of use with
    /// `SessionOptions.idleOff`.
    public func keepCameraOn() -> CameraUse { CameraUse(run.desk) }

    // MARK: The present state

    /// The failure the source ended with, if any.
    public var failure: CameraError? {
        let runs = runs.withLock { $0 }
        return runs.newest.failure ?? runs.loss
    }
    /// Whether no more frames will come, unless the session is started again. A session that is changing its source has
    /// not ended.
    public var hasEnded: Bool {
        let runs = runs.withLock { $0 }
        return !runs.isChanging && runs.newest.desk.hasEnded
    }

    var run: SessionRun { runs.withLock { $0.newest } }
}
