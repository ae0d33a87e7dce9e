// SPDX-License-Identifier: MIT
// What happens to a shutter button, wherever it is.

import Frames

/// Something that was done to a shutter button.
public enum ShutterEvent: Hashable, Sendable {
    /// It was pressed, at this time on CLOCK_MONOTONIC.
    case pressed(at: Timestamp)
    /// It was let go. Buttons that only tell of presses are let go at once.
    case released(at: Timestamp)
}
