// SPDX-License-Identifier: MIT
// What the state of the shots means for the next tap.

import Frames

extension Desk {
    /// Writes what the next tap would meet into `machine`.
    func describe(_ state: inout State, in machine: inout ReadinessMachine) {
        machine.isRunning = state.stream == .running
        machine.hasFrame = state.firstTime != nil
        machine.isSettled = state.isExposureDone
        machine.isInterrupted = state.isInterrupted
        machine.isResponsive = state.isResponsive
        machine.waiting = state.dueCount
        machine.mostWaiting = SessionOptions.mostWaiting
        machine.processing = state.processing
        machine.hasRoom = hasRoom(state)
        let now = Timestamp.now
        switch machine.state {
        case .notReadyWaitingForProcessing where machine.waitForProcessing != nil && isFresh(state, now): break
        case .notReadyWaitingForProcessing:
            (machine.waitForProcessing, state.forecastMade) = (waitForRoom(state, now), now)
        case .notReadyWaitingForCapture: machine.waitForCapture = waitForCapture(state, now)
        default: (machine.waitForCapture, machine.waitForProcessing) = (nil, nil)
        }
    }

    /// Whether the last forecast will do. While shots are played forward nobody else has the state; where very many wait, they are
    /// not played forward at every change, and a hundredth of a second is nothing to them.
    private func isFresh(_ state: borrowing State, _ now: Timestamp) -> Bool {
        state.dueCount > 16 && now - state.forecastMade < .milliseconds(10)
    }

    /// Until the last frame of the shot that waits longest is there, and, where shots do not overlap, that shot is done.
    private func waitForCapture(_ state: borrowing State, _ now: Timestamp) -> TimeSpan? {
        guard state.isResponsive else { return waitForRoom(state, now) }
        guard let shot = state.waiting.prefix(state.dueCount).last, let frames = frames(of: shot) else { return nil }
        return wait(for: frames.upperBound, now)
    }

    /// What prioritization makes of a tap.
    func prioritize(_ quality: PhotoQuality, at moment: Timestamp, _ state: inout State) -> ShotPriority {
        state.prioritizer.isEnabled = state.isPrioritizing
        // At the fast pace nothing may depend on how long things take here.
        return state.prioritizer.prioritize(
            ShotRequest(
                tap: moment, asked: quality, backlog: isFast ? 0 : state.processing,
                durations: isFast ? [:] : state.times.durations, workers: workers))
    }
}
