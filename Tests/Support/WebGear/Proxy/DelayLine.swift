// SPDX-License-Identifier: MIT
// Bytes on a long way: what goes in comes out later, in the same order.

import LivecapFrames

/// One direction of a slow network, without a clock or a socket of its own.
package struct DelayLine {
    /// What comes out.
    package enum Item: Equatable {
        /// Bytes.
        case bytes([UInt8])
        /// The sender has sent its last.
        case end
        /// The connection was broken off.
        case reset
    }

    /// How slow the way is.
    package struct Pace: Equatable, Sendable {
        /// How long each byte takes.
        package var delay: Duration
        /// How many bytes may leave per second; nil for any number.
        package var bytesPerSecond: Int?
        /// How many bytes may be on the way at once.
        package var capacity: Int
        /// Whether nothing goes in or out at all.
        package var isStalled = false

        /// Creates a pace.
        package init(delay: Duration = .zero, bytesPerSecond: Int? = nil, capacity: Int = 16 << 20) {
            (self.delay, self.bytesPerSecond, self.capacity) = (delay, bytesPerSecond, capacity)
        }
    }

    /// The pace of what goes in from now on.
    package var pace: Pace
    /// How many bytes are on the way.
    package private(set) var held = 0
    private var items: [(due: Timestamp, item: Item)] = []
    /// The first item that has not come out. Those before it are removed now and then, all at once.
    private var first = 0
    /// When the last of the bytes has passed the narrowest place.
    private var narrowIsFree = Timestamp.zero

    /// With a limit of bytes per second, bytes leave in pieces of this many, so that they flow.
    private static let pieceBytes = 4096

    /// Creates a line.
    package init(_ pace: Pace) { self.pace = pace }

    /// Whether bytes may go in.
    package var isTaking: Bool { !pace.isStalled && held < pace.capacity }

    /// When the next item is due; nil if there is none, or if the line is stalled.
    package var nextDue: Timestamp? { pace.isStalled || first == items.count ? nil : items[first].due }

    /// Puts in what has come at a time.
    package mutating func put(_ item: Item, at time: Timestamp) {
        guard case .bytes(let bytes) = item, let rate = pace.bytesPerSecond else { return append(item, due: time) }
        narrowIsFree = max(narrowIsFree, time)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.pieceBytes)
            rest = rest.dropFirst(piece.count)
            narrowIsFree = narrowIsFree + .nanoseconds(Int64(piece.count) * 1_000_000_000 / Int64(max(1, rate)))
            append(.bytes(Array(piece)), due: narrowIsFree)
        }
    }

    /// Takes out the next item that is due at a time; nil if there is none.
    package mutating func take(at time: Timestamp) -> Item? {
        guard let due = nextDue, due <= time else { return nil }
        let item = items[first].item
        first += 1
        if case .bytes(let bytes) = item { held -= bytes.count }
        if first > 256 || first == items.count {
            items.removeFirst(first)
            first = 0
        }
        return item
    }

    /// Appends an item that comes out after the delay, and never before the one ahead of it.
    private mutating func append(_ item: Item, due time: Timestamp) {
        if case .bytes(let bytes) = item { held += bytes.count }
        items.append((max(time + pace.delay, items.last?.due ?? .zero), item))
    }
}
