// SPDX-License-Identifier: MIT
// A signal that ends its own life, for whoever cannot tell when its last user is gone.

import Frames

/// A `Signal` shared by reference.
package final class OwnedSignal: Sendable {
    private let signal = Signal()

    /// A signal nobody waits for.
    package init() {}

    deinit { signal.deallocate() }

    /// Wakes every sleeper whose condition may have become true. Never waits.
    package func notify() { signal.notify() }

    /// Sleeps until `condition` holds or `deadline` (on CLOCK_MONOTONIC) has passed; whether it holds.
    package func wait(until deadline: Timestamp, for condition: () -> Bool) -> Bool {
        signal.wait(until: deadline, for: condition)
    }
}
