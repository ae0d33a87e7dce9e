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

/// The live counters behind `RingStatistics`: written by one thread, so plain loads and stores, relaxed.
final class Tally: Sendable {
    private let published = Atomic<UInt64>(0)
    private let dropped = Atomic<UInt64>(0)
    private let lost = Atomic<UInt64>(0)
    private let gaps = Atomic<UInt64>(0)
    private let damaged = Atomic<UInt64>(0)
    private let bytesCopied = Atomic<UInt64>(0)

    func countPublished(lostBefore: UInt32, hasGap: Bool, isDamaged: Bool) {
        published.wrappingAdd(1, ordering: .relaxed)
        if lostBefore > 0 { lost.wrappingAdd(UInt64(lostBefore), ordering: .relaxed) }
        if hasGap { gaps.wrappingAdd(1, ordering: .relaxed) }
        if isDamaged { damaged.wrappingAdd(1, ordering: .relaxed) }
    }

    func countDropped() { dropped.wrappingAdd(1, ordering: .relaxed) }
    func countCopied(_ bytes: Int) { bytesCopied.wrappingAdd(UInt64(bytes), ordering: .relaxed) }

    var snapshot: RingStatistics {
        var totals = RingStatistics()
        totals.published = published.load(ordering: .relaxed)
        totals.dropped = dropped.load(ordering: .relaxed)
        totals.lost = lost.load(ordering: .relaxed)
        totals.gaps = gaps.load(ordering: .relaxed)
        totals.damaged = damaged.load(ordering: .relaxed)
        totals.bytesCopied = bytesCopied.load(ordering: .relaxed)
        return totals
    }
}
