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
        let now = Timestamp.now
        machine.waitForCapture = waitForCapture(state, now)
        machine.waitForProcessing = waitForProcessing(state, now)
    }

    /// Until the last frame of the shot that waits longest is there, and, where shots do not overlap, that shot is done.
    private func waitForCapture(_ state: borrowing State, _ now: Timestamp) -> TimeSpan? {
        guard let shot = state.waiting.prefix(state.dueCount).last, let moment = shot.moment else { return nil }
        // A clock of the source's own stands still between frames.
        let newest = description.clock == .monotonic ? now : ring.newestTime ?? moment
        let due = moment + interval * Int64(shot.resolved?.after ?? shot.settings.after)
        let frames = max(due - newest, .zero)
        guard !state.isResponsive else { return frames }
        let quality = shot.resolved?.quality ?? shot.settings.quality
        return state.estimator.waitForProcessing(of: [WaitEstimator.Shot(quality)], workers: 1).map { frames + $0 }
    }

    private func waitForProcessing(_ state: borrowing State, _ now: Timestamp) -> TimeSpan? {
        func quality(_ shot: Shot) -> PhotoQuality { shot.resolved?.quality ?? shot.settings.quality }
        let inWork = state.inWork.values.sorted { $0.taken < $1.taken }.map {
            WaitEstimator.Shot(quality($0), elapsed: now - $0.taken)
        }
        let queued = (state.ready + state.reading).map { WaitEstimator.Shot(quality($0)) }
        return state.estimator.waitForProcessing(
            of: inWork + queued, workers: workers, untilLeft: state.isResponsive ? plan.shots - 1 : 0)
    }

    /// What prioritization makes of a tap.
    func prioritize(_ quality: PhotoQuality, at moment: Timestamp, _ state: inout State) -> ShotPriority {
        state.prioritizer.isEnabled = state.isPrioritizing
        // At the fast pace nothing may depend on how long things take here.
        return state.prioritizer.prioritize(
            ShotRequest(
                tap: moment, asked: quality, backlog: isFast ? 0 : state.processing,
                durations: isFast ? [:] : state.estimator.durations, workers: workers))
    }
}
