// SPDX-License-Identifier: MIT
// How long to wait for a frame before the stream counts as stuck, and how often to start it again.

import Frames

/// Decides when a silent or failing stream is started anew and when it is given up. A pure state machine.
struct StallWatchdog {
    /// What to do about a silence or a failure.
    enum Verdict: Hashable {
        case wait
        case restart
        case giveUp(after: TimeSpan)
    }

    /// Cameras have been seen to need seconds for their first frame.
    private static let firstFramePatience = TimeSpan.milliseconds(4000)
    /// The least patience between frames; automatic exposure alone stretches 33 ms to 200.
    private static let leastPatience = TimeSpan.milliseconds(1500)
    /// Patience in frame intervals.
    private static let patienceInFrames: Int64 = 10
    /// Restarts without a second of frames in between before the stream is given up.
    private static let mostRestarts = 2
    /// A stream that delivers a frame and fails again has not recovered.
    private static let recovery = TimeSpan.milliseconds(1000)

    private var silentSince: Timestamp
    private var startedAt: Timestamp
    private var hasFrame = false
    private var restarts = 0
    private var restartedAt = Timestamp.zero

    /// A stream started at `now`.
    init(now: Timestamp) {
        startedAt = now
        silentSince = now
    }

    /// A frame came.
    mutating func noteFrame(now: Timestamp) {
        hasFrame = true
        if restarts > 0 && now - restartedAt >= Self.recovery { restarts = 0 }
        startedAt = now
        silentSince = now
    }

    /// How long a stream of this interval may be silent.
    func patience(interval: TimeSpan) -> TimeSpan {
        let usual = max(Self.leastPatience, interval * Self.patienceInFrames)
        return hasFrame ? usual : max(usual, Self.firstFramePatience)
    }

    /// No frame has come by `now`.
    mutating func noteSilence(now: Timestamp, interval: TimeSpan) -> Verdict {
        if now - startedAt < patience(interval: interval) { return .wait }
        return noteFailure(now: now)
    }

    /// The stream failed at `now`.
    mutating func noteFailure(now: Timestamp) -> Verdict {
        guard restarts < Self.mostRestarts else { return .giveUp(after: now - silentSince) }
        restarts += 1
        (startedAt, restartedAt) = (now, now)
        return .restart
    }
}
