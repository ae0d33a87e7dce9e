// SPDX-License-Identifier: MIT
// What the session and its select thread tell the desk of the stream, and what they may ask.

import Camera
import Fusion
import LivecapDeveloping
import LivecapFrames

extension Desk {
    /// Notes that the stream starts. Returns false if it was stopped before, and so must not start.
    func startStream() -> Bool {
        update { state in
            guard !state.stream.isStopping else { return false }
            state.stream.phase = .running
            return true
        }
    }

    /// Refuses taps from here on.
    func stopStream() { update { $0.stream.isStopping = true } }

    /// Leaves new taps, readiness and most of the memory to another desk.
    func retire() {
        update { state in
            state.stream.isRetired = true
            state.frames.shelf.shrink(to: Fuser.maxFrames)
        }
    }

    /// Whether another desk takes the taps of now.
    var isRetired: Bool { state.withLock { $0.stream.isRetired } }

    /// Handles the end of the stream: shots that have their frames are finished, all others fail.
    func streamEnded(_ failure: CameraError?) {
        update { state in
            // The first reason to end is the one reported.
            if !state.stream.hasEnded { state.stream.phase = .ended(failure) }
            serveWaiting(&state)
        }
    }

    /// Notes that the stream is interrupted. While the camera is away, shots that have their frames are finished with
    /// them, and others fail.
    func streamInterrupted(by cause: CaptureLoop.Interruption.Cause) {
        update { state in
            state.stream.isInterrupted = true
            switch cause {
            case .restart: state.stream.absence = nil
            case .unplugged: state.stream.absence = .cameraAway
            case .busy(let error): state.stream.absence = .cameraBusy(error)
            case .switchedOff:
                state.stream.absence = nil
                (state.stream.isExposureSettled, state.stream.isExposureDone) = (false, false)
            }
            if state.stream.absence != nil { serveWaiting(&state) }
        }
    }

    /// Notes that the stream runs again since `time`, its first frame's.
    func streamResumed(at time: Timestamp) {
        update { state in
            (state.stream.isInterrupted, state.stream.absence) = (false, nil)
            guard state.power.phase != .on else { return }
            (state.power.phase, state.power.lastNeed) = (.on, .now)
            state.power.gap?.end = time
        }
    }

    /// Notes that another source took the place of the first.
    func streamMoved(to source: SourceDescription, _ rotation: RotationCoordinator?, firstFrame: UInt64) {
        rotation?.follow()
        update { $0.stream.successors.append((source, rotation, firstFrame)) }
    }

    /// The source that delivers now; nil if it is the stream's first.
    var presentSource: SourceDescription? { state.withLock { $0.stream.successors.last?.source } }

    /// How the camera that delivers now is mounted and held.
    var presentRotation: RotationCoordinator? {
        state.withLock { state in
            guard let successor = state.stream.successors.last else { return rotation }
            return successor.rotation
        }
    }

    /// The source that delivered a frame, and how it is mounted, if it is not the stream's first.
    func successor(of frame: FrameID) -> (source: SourceDescription, rotation: RotationCoordinator?)? {
        state.withLock { state in
            state.stream.successors.last { $0.firstFrame <= frame.counter }.map { ($0.source, $0.rotation) }
        }
    }

    /// What the camera was set to by hand when it took a frame. It may be set to a longer exposure than it has between
    /// two frames, which then is the limit.
    func manualSettings(of frame: FrameMetadata) -> ManualSettings {
        let spacing = state.withLock { $0.stream.spacing }
        var manual = frame.manual
        manual.exposure = manual.exposure.map { min($0, max(spacing, description.interval)) }
        return manual
    }

    /// Notes whether the exposure holds still, and whether waiting for that is over. Returns whether it was over
    /// before.
    func exposureChanged(isSettled: Bool, isDone: Bool) -> Bool {
        update { state in
            defer { (state.stream.isExposureSettled, state.stream.isExposureDone) = (isSettled, isDone) }
            return state.stream.isExposureDone
        }
    }

    /// How long prepared frames are kept for the next shot.
    private static let restsAfter = Duration.seconds(5)

