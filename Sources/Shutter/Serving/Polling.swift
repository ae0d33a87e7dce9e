// SPDX-License-Identifier: MIT
// Waiting for descriptors to become ready.

import Glibc

/// A descriptor that is closed when its last user releases it.
package final class OwnedDescriptor: Sendable {
    /// Its number.
    package let number: Int32

    /// Takes it over.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

extension pollfd {
    /// Creates an entry to wait for; a negative descriptor is ignored.
    package init(_ descriptor: Int32, for wished: Int32 = POLLIN) {
        self.init(fd: descriptor, events: Int16(wished), revents: 0)
    }

    /// Whether any of these flags is set.
    package func has(_ flags: Int32) -> Bool { Int32(revents) & flags != 0 }

    /// Whether a read would return at once, with bytes, the end of file or an error.
    package var isReadable: Bool { has(POLLIN | POLLHUP | POLLERR | POLLNVAL) }
}

extension [pollfd] {
    /// Waits until one of the descriptors is ready or `milliseconds` have passed: `poll(2)`.
    package mutating func wait(milliseconds: Int32 = -1) {
        for index in indices { self[index].revents = 0 }
        // An interrupted wait reports no events; the caller waits again.
        if poll(&self, nfds_t(count), milliseconds) < 0 {
            precondition(errno == EINTR || errno == ENOMEM, "poll gave \(errno)")
            for index in indices { self[index].revents = 0 }
        }
    }
}
