// SPDX-License-Identifier: MIT
// The frames around the moment of the past that a window shows: they stay in the ring while it does.

import FrameRing
import LivecapFrames

/// Holds the frames of one moment, so that its picture can be taken after the history has passed it. Used by the
/// window's thread alone.
///
/// A held frame takes its slot out of the history. With what pages hold, it is at most half of the ring, so capture
/// goes on however long a moment is shown.
final class HeldPast {
    /// The frames before the moment and after it: what a picture of the highest quality is made of, and a few more.
    private static let before = 15
    private static let after = 2
    /// How far the nearest frame may be from the moment that it shows: cameras are slow in the dark.
    private static let reach = Duration.seconds(2)

    private var held: (frames: HeldWindow, moment: Timestamp)?

    /// Holds the frames around a moment, or with nil none. Returns whether the moment stays.
    func follow(_ moment: Timestamp?, of ring: Ring) -> Bool {
        guard let moment else {
            held = nil
            return false
        }
        if let held, held.moment == moment, held.frames.ring === ring { return true }
        held = nil
        var before = Self.before
        while let window = ring.window(around: moment, before: before, after: min(before, Self.after)) {
            // Another camera's ring has no frames of that time.
            let distance = window.metadata(window.nearest).time - moment
            guard distance.magnitude <= Self.reach else { return false }
            if let frames = HeldWindow(window, of: ring) {
                held = (frames, moment)
                return true
            }
            guard before > 0 else { return false }
            before /= 2
        }
        return false
    }
}
