// SPDX-License-Identifier: MIT
// The frames around the moment of the past that a window shows: they stay in the ring while it does.

import FrameRing
import LivecapFrames

/// Holds the frames of one moment, so that its picture can be taken after the history has passed it. Used by the
/// window's thread alone.
///
/// A held frame takes its slot out of the history. There are at most half of the ring, and there is one moment, so
/// capture goes on, however long somebody looks.
final class HeldPast {
    /// The frames before the moment and after it: what a picture of the highest quality is made of, and a few more.
    private static let before = 15
    private static let after = 2
    /// How far the nearest frame may be from the moment that it shows: cameras are slow in the dark.
    private static let reach = Duration.seconds(2)

    private var frames: Frames?

    private final class Frames {
        let window: FrameWindow
        let ring: Ring
        let moment: Timestamp

        init(_ window: consuming FrameWindow, of ring: Ring, at moment: Timestamp) {
            self.window = window
            self.ring = ring
            self.moment = moment
        }

        /// Whether they leave half of the ring to the history.
        var areFew: Bool {
            guard ring.isCompact else { return window.count <= ring.historyLimit / 2 }
            let bytes = (0..<window.count).reduce(0) { $0 + window.metadata($1).byteCount }
            return bytes <= ring.memory.regions[0].count / 2
        }
    }

    /// Holds the frames around a moment, or with nil none. Returns whether the moment stays.
    func follow(_ moment: Timestamp?, of ring: Ring) -> Bool {
        guard let moment else {
            frames = nil
            return false
        }
        if let frames, frames.moment == moment, frames.ring === ring { return true }
        frames = nil
        var before = Self.before
        while let window = ring.window(around: moment, before: before, after: min(before, Self.after)) {
            // Another camera's ring has no frames of that time.
            let distance = window.metadata(window.nearest).time - moment
            guard distance.magnitude <= Self.reach else { return false }
            let made = Frames(window, of: ring, at: moment)
            if made.areFew {
                frames = made
                return true
            }
            guard before > 0 else { return false }
            before /= 2
        }
        return false
    }
}
