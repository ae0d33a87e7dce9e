// SPDX-License-Identifier: MIT
// Totals of what happened to frames, counted by the producer and readable at any time.

import Synchronization

/// What happened to the frames of a ring so far.
public struct RingStatistics: Hashable, Sendable {
    /// Frames made visible to readers.
    public var published: UInt64 = 0
    /// Frames taken from the source but thrown away because every slot was pinned.
    public var dropped: UInt64 = 0
    /// Frames lost before they reached us, as far as is known.
    public var lost: UInt64 = 0
    /// Places where frames were lost.
    public var gaps: UInt64 = 0
    /// Published frames marked as damaged.
    public var damaged: UInt64 = 0
    /// Bytes copied to bring frames into their slots: 0 where the driver writes straight into them.
    public var bytesCopied: UInt64 = 0

    /// Nothing yet.
    public init() {}
}

/// The live counters behind `RingStatistics`: one thread writes them, so a relaxed load and store are an addition.
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
    /// Adds without the cost of an atomic addition. For the one thread that writes the counter.
    borrowing func addAsOnlyWriter(_ amount: UInt64) {
        store(load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}
