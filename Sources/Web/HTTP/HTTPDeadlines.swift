// SPDX-License-Identifier: MIT
// Which connections have to send something, and until when: a client that never completes its request is cut off.

import LivecapFrames

/// The connections that nothing is done for: they wait for a request, or for the rest of one.
struct HTTPDeadlines {
    private var waiting: [Int32: Timestamp] = [:]

    /// Notes that a connection must have sent a request by then.
    mutating func expect(_ socket: Int32, by deadline: Timestamp) { waiting[socket] = deadline }

    /// Notes that its request is complete, or that it is gone.
    mutating func settle(_ socket: Int32) { waiting[socket] = nil }

    /// Takes out those that have let their deadlines pass.
    mutating func takeLate(at now: Timestamp) -> [Int32] {
        let late = waiting.filter { $0.value <= now }.map(\.key)
        for socket in late { waiting[socket] = nil }
        return late
    }

    /// Takes out the one whose deadline comes first.
    mutating func takeOldest() -> Int32? {
        guard let oldest = waiting.min(by: { $0.value < $1.value }) else { return nil }
        waiting[oldest.key] = nil
        return oldest.key
    }

    /// When to look again; nil if none waits.
    var next: Timestamp? { waiting.values.min() }
}
