// SPDX-License-Identifier: MIT
// Which frames are taken so that no more than a rate remains.

import LivecapFrames

/// Chooses frames at a rate: those nearest to its beat, because cameras' frames do not come exactly on time. So a half
/// of a camera's frames is every second one.
struct RateLimit: Sendable {
    private let interval: Duration?
    /// How early a frame may be.
    private let tolerance: Duration
    private var due: Timestamp?

    /// No more than `rate` of frames that come at a rate of `frames`.
    init(_ rate: FrameRate?, of frames: FrameRate?) {
        interval = rate?.interval
        let beat = rate?.interval ?? .zero
        tolerance = min(beat / 2, frames.map { $0.interval / 2 } ?? beat / 4)
    }

    /// Whether it is the same as `other`, but for its beat.
    func hasRate(of other: RateLimit) -> Bool { interval == other.interval && tolerance == other.tolerance }

    /// Whether the frame of `time` is taken.
    mutating func admits(_ time: Timestamp) -> Bool {
        guard let interval else { return true }
        guard let expected = due else {
            due = time + interval
            return true
        }
        let early = expected - time
        // A clock that was set back, as a recording's at its second run, begins anew.
        guard early < tolerance || early > interval * 2 else { return false }
        // After a gap, nothing is made up for.
        let isOnTime = early > .zero - interval && early < tolerance
        due = (isOnTime ? expected : time) + interval
        return true
    }
}