    /// Handles a new frame.
    func frameArrived(_ frame: FrameMetadata) {
        traceFrame(frame)
        let isAwaited = change { state in
            // Without a shot in progress, threads wait only for the first frame. Waking them costs more than everything
            // else in this method.
            let isAwaited = state.stream.firstTime == nil || state.shots.inProgress > 0
            state.stream.spacing = state.stream.newestTime.map { frame.time - $0 } ?? .zero
            state.stream.newestTime = frame.time
            // A last one that was on its way when the camera was switched off.
            if state.power.phase != .on { state.power.gap?.begin = frame.time }
            if state.stream.firstTime == nil {
                state.stream.firstTime = frame.time
                for shot in state.shots.waiting where shot.waiting.moment == nil {
                    // Later frames may be there by now; a tap `now` from before the first frame gets the first frame.
                    shot.waiting.moment = shot.tap == .now ? frame.time : try? moment(of: shot, state)
                }
                state.shots.waiting.sort { $0.precedes($1) }
            }
            serveWaiting(&state)
            switchOffIfIdle(&state)
            return restIfIdle(at: frame.time, &state) || isAwaited
        }
        if isAwaited { bell.ring() }
    }

    /// Gives back the memory of prepared frames once no shot has had frames for long. Returns whether there is any.
    private func restIfIdle(at time: Timestamp, _ state: inout State) -> Bool {
        if state.shots.processing > 0 { state.frames.lastUse = time }
        guard let last = state.frames.lastUse, time - last >= Self.restsAfter else { return false }
        state.frames.lastUse = nil
        state.frames.shelf.rest()
        return state.frames.shelf.hasSurplus
    }

    /// Handles time passing without a frame.
    func tick() {
        update { state in
            serveWaiting(&state)
            if state.stream.isInterrupted, state.shots.processing == 0 { state.frames.shelf.rest() }
        }
    }

    /// Notes the pressure on the machine, for shots that resolve their settings from now on.
    func pressureChanged(_ pressure: SystemPressure) { update { $0.estimates.pressure = pressure.level } }

    /// The highest rate of pictures under pressure; nil for no limit. Sources at the fast pace have their own.
    func maxRate(at level: SystemPressure.Level) -> FrameRate? { isFast ? nil : pressurePolicy.maxRate[level] }

    /// Whether no more frames will come.
    var hasEnded: Bool { state.withLock { $0.stream.hasEnded } }
    /// Whether the stream is being stopped, or was.
    var isStopping: Bool { state.withLock { $0.stream.isStopping } }
    /// Whether the exposure has settled or timed out.
    var isExposureDone: Bool { state.withLock { $0.stream.isExposureDone } }
    /// Whether the stream has ended and nothing is left to do.
    var isDone: Bool { state.withLock { $0.stream.hasEnded && $0.shots.inProgress == 0 } }
    /// Whether a shot that is due waits for room, for a caller that could make the source wait.
    var isHoldingUp: Bool { state.withLock { $0.shots.shortOfRoom > 0 } }

    /// The output's switches.
    var switches: Switches { state.withLock { $0.switches } }
    func changeSwitches(_ change: (inout Switches) -> Void) {
        update { state in
            let overlapped = state.switches.isResponsive
            change(&state.switches)
            guard state.switches.isResponsive != overlapped, !state.stream.isRetired else { return }
            // Shots that do not overlap need the frames of one.
            if overlapped {
                state.frames.shelf.shrink(to: Fuser.maxFrames)
            } else {
                state.frames.shelf.grow(to: plan.frames)
            }
        }
    }

    /// The number of shots that are neither done nor failed.
    var shotsInProgress: Int { state.withLock { $0.shots.inProgress } }
    /// Waits until no shot is in progress. To be called when neither frames nor taps will come any more.
    func waitUntilDone() { bell.wait { shotsInProgress == 0 } }

    /// The shape frames are fused as; nil until it is known, and if frames cannot be fused.
    var shape: FrameShape? { state.withLock { $0.frames.shape } }
}
