// SPDX-License-Identifier: MIT
// The moment a photo is asked for.

import Frames

/// The moment a photo is asked for.
public enum Tap: Hashable, Sendable {
    /// When `capture` is called; on a source with a clock of its own, the newest frame's moment.
    case now
    /// A time on the source's clock, past or future.
    case at(Timestamp)
    /// So long from now, or ago where negative; on a source with a clock of its own, from its first frame's time.
    case offset(TimeSpan)
    /// The moment of a frame, such as the one that was on the screen. Where that one is damaged, the nearest usable one is the
    /// photo's, which says so.
    case frame(FrameID)
}
