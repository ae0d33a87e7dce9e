// SPDX-License-Identifier: MIT
// How long the gear waits before it treats something as hung.

import Glibc
import LivecapFrames

/// A minute; ten under a sanitizer, where programs are many times slower and concurrent tests delay each other.
package enum Patience {
    /// The time after which a wait is given up.
    package static var span: Duration { .seconds(getenv("LIVECAP_SANITIZER") == nil ? 60 : 600) }
}

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

/// Waits until `condition` holds, looking again every few milliseconds.
/// - Throws: `WireError.timedOut`, which names `what`, and what `condition` throws.
package func eventually(
    _ what: String, within span: Duration = Patience.span, _ condition: () throws -> Bool
) throws {
    let deadline = Deadline(in: span)
    while try !condition() {
        if deadline.isPast { throw WireError.timedOut(what) }
        usleep(5_000)
    }
}
