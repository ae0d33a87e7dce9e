// SPDX-License-Identifier: MIT
// The one writer of a ring: it claims slots, lends them to a driver or fills them, and publishes or returns them.

import LivecapFrames
import Synchronization

/// The writing end of a ring. Each ring has one; it cannot be copied. None of its operations waits, allocates or takes
/// a lock, and each takes a number of steps bounded by the number of slots.
///
/// `publish` lends the bytes of a free slot to a closure, which writes a frame there. If every slot is leased, it
/// returns nil, and `drop` counts the frame.
public struct RingProducer: ~Copyable, Sendable {
    // The producer owns a slot from `claim` until `publish` or `discard`. Meanwhile its bytes may be lent to a driver.
    // A producer that keeps slots queued at a driver claims the next slot to queue *before* it publishes the slot just
    // filled. If the claim returns nil, it queues the filled slot again instead. That way the producer owns `reserve`
    // slots at all times.

    /// The ring being filled.
    public let ring: Ring
    /// The epoch of the frames published from now on.
    public var epoch: UInt32
    private let table: SlotTable
    private let largestFrame: Int
    private var placement: SlotPlacement
    private var nextCounter: UInt64
    private var lastTime = Timestamp(nanoseconds: .min)
    private var isFirstOfEpoch = true
    private var droppedSinceLast: UInt32 = 0

    /// Takes the ring's writing end. Traps if it has been taken before.
    public init(filling ring: Ring, epoch: UInt32 = 0) {
        precondition(!ring.hasProducer.exchange(true, ordering: .relaxed), "a ring has one producer")
        self.ring = ring
        self.epoch = epoch
        table = ring.table
        largestFrame = ring.format.byteCount
        nextCounter = ring.firstCounter
        placement = SlotPlacement(ring)
    }

    deinit { withExtendedLifetime(ring) { $0.table.end() } }

    /// Publishes a frame that `fill` writes into a slot of `byteCount` bytes (default: the largest frame), and returns
    /// its id. Nil without calling `fill` if every slot is in use: call `drop()` then.
    ///
    /// `fill` returns the frame's metadata, whose time must not be before the previous frame's. If it throws, nothing
    /// is published. The bytes are writable only while it runs; whoever leases the frame later cannot see them change.
    public mutating func publish<Failure: Error>(
        byteCount: Int? = nil, filledBy fill: (inout MutableRawSpan) throws(Failure) -> FrameMetadata
    ) throws(Failure) -> FrameID? {
        let room = byteCount ?? largestFrame
        guard let slot = claim(byteCount: room) else { return nil }
        do throws(Failure) {
            // Slots are whole pages, and larger than the frame.
            var bytes = UnsafeMutableRawBufferPointer(rebasing: bytes(of: slot)[..<room]).mutableBytes
            let metadata = try fill(&bytes)
            precondition(metadata.byteCount <= bytes.byteCount, "a frame is no larger than its slot")
            return publish(slot, metadata)
        } catch {
            discard(slot)
            throw error
        }
    }

    /// Slots that are neither published nor claimed.
    package var freeSlots: Int { placement.freeCount }

    /// Claims a slot for `byteCount` bytes (default: the largest frame): a free slot, or else the slot of the oldest
    /// unleased frame. Nil if there is none, or if publishing one more frame could take history and leases beyond
    /// `historyLimit`. The caller then drops its *new* frame with `drop()`.
    package mutating func claim(byteCount: Int? = nil) -> SlotIndex? {
        placement.claim(byteCount: byteCount ?? largestFrame)
    }

    /// Claims a free slot, if there is one, without evicting history. Used to fill the reserve when a stream starts or
    /// restarts. Not for compact rings.
    package mutating func claimFree() -> SlotIndex? {
        precondition(!ring.isCompact, "a compact ring's slots have no bytes of their own")
        return placement.claimFree()
    }

    /// The memory of a claimed slot.
    package func bytes(of slot: SlotIndex) -> UnsafeMutableRawBufferPointer {
        table.contents[slot].bytes
    }

    /// Makes the frame in a claimed slot visible to readers and wakes those that are waiting. Assigns the frame's id.
    /// The frame's time must not be before the previous frame's.
    @discardableResult
    package mutating func publish(_ slot: SlotIndex, _ metadata: FrameMetadata) -> FrameID {
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
            // To readers, frames dropped here are missing just like those lost before they reached us.
            metadata.lostBefore &+= droppedSinceLast
            metadata.flags.insert(.gapBefore)
            droppedSinceLast = 0
        }
        table.publish(slot, metadata)
        return metadata.id
    }

    /// Returns a claimed slot unused.
    package mutating func discard(_ slot: SlotIndex) {
        placement.free(slot)
    }

    /// Counts a frame that was discarded because no slot was available, and any frames lost right before it. The next
    /// published frame reports all of them to its readers.
    public mutating func drop(lostBefore: UInt32 = 0) {
        table.tally.pointee.dropped.addAsOnlyWriter(1)
        if lostBefore > 0 {
            table.tally.pointee.lost.addAsOnlyWriter(UInt64(lostBefore))
            table.tally.pointee.gaps.addAsOnlyWriter(1)
        }
        droppedSinceLast &+= 1 &+ lostBefore
    }

    /// Counts bytes that had to be copied to get a frame into its slot.
    public mutating func countCopied(_ byteCount: Int) {
        table.tally.pointee.bytesCopied.addAsOnlyWriter(UInt64(byteCount))
    }

    /// Starts a new epoch: `next` or, by default, the next number, which wraps. Frames of different epochs are
    /// comparable only by time and counter.
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
