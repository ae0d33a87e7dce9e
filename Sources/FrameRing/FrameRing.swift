// SPDX-License-Identifier: MIT
// The ring itself: slots of memory which one producer and any number of readers share.

import Frames
import Synchronization

/// A preallocated history of frames, filled by one producer without ever waiting, read through leases.
///
/// - One `RingProducer` publishes; it never blocks, allocates or takes a lock. At its limit (too many slots pinned)
///   it drops the *new* frame and counts it: a leased frame is never overwritten.
/// - Any thread may lease frames by time, by id, the newest, or a window around a time. Finding one is a scan over the
///   slots' atomics: tens of nanoseconds for the usual few dozen slots. Lock-free; a reader retries only when the
///   producer made progress.
/// - The memory lives as long as the ring or any lease of it.
///
/// Not for compressed movies of minutes: every slot is scanned, so keep to a thousand or so.
public final class FrameRing: Sendable {
    /// What the frames are.
    public let format: FrameFormat
    /// The bytes the slots lie in.
    public let memory: SlotMemory
    /// How many slots there are.
    public let slotCount: Int
    /// How many slots the producer keeps for itself (queued at the driver or being written).
    public let reserve: Int
    /// Whether frames are packed one behind the other instead of a region each.
    public let isCompact: Bool

    let table: SlotTable
    /// Counter of the ring's first frame: earlier ones belong to rings before this one.
    let firstCounter: UInt64
    let hasProducer = Atomic<Bool>(false)

    /// A ring over `memory`: one region a slot, or, with `compactSlots`, that many slots sharing the single region.
    /// `reserve` slots are the producer's; the first frame will be number `firstCounter`.
    public init(
        format: FrameFormat, memory: SlotMemory, compactSlots: Int? = nil, reserve: Int, firstCounter: UInt64 = 0
    ) {
        let count = compactSlots ?? memory.regions.count
        precondition(compactSlots == nil || memory.regions.count == 1, "a compact ring has one region")
        precondition(reserve >= 0 && count > reserve, "a ring needs slots for history besides its reserve")
        self.format = format
        self.memory = memory
        self.slotCount = count
        self.reserve = reserve
        self.isCompact = compactSlots != nil
        self.firstCounter = firstCounter
        table = SlotTable(regions: memory.regions, count: count, firstCounter: firstCounter)
    }

    deinit { table.deallocate() }

    /// The counter the next frame will have; frames below it have been published.
    public var nextCounter: UInt64 { table.nextCounter }
    /// Whether the producer has said that no more frames will come.
    public var isEnded: Bool { table.isEnded }
    /// The most frames that history and leases can hold together.
    public var historyLimit: Int { slotCount - reserve }
    /// How many of the newest frames are there for sure, even if each has the largest size and none is leased.
    public var sureHistory: Int {
        // In a compact ring the new frame takes the room of one, and where the region wraps another's is lost.
        isCompact
            ? max(1, min(historyLimit, memory.regions[0].count / SlotMemory.packed(format.byteCount) - 2))
            : historyLimit
    }
    /// Totals since the ring was made.
    public var statistics: RingStatistics { table.tally.pointee.snapshot(published: nextCounter - firstCounter) }
}
