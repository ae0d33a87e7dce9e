// SPDX-License-Identifier: MIT
// The events of a shutter button of any kind.

import LivecapFrames

/// An event of a shutter button.
public enum ShutterEvent: Hashable, Sendable {
    /// The button was pressed at this time on CLOCK_MONOTONIC.
    case pressed(at: Timestamp)
    /// The button was released. Buttons that report only presses are released at once.
    case released(at: Timestamp)
}
