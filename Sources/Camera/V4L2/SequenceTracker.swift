// SPDX-License-Identifier: MIT
// What the driver's sequence numbers and times say about lost frames.

import Frames

/// Follows a stream's sequence numbers. A pure state machine: no clock, no device.
struct SequenceTracker {
    /// What a frame's number says.
    enum Verdict: Hashable {
        /// The first of a stream.
        case first
        /// Right behind the one before.
        case next
        /// So many are missing between.
        case lost(UInt32)
        /// Numbers are continuous but much time has passed: the camera itself skipped some.
        case late
        /// Numbers began anew: a resume, a reset.
        case restarted
    }

    /// So many intervals after the last, frames are taken to be missing between; where it was exposure that stretched,
    /// the interval follows, and the next one is not.
    private static let lateFactor: Int64 = 3

    private var last: (sequence: UInt32, time: Timestamp)?
    private(set) var interval: TimeSpan

    /// A tracker of a stream of this nominal interval.
    init(interval: TimeSpan) { self.interval = interval }

    /// Takes note of a frame. Numbers wrap around at 2^32.
    mutating func note(sequence: UInt32, time: Timestamp) -> Verdict {
        guard let last else {
            self.last = (sequence, time)
            return .first
        }
        let elapsed = time - last.time
        let step = sequence &- last.sequence
        self.last = (sequence, time)
        guard step < 1 << 31 else { return .restarted }
        // Drivers that count by the clock have been seen to give a number twice: nothing is missing.
        if step == 0 { return .next }
        if step > 1 { return .lost(step - 1) }
        if elapsed > interval * Self.lateFactor {
            // It may be the light that went out: then this is the interval from now on, and no gap the next time.
            interval = min(elapsed, interval * 2)
            return .late
        }
        // Follows exposure as it stretches and shrinks, over some eight frames.
        if elapsed > .zero { interval = (interval * 7 + elapsed) / 8 }
        return .next
    }

    /// Numbers start anew: the stream was started again.
    mutating func restart() { last = nil }
}
