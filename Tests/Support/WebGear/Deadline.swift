// SPDX-License-Identifier: MIT
// The moment at which the gear gives up a wait.

import LivecapFrames
import LivecapPatience

/// The moment at which a wait is given up.
package struct Deadline {
    private let end: Timestamp

    /// Creates a deadline that comes after `span`.
    package init(in span: Duration = Patience.span) { end = .now + span }

    /// Whether the moment has passed.
    package var isPast: Bool { end <= .now }

    /// The time until then for `poll(2)`, rounded up; 0 afterwards.
    var milliseconds: Int32 {
        Int32(clamping: max(0, (Timestamp.now.duration(to: end).nanoseconds + 999_999) / 1_000_000))
    }
}
