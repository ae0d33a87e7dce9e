// SPDX-License-Identifier: MIT
// Detects lost frames from the driver's sequence numbers and times.

import LivecapFrames

/// Follows a stream's sequence numbers. A pure state machine: no clock, no device.
struct SequenceTracker {
    /// What a frame's number and time reveal.
    enum Verdict: Hashable {
        /// The first of a stream.
        case first
        /// Directly follows the previous frame.
        case next
        /// This many frames are missing in between.
        case lost(UInt32)
        /// The numbers are continuous but much time has passed: the camera itself skipped frames.
        case late
        /// The numbers started anew, after a resume or a reset.
        case restarted
    }

    /// After more than this many intervals without a frame, frames are assumed to be missing. If it was the exposure
    /// that got longer, `interval` grows towards it, so that later frames do not count as late.
    private static let lateFactor: Int64 = 3

    private var last: (sequence: UInt32, time: Timestamp)?
    private(set) var interval: Duration

    /// Creates a tracker for a stream with this nominal interval.
    init(interval: Duration) { self.interval = interval }

    /// Records a frame. Numbers wrap around at 2^32.
    mutating func note(sequence: UInt32, time: Timestamp) -> Verdict {
        guard let last else {
            self.last = (sequence, time)
            return .first
        }
        let elapsed = time - last.time
        let step = sequence &- last.sequence
        self.last = (sequence, time)
        guard step < 1 << 31 else { return .restarted }
        // Some drivers that number frames by the clock repeat a number; nothing is missing then.
        if step == 0 { return .next }
        if step > 1 { return .lost(step - 1) }
        if elapsed > interval * Self.lateFactor {
            // The light may have gone out. The longer interval is then the new normal and not a gap next time.
            interval = min(elapsed, interval * 2)
            return .late
        }
        // Follows changes in exposure over about eight frames.
        if elapsed > .zero { interval = (interval * 7 + elapsed) / 8 }
        return .next
    }

    /// Forgets the last frame, because the stream was restarted and its numbers start anew.
    mutating func restart() { last = nil }
}
