// SPDX-License-Identifier: MIT
// What the state of the shots means for the next tap.

import Frames

extension Desk {
    /// Writes what the next tap would meet into `machine`.
    func describe(_ state: borrowing State, in machine: inout ReadinessMachine) {
        machine.isRunning = state.stream == .running
        machine.hasFrame = state.firstTime != nil
        machine.isSettled = state.isExposureDone
        machine.isInterrupted = state.isInterrupted
        machine.isResponsive = state.isResponsive
        machine.waiting = state.dueCount
        machine.mostWaiting = SessionOptions.mostWaiting
        machine.processing = state.processing
        machine.hasRoom = hasRoom(state)
        // Only where it is asked for: shots on their way are many.
        switch machine.state {
        case .notReadyWaitingForProcessing: machine.waitForProcessing = waitForRoom(state, .now)
        case .notReadyWaitingForCapture: machine.waitForCapture = waitForCapture(state, .now)
        default: (machine.waitForCapture, machine.waitForProcessing) = (nil, nil)
        }
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
