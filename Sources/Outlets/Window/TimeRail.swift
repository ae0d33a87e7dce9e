// SPDX-License-Identifier: MIT
// The rail that shows how much of the past is kept, and which moment of it is seen.

import LivecapFrames

/// The moments between the oldest and the newest frame that are kept, on a line of pixels from left to right.
package struct TimeRail: Hashable, Sendable {
    /// The first moment that can be chosen.
    package let oldest: Timestamp
    /// The time of the newest frame.
    package let newest: Timestamp
    /// The time from one frame to the next.
    package let interval: Duration
    /// The ends of the line.
    package let left, right: Int

    /// The rail of a history. The oldest moments cannot be chosen: their frames are about to leave, and photos rest on
    /// the frames before them, too.
    package init(oldest: Timestamp, newest: Timestamp, interval: Duration, left: Int, right: Int) {
        let span = max(newest - oldest, .zero)
        self.oldest = newest - max(span - min(interval * 10, span / 4), .zero)
        self.newest = newest
        self.interval = max(interval, .milliseconds(1))
        self.left = left
        self.right = max(left + 1, right)
    }

    /// The moment at a place; nil at the right end, and beyond it: that is now.
    package func moment(at x: Int) -> Timestamp? {
        let share = Double(min(max(x, left), right) - left) / Double(right - left)
        return settled(oldest + (newest - oldest) * share)
    }

    /// The place of a moment, or of now.
    package func place(of moment: Timestamp?) -> Int {
        let span = newest - oldest
        guard let moment, span > .zero else { return right }
        let share = min(max((moment - oldest) / span, 0), 1)
        return left + Int((Double(right - left) * share).rounded())
    }

    /// The moment that is a time away from another, or from now; nil for now. From a moment that was held until the
    /// history had passed it, no way leads back.
    package func step(from moment: Timestamp?, by time: Duration) -> Timestamp? {
        if let moment, moment < oldest, time < .zero { return moment }
        return settled((moment ?? newest) + time)
    }

    /// A moment that is still there; nil if it is as good as now.
    package func settled(_ moment: Timestamp) -> Timestamp? {
        guard moment <= newest - interval / 2, oldest < newest else { return nil }
        return max(moment, oldest)
    }
}
