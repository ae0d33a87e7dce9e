// SPDX-License-Identifier: MIT
// Wakes another thread from its poll.

import Glibc
import LivecapCSystem

/// A descriptor that becomes readable when another thread raises the event: `eventfd(2)`.
package final class WakeEvent: Sendable {
    /// The descriptor to poll for reading.
    package let descriptor: Int32

    /// Creates an event that has not been raised.
    package init() throws(SystemShortage) {
        descriptor = lc_eventfd()
        if descriptor < 0 { throw SystemShortage(call: "eventfd", errno: -descriptor) }
    }

    deinit { close(descriptor) }

    /// Makes the descriptor readable, until `clear`.
    package func raise() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Makes it unreadable again.
    package func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
