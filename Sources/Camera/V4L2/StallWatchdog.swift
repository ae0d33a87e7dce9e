// SPDX-License-Identifier: MIT
// How long to wait for a frame before the stream counts as stalled, and how often to restart it.

import LivecapFrames

/// Decides when to restart a silent or failing stream and when to give up. A pure state machine.
struct StallWatchdog {
    /// The response to a silence or a failure.
    enum Verdict: Hashable {
        case wait
        case restart
        case giveUp(after: Duration)
    }

    /// Some cameras need seconds to deliver their first frame.
    private static let firstFramePatience = Duration.milliseconds(4000)
    /// The minimum patience between frames. Automatic exposure alone can stretch 33 ms to 200 ms.
    private static let leastPatience = Duration.milliseconds(1500)
    /// Patience in frame intervals.
    private static let patienceInFrames: Int64 = 10
    /// The maximum number of restarts before giving up, unless frames flow for a second in between.
    private static let maxRestarts = 2
    /// A stream that delivers a frame and then fails again has not recovered.
    private static let recovery = Duration.milliseconds(1000)

    private var silentSince: Timestamp
    private var startedAt: Timestamp
    private var hasFrame = false
    private var restarts = 0
    private var restartedAt = Timestamp.zero

    /// Creates a watchdog for a stream started at `now`.
    init(now: Timestamp) {
        startedAt = now
        silentSince = now
    }

    /// Records that a frame arrived.
    mutating func noteFrame(now: Timestamp) {
        hasFrame = true
        if restarts > 0 && now - restartedAt >= Self.recovery { restarts = 0 }
        startedAt = now
        silentSince = now
    }

    /// How long a stream with this interval may be silent.
    func patience(interval: Duration) -> Duration {
        let usual = max(Self.leastPatience, interval * Self.patienceInFrames)
        return hasFrame ? usual : max(usual, Self.firstFramePatience)
    }

    /// Decides what to do if no frame has arrived by `now`.
    mutating func noteSilence(now: Timestamp, interval: Duration) -> Verdict {
        if now - startedAt < patience(interval: interval) { return .wait }
        return noteFailure(now: now)
    }

    /// Decides what to do about a failure at `now`.
    mutating func noteFailure(now: Timestamp) -> Verdict {
        guard restarts < Self.maxRestarts else { return .giveUp(after: now - silentSince) }
        restarts += 1
        (startedAt, restartedAt) = (now, now)
        return .restart
    }
}
