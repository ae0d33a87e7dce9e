// SPDX-License-Identifier: MIT
// Derives readiness for the next tap from the state of the shots.

import LivecapDeveloping
import LivecapFrames

extension Desk {
    /// Sets `machine` to the conditions the next tap would meet.
    func describe(_ state: inout State, in machine: inout ReadinessMachine) {
        machine.isRunning = state.stream.phase == .running && state.stream.absence == nil && !state.stream.isRetired
        machine.isCameraOff = state.power.phase == .off
        machine.hasFrame = state.stream.firstTime != nil
        machine.isSettled = state.stream.isExposureDone
        machine.isInterrupted = state.stream.isInterrupted || state.power.phase != .on
        machine.isResponsive = state.switches.isResponsive
        machine.waiting = state.shots.dueCount
        machine.maxWaiting = SessionOptions.maxWaiting
        machine.processing = state.shots.processing
        machine.hasRoom = hasRoom(state)
        let now = Timestamp.now
        switch machine.state {
        case .notReadyWaitingForProcessing where machine.waitForProcessing != nil && isFresh(state, now): break
        case .notReadyWaitingForProcessing:
            (machine.waitForProcessing, state.estimates.forecastMade) = (waitForRoom(state, now), now)
        case .notReadyWaitingForCapture: machine.waitForCapture = waitForCapture(state, now)
        default: (machine.waitForCapture, machine.waitForProcessing) = (nil, nil)
        }
    }

    /// Whether the last forecast is still good enough. A forecast holds the lock while it simulates the shots. With
    /// very many shots waiting it is therefore not repeated on every change: an error of a hundredth of a second does
    /// not matter to them.
    private func isFresh(_ state: borrowing State, _ now: Timestamp) -> Bool {
        state.shots.dueCount > 16 && now - state.estimates.forecastMade < .milliseconds(10)
    }

    /// The time until the last frame of the longest-waiting shot is there and, if shots do not overlap, until that shot
    /// is done.
    private func waitForCapture(_ state: borrowing State, _ now: Timestamp) -> Duration? {
        guard state.switches.isResponsive else { return waitForRoom(state, now) }
        guard let shot = state.shots.waiting.prefix(state.shots.dueCount).last, let frames = frames(of: shot) else {
            return nil
        }
        return wait(for: frames.upperBound, now)
    }

    /// The quality that prioritization and pressure give a tap.
    func prioritize(_ quality: PhotoQuality, at moment: Timestamp, _ state: inout State) -> ShotPriority {
        state.estimates.prioritizer.isEnabled = state.switches.isPrioritizing
        // At the fast pace no decision may depend on this machine.
        var priority = state.estimates.prioritizer.prioritize(
            ShotRequest(
                tap: moment, asked: quality, backlog: isFast ? 0 : state.shots.processing,
                durations: isFast ? [:] : state.estimates.times.durations, workers: workers))
        let limited = pressurePolicy.limited(priority.given, at: isFast ? .nominal : state.estimates.pressure)
        priority.isRelieved = limited != priority.given
        priority.given = limited
        return priority
    }
}
