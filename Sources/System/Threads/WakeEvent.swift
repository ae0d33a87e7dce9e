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

    /// Sleeps until it is raised, and clears it, until `descriptor` is readable, or until `deadline` (nanoseconds on
    /// CLOCK_MONOTONIC). Returns whether it was raised.
    @discardableResult
    package func wait(orFor descriptor: Int32 = -1, until deadline: Int64 = .max) -> Bool {
        var polled = [
            pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let left = deadline == .max ? -1 : max(0, deadline - lc_monotonic_ns())
        // Rounded up, so that nobody wakes before the time.
        _ = poll(&polled, 2, left < 0 ? -1 : Int32(clamping: (left + 999_999) / 1_000_000))
        guard polled[0].revents != 0 else { return false }
        clear()
        return true
    }

    /// Makes it unreadable again.
    package func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
