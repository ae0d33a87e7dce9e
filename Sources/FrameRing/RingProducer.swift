// SPDX-License-Identifier: MIT
// The one writer of a ring: claims slots, hands them to a driver or fills them, publishes or returns them.

import Frames
import Synchronization

/// A slot of a ring, by number.
public typealias SlotIndex = Int

/// The writing end of a ring. There is one a ring, it cannot be copied, and none of its operations waits, allocates or
/// locks; each takes a number of steps bounded by the number of slots.
///
/// A slot is the producer's from `claim` until `publish` or `discard`; in between its bytes may be lent to a driver.
public struct RingProducer: ~Copyable, Sendable {
    /// The ring being filled.
    public let ring: FrameRing
    /// The epoch given to the frames published from now on.
    public var epoch: UInt32
    private var isFirstOfEpoch = true
    private var placement: SlotPlacement
    private var lastTime = Timestamp(nanoseconds: .min)

    /// The ring's writing end; a broken invariant when it has been taken before.
    public init(filling ring: FrameRing, epoch: UInt32 = 0) {
        precondition(!ring.hasProducer.exchange(true, ordering: .relaxed), "a ring has one producer")
        self.ring = ring
        self.epoch = epoch
        placement = SlotPlacement(ring)
    }

    deinit { ring.end() }

    /// Slots that are neither published nor claimed.
    public var freeSlots: Int { placement.freeCount }

    /// Takes a slot to write `byteCount` bytes into: a free one, else the oldest that nobody has leased. Nil when there
    /// is none; the caller then drops its *new* frame with `drop()`.
    public mutating func claim(byteCount: Int? = nil) -> SlotIndex? {
        placement.claim(byteCount: byteCount ?? ring.format.byteCount, from: ring)
    }

    /// A claimed slot's memory.
    public func bytes(of slot: SlotIndex) -> UnsafeMutableRawBufferPointer {
        ring.bytes[slot]
    }

    /// Makes a claimed slot's frame visible to the readers and wakes those that wait. Its id is given here; its time
    /// must not be before the last frame's.
    @discardableResult
    public mutating func publish(_ slot: SlotIndex, _ metadata: FrameMetadata) -> FrameID {
        precondition(metadata.time >= lastTime, "frames are published in the order of their times")
        precondition(metadata.byteCount <= ring.bytes[slot].count, "a frame lies within its slot")
        lastTime = metadata.time
        let counter = ring.published.load(ordering: .relaxed)
        var metadata = metadata
        metadata.id = FrameID(epoch: epoch, counter: counter)
        if isFirstOfEpoch { metadata.flags.insert(.firstOfEpoch) }
        isFirstOfEpoch = false
        placement.willPublish(slot, counter: counter)
        ring.tally.countPublished(
            lostBefore: metadata.lostBefore, hasGap: metadata.flags.contains(.gapBefore), isDamaged: !metadata.isUsable)
        ring.publish(slot, metadata)
        return metadata.id
    }

    /// Gives a claimed slot back unused.
    public mutating func discard(_ slot: SlotIndex) {
        placement.free(slot)
    }

    /// Counts a frame that was thrown away because no slot could be had.
    public func drop() { ring.tally.countDropped() }

    /// Counts bytes that had to be copied to bring a frame into its slot.
    public func countCopied(_ byteCount: Int) { ring.tally.countCopied(byteCount) }

    /// Starts a new epoch: what comes next is comparable with what came before by time and counter only.
    public mutating func beginEpoch() {
        epoch += 1
        isFirstOfEpoch = true
    }
}

extension FrameRing {
    /// The producer's half of the hand-over. The stores of time and counter are releasing so that whoever reads the
    /// new value (acquiring, in `candidate`) is bound to see the eviction before it and fails its compare-and-swap.
    func publish(_ slot: SlotIndex, _ frame: FrameMetadata) {
        metadata[slot] = frame
        times[slot].store(frame.time.nanoseconds, ordering: .releasing)
        counters[slot].store(frame.id.counter, ordering: .releasing)
        let word = SlotWord(rawValue: words[slot].load(ordering: .relaxed))
        // Pairs with the acquiring compare-and-swap in `pin`: bytes and metadata are there before they can be leased.
        words[slot].store(word.published.rawValue, ordering: .releasing)
        // Pairs with the acquiring load in `nextCounter`: every frame below it can be found.
        published.store(frame.id.counter + 1, ordering: .releasing)
        signal.notify()
    }

    /// Whether a lease holds the slot right now; a hint, since the answer can change at once.
    func isPinned(_ slot: SlotIndex) -> Bool {
        SlotWord(rawValue: words[slot].load(ordering: .relaxed)).pins != 0
    }

    /// Takes a published slot from the readers unless one of them has it pinned. One attempt: a reader that pins in
    /// between wins.
    func evict(_ slot: SlotIndex) -> Bool {
        let word = SlotWord(rawValue: words[slot].load(ordering: .relaxed))
        guard word.isPublished, word.pins == 0 else { return false }
        // Acquiring: pairs with the releasing subtraction in `unpin`; the readers' last reads are over before the
        // driver's first write.
        return words[slot].compareExchange(
            expected: word.rawValue, desired: word.evicted.rawValue, successOrdering: .acquiringAndReleasing,
            failureOrdering: .relaxed
        ).exchanged
    }

    /// No more frames will come: wakes everybody who waits for one.
    func end() {
        hasEnded.store(true, ordering: .releasing)
        signal.notify()
    }
}
