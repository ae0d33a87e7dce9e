// SPDX-License-Identifier: MIT
// Derives one of six states from what is known of the stream and the shots. No clock, no threads.

import LivecapFrames

/// The conditions that determine readiness, and the resulting state. The code that learns of a condition sets it.
///
/// The conditions of the stream are reset at every start, because an earlier stream says nothing about this one. The
/// only way out of `notRunning` therefore leads to `notReadyMomentarily`.
package struct ReadinessMachine: Hashable, Sendable {
    /// Frames have been requested from the source.
    package var isRunning = false {
        didSet {
            guard isRunning != oldValue else { return }
            (hasFrame, isSettled, isInterrupted, isCameraOff) = (false, false, false, false)
        }
    }
    /// The first frame has arrived.
    package var hasFrame = false
    /// The exposure has settled, or is not waited for.
    package var isSettled = false
    /// The stream is being restarted.
    package var isInterrupted = false

    /// The camera is switched off until somebody needs it.
    package var isCameraOff = false

    /// Shots may be captured while others are being processed.
    package var isResponsive = false
    /// Requests that were announced and not made yet; counted by the coordinator.
    package internal(set) var tracked = 0 {
        didSet { precondition(tracked >= 0, "a request ends once") }
    }
    /// Requests that wait for their frames.
    package var waiting = 0 {
        didSet { precondition(waiting >= 0, "a shot ends once") }
    }
    /// The maximum number of requests that may wait at once, if capture is responsive.
    package var maxWaiting = 1
    /// Shots that have their frames and are not stored yet.
    package var processing = 0 {
        didSet { precondition(processing >= 0, "a shot ends once") }
    }
    /// There is memory, and room in the queue, for one more shot.
    package var hasRoom = true

    /// How long the next request would wait for those that wait for frames, if known.
    package var waitForCapture: Duration?
    /// How long it would wait for those being processed, if known.
    package var waitForProcessing: Duration?

    /// A session that has not been started.
    package init() {}

    /// The readiness for a tap now.
    package var state: CaptureReadiness {
        guard isRunning else { return .notRunning }
        if isCameraOff, tracked + waiting == 0 { return .notReadyCameraOff }
        guard hasFrame, isSettled, !isInterrupted else { return .notReadyMomentarily }
        let requests = tracked + waiting
        if isResponsive {
            // Room comes first: more frames are of no use if they cannot be processed.
            guard hasRoom else { return .notReadyWaitingForProcessing }
            return requests < maxWaiting ? .ready : .notReadyWaitingForCapture
        }
        guard requests == 0 else { return .notReadyWaitingForCapture }
        return processing == 0 ? .ready : .notReadyWaitingForProcessing
    }

    /// The state, and how long it lasts.
    package var readiness: Readiness {
        let wait: Duration? =
            switch state {
            case .ready: .zero
            case .notReadyWaitingForCapture: waitForCapture
            case .notReadyWaitingForProcessing: waitForProcessing
            case .notRunning, .notReadyMomentarily, .notReadyCameraOff: nil
            }
        return Readiness(state, estimatedWait: wait)
    }
}
