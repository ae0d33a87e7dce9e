// SPDX-License-Identifier: MIT
// The one writer of a ring: claims slots, hands them to a driver or fills them, publishes or returns them.

import Frames
import Synchronization

/// The writing end of a ring. There is one a ring, it cannot be copied, and none of its operations waits, allocates or
/// locks; each takes a number of steps bounded by the number of slots.
///
/// A slot is the producer's from `claim` until `publish` or `discard`; in between its bytes may be lent to a driver.
/// Who keeps slots queued at a driver claims the slot to queue next *before* publishing the one just filled, and on nil
/// queues that one again: so `reserve` slots are the producer's at any time.
public struct RingProducer: ~Copyable, Sendable {
    /// The ring being filled.
    public let ring: FrameRing
    /// The epoch given to the frames published from now on.
    public var epoch: UInt32
    private let table: SlotTable
    private let largestFrame: Int
    private var placement: SlotPlacement
    private var nextCounter: UInt64
    private var lastTime = Timestamp(nanoseconds: .min)
    private var isFirstOfEpoch = true
    private var droppedSinceLast: UInt32 = 0

    /// The ring's writing end; a broken invariant when it has been taken before.
    public init(filling ring: FrameRing, epoch: UInt32 = 0) {
        precondition(!ring.hasProducer.exchange(true, ordering: .relaxed), "a ring has one producer")
        self.ring = ring
        self.epoch = epoch
        table = ring.table
        largestFrame = ring.format.byteCount
        nextCounter = ring.firstCounter
        placement = SlotPlacement(ring)
    }

    deinit { withExtendedLifetime(ring) { $0.table.end() } }

    /// Slots that are neither published nor claimed.
    public var freeSlots: Int { placement.freeCount }

    /// Takes a slot to write `byteCount` bytes into (by default the largest frame): a free one, else the oldest that
    /// nobody has leased. Nil when there is none, or when publishing one more could take history and leases beyond
    /// `historyLimit`; the caller then drops its *new* frame with `drop()`.
    public mutating func claim(byteCount: Int? = nil) -> SlotIndex? {
        placement.claim(byteCount: byteCount ?? largestFrame)
    }

    /// Takes one of the free slots, if there is one, and leaves history alone: how the reserve is filled when a stream
    /// begins, or begins anew. Not for compact rings.
    public mutating func claimFree() -> SlotIndex? {
        precondition(!ring.isCompact, "a compact ring's slots have no bytes of their own")
        return placement.claimFree()
    }

    /// A claimed slot's memory.
    public func bytes(of slot: SlotIndex) -> UnsafeMutableRawBufferPointer {
        table.contents[slot].bytes
    }

    /// Makes a claimed slot's frame visible to the readers and wakes those that wait. Its id is given here; its time
    /// must not be before the last frame's.
    @discardableResult
    public mutating func publish(_ slot: SlotIndex, _ metadata: FrameMetadata) -> FrameID {
        precondition(metadata.time >= lastTime, "frames are published in the order of their times")
        lastTime = metadata.time
        var metadata = metadata
        metadata.id = FrameID(epoch: epoch, counter: nextCounter)
        if isFirstOfEpoch { metadata.flags.insert(.firstOfEpoch) }
        isFirstOfEpoch = false
        nextCounter += 1
        placement.willPublish(slot, byteCount: metadata.byteCount)
        count(metadata)
        if droppedSinceLast > 0 {
            // For who reads the stream they are missing like those lost on the way here.
            metadata.lostBefore &+= droppedSinceLast
            metadata.flags.insert(.gapBefore)
            droppedSinceLast = 0
        }
        table.publish(slot, metadata)
        return metadata.id
    }

    /// Gives a claimed slot back unused.
    public mutating func discard(_ slot: SlotIndex) {
        placement.free(slot)
    }

    /// Counts a frame that was thrown away because no slot could be had, and those lost right before it. The next one
    /// tells its readers of all of them.
    public mutating func drop(lostBefore: UInt32 = 0) {
        table.tally.pointee.dropped.addAsOnlyWriter(1)
        if lostBefore > 0 {
            table.tally.pointee.lost.addAsOnlyWriter(UInt64(lostBefore))
            table.tally.pointee.gaps.addAsOnlyWriter(1)
        }
        droppedSinceLast &+= 1 &+ lostBefore
    }

    /// Counts bytes that had to be copied to bring a frame into its slot.
    public mutating func countCopied(_ byteCount: Int) {
        table.tally.pointee.bytesCopied.addAsOnlyWriter(UInt64(byteCount))
    }

    /// Starts a new epoch, `next` or else the following number, which wraps: what comes next is comparable with what came
    /// before by time and counter only.
    public mutating func beginEpoch(_ next: UInt32? = nil) {
        epoch = next ?? epoch &+ 1
        isFirstOfEpoch = true
    }

    private func count(_ frame: FrameMetadata) {
        if frame.lostBefore > 0 { table.tally.pointee.lost.addAsOnlyWriter(UInt64(frame.lostBefore)) }
        if frame.flags.contains(.gapBefore) { table.tally.pointee.gaps.addAsOnlyWriter(1) }
        if !frame.isUsable { table.tally.pointee.damaged.addAsOnlyWriter(1) }
    }
}
