// SPDX-License-Identifier: MIT
// Waiting at descriptors.

import Glibc

/// A descriptor that is closed when the last user lets go of it.
final class OwnedDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }
}

extension pollfd {
    /// A descriptor to wait at; a negative one is passed over.
    init(_ descriptor: Int32, for wished: Int32 = POLLIN) {
        self.init(fd: descriptor, events: Int16(wished), revents: 0)
    }

    /// Whether one of these things is so.
    func has(_ flags: Int32) -> Bool { Int32(revents) & flags != 0 }

    /// Whether a read would return at once, be it with bytes, the end or an error.
    var isReadable: Bool { has(POLLIN | POLLHUP | POLLERR | POLLNVAL) }
}

extension [pollfd] {
    /// Waits until something is so at one of the descriptors, or `milliseconds` have passed: `poll(2)`.
    mutating func wait(milliseconds: Int32 = -1) {
        for index in indices { self[index].revents = 0 }
        // An interrupted wait is a wait for nothing: whoever calls looks again.
        if poll(&self, nfds_t(count), milliseconds) < 0 {
            precondition(errno == EINTR || errno == ENOMEM, "poll gave \(errno)")
            for index in indices { self[index].revents = 0 }
        }
    }
}
