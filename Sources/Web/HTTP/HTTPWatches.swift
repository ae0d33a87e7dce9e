// SPDX-License-Identifier: MIT
// Clients that wait for an answer, and what is to be done if they leave before it.

import Glibc

/// The connections whose ends are looked for while they rest. The library does not look at them then.
struct HTTPWatches {
    private var watches: [UInt64: (socket: Int32, action: @Sendable () -> Void)] = [:]

    /// Calls `action` once if the client of a request leaves.
    mutating func add(_ number: UInt64, _ socket: Int32, _ action: @escaping @Sendable () -> Void) {
        watches[number] = (socket, action)
    }

    /// Notes that its request is answered.
    mutating func settle(_ number: UInt64) { watches[number] = nil }

    /// What to poll, and whose it is. A client that has only closed its own half counts as gone, as with other servers:
    /// from here, one looks like the other.
    var polled: (numbers: [UInt64], descriptors: [pollfd]) {
        let entries = Array(watches)
        return (
            entries.map(\.key),
            entries.map { pollfd(fd: $0.value.socket, events: Self.peerHasClosed, revents: 0) }
        )
    }

    /// Takes out those that have left, as `poll` found.
    mutating func takeLeft(_ numbers: [UInt64], _ descriptors: ArraySlice<pollfd>) -> [@Sendable () -> Void] {
        zip(numbers, descriptors).compactMap { number, descriptor in
            descriptor.revents == 0 ? nil : watches.removeValue(forKey: number)?.action
        }
    }

    /// `POLLRDHUP` of poll(2), which Swift does not import.
    private static let peerHasClosed: Int16 = 0x2000
}
