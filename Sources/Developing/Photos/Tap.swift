// SPDX-License-Identifier: MIT
// The moment a photo is asked for.

import Frames

/// The moment a photo is asked for.
public enum Tap: Hashable, Sendable {
    /// The time of the call of `capture`; on a source with its own clock, the moment of the newest frame.
    case now
    /// A time on the source's clock, past or future.
    case at(Timestamp)
    /// A span from now, in the past if negative; on a source with its own clock, from its first frame's time.
    case offset(Duration)
    /// The moment of a frame, such as the one shown on the screen. If that frame is damaged, the photo uses the nearest
    /// usable one and notes it.
    case frame(FrameID)
}
