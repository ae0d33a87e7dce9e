// SPDX-License-Identifier: MIT
// A reference-counted signal, for uses where the last user is not known in advance.

import LivecapFrames

/// A `Signal` shared by reference.
package final class OwnedSignal: Sendable {
    private let signal = Signal()

    /// Creates a signal that nobody waits for.
    package init() {}

    deinit { signal.deallocate() }

    /// Wakes all sleepers so that they check their conditions again. Never waits.
    package func notify() { signal.notify() }

    /// Sleeps until `condition` holds or `deadline` (on CLOCK_MONOTONIC) has passed. Returns whether the condition
    /// holds.
    package func wait(until deadline: Timestamp, for condition: () -> Bool) -> Bool {
        signal.wait(until: deadline, for: condition)
    }
}
