// SPDX-License-Identifier: MIT
// From what is known of the stream and the shots to one of five states. No clock, no threads.

import Frames

/// The facts readiness follows from, and the state they make. Whoever learns of a fact sets it.
///
/// The stream's facts begin anew with every start: what a stream before has shown says nothing of this one. So the only way out
/// of `notRunning` is to `notReadyMomentarily`.
package struct ReadinessMachine: Hashable, Sendable {
    /// Frames are asked for.
    package var isRunning = false {
        didSet {
            guard isRunning != oldValue else { return }
            (hasFrame, isSettled, isInterrupted) = (false, false, false)
        }
    }
    /// The first of them has come.
    package var hasFrame = false
    /// The exposure has settled, or need not.
    package var isSettled = false
    /// The stream is being restarted.
    package var isInterrupted = false

    /// Shots may be captured while others are being processed.
    package var isResponsive = false
    /// Requests that were announced and not handed over yet: the coordinator's to count.
    package internal(set) var tracked = 0 {
        didSet { precondition(tracked >= 0, "a request ends once") }
    }
    /// Requests that wait for their frames.
    package var waiting = 0 {
        didSet { precondition(waiting >= 0, "a shot ends once") }
    }
    /// As many as may wait at once, where capture is responsive.
    package var mostWaiting = 1
    /// Shots that have their frames and are not stored yet.
    package var processing = 0 {
        didSet { precondition(processing >= 0, "a shot ends once") }
    }
    /// There is memory and room in the queue for one more.
    package var hasRoom = true

    /// How long the next request would have to wait for the ones that wait for frames, where that is known.
    package var waitForCapture: TimeSpan?
    /// How long it would have to wait for the ones that are processed, where that is known.
    package var waitForProcessing: TimeSpan?

    /// A session that has not been started.
    package init() {}

    /// What a tap would meet.
    package var state: CaptureReadiness {
        guard isRunning else { return .notRunning }
        guard hasFrame, isSettled, !isInterrupted else { return .notReadyMomentarily }
        let requests = tracked + waiting
        if isResponsive {
            // Room comes first: more frames are of no use where nothing can be done with them.
            guard hasRoom else { return .notReadyWaitingForProcessing }
            return requests < mostWaiting ? .ready : .notReadyWaitingForCapture
        }
        guard requests == 0 else { return .notReadyWaitingForCapture }
        return processing == 0 ? .ready : .notReadyWaitingForProcessing
    }

    /// The state, and how long it lasts.
    package var readiness: Readiness {
        let wait: TimeSpan? =
            switch state {
            case .ready: .zero
            case .notReadyWaitingForCapture: waitForCapture
            case .notReadyWaitingForProcessing: waitForProcessing
            case .notRunning, .notReadyMomentarily: nil
            }
        return Readiness(state, estimatedWait: wait)
    }
}
