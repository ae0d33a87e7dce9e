// SPDX-License-Identifier: MIT
// Frame totals, counted by the producer and readable at any time.

import Synchronization

/// What has happened to the frames of a ring so far.
public struct RingStatistics: Hashable, Codable, Sendable {
    /// Frames made visible to readers.
    public var published: UInt64 = 0
    /// Frames taken from the source but discarded because no slot was available.
    public var dropped: UInt64 = 0
    /// Frames lost before they reached us, as far as is known.
    public var lost: UInt64 = 0
    /// The number of places where frames were lost.
    public var gaps: UInt64 = 0
    /// Published frames marked as damaged.
    public var damaged: UInt64 = 0
    /// Bytes copied to get frames into their slots; 0 if the driver writes straight into them.
    public var bytesCopied: UInt64 = 0

    /// Creates statistics with all totals at zero.
    public init() {}
}

extension RingStatistics: CustomStringConvertible {
    /// Such as `120 published, 3 dropped, 2 lost in 1 gap, 1 damaged, 0 bytes copied`.
    public var description: String {
        "\(published) published, \(dropped) dropped, \(lost) lost in \(gaps) \(gaps == 1 ? "gap" : "gaps"), "
            + "\(damaged) damaged, \(bytesCopied) bytes copied"
    }
}

/// The live counters behind `RingStatistics`. Only one thread writes them, so a relaxed load and store suffice to add.
struct Tally: ~Copyable {
    let dropped = Atomic<UInt64>(0)
    let lost = Atomic<UInt64>(0)
    let gaps = Atomic<UInt64>(0)
    let damaged = Atomic<UInt64>(0)
    let bytesCopied = Atomic<UInt64>(0)

    func snapshot(published: UInt64) -> RingStatistics {
        var totals = RingStatistics()
        totals.published = published
        totals.dropped = dropped.load(ordering: .relaxed)
        totals.lost = lost.load(ordering: .relaxed)
        totals.gaps = gaps.load(ordering: .relaxed)
        totals.damaged = damaged.load(ordering: .relaxed)
        totals.bytesCopied = bytesCopied.load(ordering: .relaxed)
        return totals
    }
}

extension Atomic<UInt64> {
    /// Adds without the cost of an atomic addition. Only for the single thread that writes the counter.
    borrowing func addAsOnlyWriter(_ amount: UInt64) {
        store(load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}
