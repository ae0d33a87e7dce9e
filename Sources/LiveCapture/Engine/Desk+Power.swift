// SPDX-License-Identifier: MIT
// Switches the camera off while nothing needs it, and on again at the first need.

import Camera
import LivecapFrames

/// What is known of the camera's power. A value: the desk's lock guards it.
struct PowerState {
    enum Phase: Hashable {
        case on
        case off
        /// Switched on, and its first frame has not come.
        case waking
    }

    var phase = Phase.on
    /// How many programs' parts keep it on.
    var uses = 0
    /// When it was last needed.
    var lastNeed = Timestamp.now
    /// The latest time without frames, because it was off. It ends with the first frame after that.
    var gap: (begin: Timestamp, end: Timestamp)?

    /// How long before a moment the camera is switched on for it: opening it and settling its exposure take seconds.
    private static let lead = Duration.seconds(10)

    /// A press is a little older than its request. A moment further back was meant to be in the history.
    private static let oldestPress = Duration.seconds(1)

    /// Whether the camera has to be on for a photo of this moment. One whose moment is unknown waits for the first
    /// frame.
    static func isNeeded(for moment: Timestamp?, at now: Timestamp) -> Bool { moment.map { $0 - lead <= now } ?? true }

    /// Whether a photo of this moment is to wait for the camera: it was off, and was switched on for it.
    func delays(_ moment: Timestamp, requested: Timestamp) -> Bool {
        guard let gap, gap.begin < moment, moment < gap.end else { return false }
        return requested - moment <= Self.oldestPress
    }
}

extension Desk {
    /// Switches the camera on if it is needed. Called after each change of the state.
    func noteNeed(_ state: inout State) {
        guard power != nil, isCameraNeeded(state) else { return }
        wake(&state)
    }

    private func isCameraNeeded(_ state: borrowing State) -> Bool {
        if state.power.uses > 0 || state.shots.processing > 0 || readiness.isTracking { return true }
        guard let next = state.shots.waiting.first else { return false }
        return PowerState.isNeeded(for: next.waiting.moment, at: .now)
    }

    /// Notes that the camera is needed now.
    private func wake(_ state: inout State) {
        state.power.lastNeed = .now
        guard let power, state.power.phase == .off else { return }
        if power.switchOn() {
            state.power.phase = .waking
        } else {
            // It had not left yet, and delivers frames as before.
            (state.power.phase, state.power.gap) = (.on, nil)
        }
    }

    /// Switches the camera off if nothing has needed it for long.
    func switchOffIfIdle(_ state: inout State) {
        guard let power, let idleOff, state.power.phase == .on, state.stream.phase == .running,
            state.stream.isExposureDone, !state.stream.isInterrupted, !state.stream.isStopping,
            !isCameraNeeded(state), Timestamp.now - state.power.lastNeed >= idleOff, let newest = ring.newestTime
        else { return }
        state.power.phase = .off
        state.power.gap = (newest, .distantFuture)
        power.switchOff()
    }

    /// Notes that somebody is about to need the camera, although there is no shot yet.
    func wakeCamera() { update { wake(&$0) } }

    /// Keeps the camera on until `releaseCamera` is called as often.
    func useCamera() { update { $0.power.uses += 1 } }
    func releaseCamera() { update { $0.power.uses -= 1 } }

    /// Whether the camera is off, or about to be.
    var isCameraOff: Bool { state.withLock { $0.power.phase == .off } }

    /// The moment that a shot's frames are chosen for: its own, or, if the camera was off then, that of the first frame
    /// whose exposure had settled. Nil while that has to come.
    func aim(of shot: Shot, at moment: Timestamp, _ state: borrowing State) -> Timestamp? {
        if let aim = shot.waiting.aim { return aim }
        guard state.power.delays(moment, requested: shot.requested) else { return moment }
        let mayWait = Timestamp.now < shot.requested + patience.firstFrame
        guard state.power.phase == .on, let aim = ring.newestTime else { return mayWait ? nil : moment }
        if mayWait, !state.stream.isExposureDone { return nil }
        shot.waiting.aim = aim
        return aim
    }
}
