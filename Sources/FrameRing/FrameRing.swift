// SPDX-License-Identifier: MIT
// The ring itself: slots of memory, and the atomics by which one producer and any number of readers share them.

import CSystem
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
///
/// `@unchecked Sendable`: all shared words are atomics; metadata and regions are written by the producer only while it
/// owns a slot and read only under a pin (ARCHITECTURE.md argues the orderings).
public final class FrameRing: @unchecked Sendable {
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

    // Each array has `slotCount` elements and is never resized.
    let words: UnsafeMutablePointer<Atomic<UInt64>>
    let times: UnsafeMutablePointer<Atomic<Int64>>
    let counters: UnsafeMutablePointer<Atomic<UInt64>>
    let metadata: UnsafeMutablePointer<FrameMetadata>
    let bytes: UnsafeMutablePointer<UnsafeMutableRawBufferPointer>

    /// Counters below this one have been published. Written by the producer only.
    let published: Atomic<UInt64>
    /// Counter of the ring's first frame: earlier ones belong to rings before this one.
    let firstCounter: UInt64
    let hasEnded = Atomic<Bool>(false)
    let hasProducer = Atomic<Bool>(false)
    let signal: Signal
    let tally = Tally()

    /// A ring over `memory`: one region a slot, or, with `compactSlots`, that many slots sharing the single region.
    /// `reserve` slots are the producer's; the first frame will be number `firstCounter`.
    public init(
        format: FrameFormat, memory: SlotMemory, compactSlots: Int? = nil, reserve: Int, firstCounter: UInt64 = 0
    ) {
        let count = compactSlots ?? memory.regions.count
        precondition(compactSlots == nil || memory.regions.count == 1, "a compact ring has one region")
        precondition(count > reserve && reserve >= 1, "a ring needs slots for history besides its reserve")
        self.format = format
        self.memory = memory
        self.slotCount = count
        self.reserve = reserve
        self.isCompact = compactSlots != nil
        self.firstCounter = firstCounter
        self.published = Atomic(firstCounter)
        self.signal = Signal()
        words = .allocate(capacity: count)
        times = .allocate(capacity: count)
        counters = .allocate(capacity: count)
        metadata = .allocate(capacity: count)
        bytes = .allocate(capacity: count)
        for slot in 0..<count {
            (words + slot).initialize(to: Atomic(0))
            (times + slot).initialize(to: Atomic(0))
            (counters + slot).initialize(to: Atomic(0))
            (metadata + slot).initialize(to: FrameMetadata(time: .zero, byteCount: 0))
            (bytes + slot).initialize(to: memory.regions[compactSlots == nil ? slot : 0])
        }
    }

    deinit {
        words.deinitialize(count: slotCount).deallocate()
        times.deinitialize(count: slotCount).deallocate()
        counters.deinitialize(count: slotCount).deallocate()
        metadata.deinitialize(count: slotCount).deallocate()
        bytes.deinitialize(count: slotCount).deallocate()
    }

    /// The counter the next frame will have; frames below it have been published.
    public var nextCounter: UInt64 { published.load(ordering: .acquiring) }
    /// Whether the producer has said that no more frames will come.
    public var isEnded: Bool { hasEnded.load(ordering: .acquiring) }
    /// The most frames that history and leases can hold together.
    public var historyLimit: Int { slotCount - reserve }
    /// Totals since the ring was made.
    public var statistics: RingStatistics { tally.snapshot }
}
