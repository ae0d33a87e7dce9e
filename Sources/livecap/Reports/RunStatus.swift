// SPDX-License-Identifier: MIT
// The progress line of a run.

import LiveCapture
import LivecapFrames

/// What a run is doing, such as "ready, 12 pictures, 2 in progress, the last took 34 ms".
struct RunStatus {
    var readiness: Readiness
    /// Whether the camera is waited for.
    var isAway = false
    var taken = 0
    /// What becomes of the movie, if one is made.
    var movie: String?
    var inProgress = 0
    /// From the last picture's tap to its file; nil before the first one, and on a source with a clock of its own.
    var lastTook: Duration?
    var dropped = 0

    var words: String {
        var words = isAway ? "waiting for the camera" : readiness.inWords
        words += ", \(counted(taken, "picture"))"
        if let movie { words += ", \(movie)" }
        if inProgress > 0 { words += ", \(inProgress) in progress" }
        if let lastTook { words += ", the last took \(fixed(lastTook.milliseconds, 0)) ms" }
        return dropped > 0 ? words + ", \(dropped) frames dropped" : words
    }
}

extension Photo {
    /// How long it took from its tap to its file, on a source that has this machine's clock. A moment of the past
    /// counts from when it was asked for.
    var took: Duration { finished - max(requested, tap) }
}

extension Readiness {
    /// A description for the status line.
    fileprivate var inWords: String {
        let wait = estimatedWait.map { ", about \(fixed($0.milliseconds, 0)) ms" } ?? ""
        return switch state {
        case .notRunning: "not running"
        case .ready: "ready"
        case .notReadyMomentarily: "in a moment"
        case .notReadyCameraOff: "camera off until the next tap"
        case .notReadyWaitingForCapture: "waiting for frames\(wait)"
        case .notReadyWaitingForProcessing: "busy\(wait)"
        }
    }
}
