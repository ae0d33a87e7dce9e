// SPDX-License-Identifier: MIT
// The thread that makes a camera's exposure and focus follow faces, for as long as faces are seen.

import Camera
import FrameRing
import LivecapFrames
import LivecapThreads

/// Follows what is said of faces. It begins a thread with the first face, which ends once none has been seen for a
/// second, or with the stream: a camera may take seconds to answer, so nobody else asks it.
final class FaceFollower: Sendable {
    private struct Board: Sendable {
        var facts: FrameFacts?
        var switches = FaceSwitches()
        var isPaused = false
        var isExposing = false
        var isFocusing = false
        var thread: SystemThread?
        /// Whether the thread has not ended.
        var isRunning = false
        /// When a camera that could not be opened is tried again: opening one takes a while.
        var retry: Timestamp?
    }

    private let board = Guarded(Board())
    private let events: EventLog<SessionEvent>
    private let longestGap: Duration
    private let camera: @Sendable (SessionRun) -> (any FaceControls)?

    /// Reports what it does to `events`. A camera is away if it delivers no frame for `longestGap`. `camera` opens the
    /// one that delivers now; nil if that is impossible.
    init(
        _ events: EventLog<SessionEvent>, longestGap: Duration = FaceExposureLoop.patience,
        camera: @escaping @Sendable (SessionRun) -> (any FaceControls)? = { FaceFollower.node(of: $0) }
    ) {
        self.events = events
        self.longestGap = longestGap
        self.camera = camera
    }

    /// What is to follow faces.
    var switches: FaceSwitches {
        get { board.withLock { $0.switches } }
        set { board.withLock { $0.switches = newValue } }
    }

    /// Changes what is to follow faces.
    func change(_ body: (inout FaceSwitches) -> Void) { board.withLock { body(&$0.switches) } }

    /// Whether the exposure follows faces now.
    var isExposing: Bool { board.withLock { $0.isExposing } }
    /// Whether the focus follows faces now.
    var isFocusing: Bool { board.withLock { $0.isFocusing } }

    /// Leaves the camera alone while something else sets its exposure.
    func pause(_ isPaused: Bool) { board.withLock { $0.isPaused = isPaused } }

    /// Takes in what is known of a frame of `run`. Never blocks for long.
    func follow(_ facts: FrameFacts, _ run: SessionRun) {
        // Other sources have no controls.
        guard run.desk.presentRotation != nil, run.description.clock == .monotonic else { return }
        board.withLock { board in
            board.facts = facts
            let mayBegin = board.switches.exposure.allows || board.switches.focus.allows
            guard facts.faces?.isEmpty == false, mayBegin, !board.isRunning, !run.desk.hasEnded else { return }
            guard board.retry.map({ facts.time >= $0 }) ?? true else { return }
            // It has ended, so this does not wait.
            board.thread.take()?.join()
            // Without a thread, the camera goes on deciding by itself.
            guard let thread = try? SystemThread(name: "faces", { self.attend(run, from: facts.time) }) else { return }
            board.thread = thread
            board.isRunning = true
        }
    }

    /// Waits until the camera is as it was before. To be called once the stream has ended.
    func finish() {
        let thread = board.withLock { board in
            board.facts = nil
            return board.thread.take()
        }
        thread?.join()
    }

    // MARK: The thread

    private func attend(_ run: SessionRun, from time: Timestamp) {
        var frames = FrameSubscription(to: run.ring)
        let brightness = FrameBrightness(run.description.format)
        guard let camera = camera(run) else { return leave(until: time + FaceExposureLoop.patience) }
        var metering = FaceMetering(
            camera, size: run.description.format.size, interval: run.desk.interval)
        var epoch: UInt32?
        // Frames before it may show nothing of the last setting.
        var first: UInt64 = 0
        while true {
            switch frames.next(until: .now + longestGap) {
            case .frame(let lease):
                let frame = lease.metadata
                if let before = epoch, before != frame.id.epoch {
                    report(metering.end(.cameraAway), metering)
                    if let camera = self.camera(run) { metering.goOn(with: camera) }
                }
                epoch = frame.id.epoch
                guard frame.id.counter >= first, frame.isUsable else { continue }
                let now = board.withLock { ($0.switches, $0.isPaused) }
                guard !now.1 else { continue }
                let changes = metering.frame(at: frame.time, faces(at: frame.time), now.0) { faces in
                    lease.withBytes { brightness?.mean(of: $0, in: faces.map(\.box.inner)) }
                }
                report(changes, metering)
                if metering.hasSet { first = run.ring.nextCounter }
                if metering.isIdle(at: frame.time), mayLeave(at: frame.time) { return }
            case .timedOut:
                report(metering.end(.cameraAway), metering)
                // Begun anew by the first face after the absence.
                guard metering.isOwing else { return leave() }
            case .ended:
                report(metering.end(.cameraAway), metering)
                return leave()
            }
        }
    }

    /// The faces that are in a frame, as far as is known: looking for them takes some frames.
    private func faces(at time: Timestamp) -> [FaceFacts] {
        guard let facts = board.withLock({ $0.facts }), time - facts.time < FaceExposureLoop.patience else { return [] }
        return facts.faces ?? []
    }

    private func report(_ changes: [SessionEvent], _ metering: FaceMetering) {
        guard !changes.isEmpty else { return }
        let active = metering.isActive
        board.withLock { board in
            board.isExposing = active.exposure
            board.isFocusing = active.focus
        }
        for change in changes { events.add(change) }
    }

    /// Ends the thread, unless a face has been seen meanwhile.
    private func mayLeave(at time: Timestamp) -> Bool {
        board.withLock { board in
            if let facts = board.facts, facts.faces?.isEmpty == false, time - facts.time < FaceExposureLoop.patience {
                return false
            }
            board.isRunning = false
            return true
        }
    }

    private func leave(until retry: Timestamp? = nil) {
        board.withLock { board in
            board.isRunning = false
            board.retry = retry
        }
    }

    private static func node(of run: SessionRun) -> ControlNode? {
        let identity = (run.desk.presentSource ?? run.description).identity
        return try? ControlNode(CameraDirectory().camera(named: identity).path)
    }
}
