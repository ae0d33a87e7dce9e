// SPDX-License-Identifier: MIT
// The ring: slots of memory shared by one producer and any number of readers.

import LivecapFrames
import Synchronization

/// A preallocated history of frames. One producer fills it without ever waiting; readers access it through leases.
///
/// - One `RingProducer` publishes. It never blocks, allocates or takes a lock. At its limit (too many slots pinned) it
///   drops the *new* frame and counts it: a leased frame is never overwritten.
/// - Any thread may lease frames: by time, by id, the newest, or a window around a time. A lookup scans the slots'
///   atomics and takes tens of nanoseconds for the usual few dozen slots. It is lock-free; a reader retries only when
///   the producer has made progress.
/// - The memory lives as long as the ring or any lease of it.
///
/// Not meant for minutes of compressed video: every slot is scanned, so keep to about a thousand slots.
public final class Ring: Sendable {
    /// The format of the frames.
    public let format: FrameFormat
    /// The memory that holds the slots.
    package let memory: SlotMemory
    /// The number of slots.
    public let slotCount: Int
    /// The number of slots reserved for the producer (queued at the driver or being written).
    public let reserve: Int
    /// Whether frames are packed one after another in one region instead of having a region each.
    public let isCompact: Bool

    let table: SlotTable
    /// The counter of this ring's first frame. Earlier frames belong to previous rings.
    package let firstCounter: UInt64
    let hasProducer = Atomic<Bool>(false)
    /// What people look at, beside the history.
    let held = HeldCount()

    /// Creates a ring over `memory`, with one slot per region or, if `compactSlots` is given, that many slots sharing
    /// the single region. `reserve` slots are kept for the producer. The first frame gets counter `firstCounter`.
    package init(
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
        let directory = memory.file?.directory
        directory?.begin(format, slotCount: count, firstCounter: firstCounter)
        table = SlotTable(
            regions: memory.regions, count: count, firstCounter: firstCounter, directory: directory)
    }

    deinit { table.deallocate() }

    /// The counter of the next frame. All frames below it have been published.
    public var nextCounter: UInt64 { table.nextCounter }
    /// Whether the producer has ended the stream.
    public var isEnded: Bool { table.isEnded }
    /// Whether other processes may read the frames: see `RingCapacity.isShared`.
    public var isShared: Bool { memory.file != nil }
    /// The maximum number of frames that history and leases hold together.
    public var historyLimit: Int { slotCount - reserve }
    /// The number of newest frames guaranteed to be present, even if each has the maximum size, as long as no older
    /// frame is leased.
    public var guaranteedHistory: Int {
        // In a compact ring, one frame's room goes to the frame being written and one is lost where the region wraps.
        isCompact
            ? max(1, min(historyLimit, memory.regions[0].count / SlotMemory.packed(format.byteCount) - 2))
            : historyLimit
    }
    /// Totals since the ring was created.
    public var statistics: RingStatistics { table.tally.pointee.snapshot(published: nextCounter - firstCounter) }
}
