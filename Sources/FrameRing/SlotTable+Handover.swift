// SPDX-License-Identifier: MIT
// The protocol: how a slot passes from the producer to the readers and back. Model/slots.pml has the same steps.

import Frames
import Synchronization

// The producer's side. Each is a fixed number of steps; `evict` tries once.
extension SlotTable {
    /// Hands a slot to the readers. The stores of time and tag are releasing so that whoever reads the new value
    /// (acquiring, in `candidate`) is bound to see the eviction before it, and fails its compare-and-swap.
    func publish(_ slot: SlotIndex, _ frame: FrameMetadata) {
        contents[slot].metadata = frame
        let tag = FrameTag(counter: frame.id.counter, isUsable: frame.isUsable)
        shared[slot].time.store(frame.time.nanoseconds, ordering: .releasing)
        shared[slot].tag.store(tag.rawValue, ordering: .releasing)
        let word = SlotWord(rawValue: shared[slot].word.load(ordering: .relaxed))
        // Pairs with the acquiring compare-and-swap in `pin`: bytes and metadata are there before they can be leased.
        shared[slot].word.store(word.published.rawValue, ordering: .releasing)
        // Pairs with the acquiring load in `nextCounter`: every frame below it can be found.
        progress.pointee.published.store(frame.id.counter + 1, ordering: .releasing)
        // Pairs with the acquiring load in `newestTime`: a frame is in the count before its time is told.
        progress.pointee.newestTime.store(frame.time.nanoseconds, ordering: .releasing)
        signal.notify()
    }

    /// Takes a published slot from the readers unless one of them has it pinned. One attempt: a reader that pins in
    /// between wins.
    func evict(_ slot: SlotIndex) -> Bool {
        let word = SlotWord(rawValue: shared[slot].word.load(ordering: .relaxed))
        guard word.isPublished, word.pins == 0 else { return false }
        // Acquiring: pairs with the releasing subtraction in `unpin`; the readers' last reads are over before the
        // producer's (or the driver's) first write.
        return shared[slot].word.compareExchange(
            expected: word.rawValue, desired: word.evicted.rawValue, successOrdering: .acquiring,
            failureOrdering: .relaxed
        ).exchanged
    }

    /// No more frames will come: wakes everybody who waits for one. Pairs with the acquiring load in `isEnded`.
    func end() {
        progress.pointee.hasEnded.store(true, ordering: .releasing)
        signal.notify()
    }
}

/// A published slot as a reader saw it; holding it needs `pin`, which fails if it has changed since.
struct Candidate {
    let slot: SlotIndex
    let word: SlotWord
    let time: Timestamp
    let tag: FrameTag

    var counter: UInt64 { tag.counter }
}

// The readers' side.
extension SlotTable {
    /// The counter the next frame will have; frames below it have been published.
    var nextCounter: UInt64 { progress.pointee.published.load(ordering: .acquiring) }
    /// Whether the last frame has been published.
    var isEnded: Bool { progress.pointee.hasEnded.load(ordering: .acquiring) }
    /// The newest published frame's time; the smallest number while there is none.
    var newestTime: Int64 { progress.pointee.newestTime.load(ordering: .acquiring) }

    /// What a slot shows a reader now; nil while it is the producer's.
    @inline(__always)
    func candidate(_ slot: SlotIndex) -> Candidate? {
        let word = SlotWord(rawValue: shared[slot].word.load(ordering: .acquiring))
        guard word.isLeasable else { return nil }
        return Candidate(
            slot: slot, word: word, time: Timestamp(nanoseconds: shared[slot].time.load(ordering: .acquiring)),
            tag: FrameTag(rawValue: shared[slot].tag.load(ordering: .acquiring)))
    }

    /// Pins exactly the frame the candidate was; false when the producer has taken it back since (or when as many
    /// leases as can be counted hold it).
    func pin(_ candidate: Candidate) -> Bool {
        var word = candidate.word
        while let pinned = word.pinned {
            // Acquiring: pairs with the releasing store of the word in `publish`. Succeeding proves that the
            // candidate's time and tag were this frame's.
            let (exchanged, original) = shared[candidate.slot].word.compareExchange(
                expected: word.rawValue, desired: pinned.rawValue, successOrdering: .acquiring,
                failureOrdering: .relaxed)
            if exchanged { return true }
            word = SlotWord(rawValue: original)
            if word.generation != candidate.word.generation { return false }
        }
        return false
    }

    /// Lets go of a pin. Releasing: pairs with the acquiring compare-and-swap in `evict`.
    @inline(__always)
    func unpin(_ slot: SlotIndex) {
        shared[slot].word.wrappingSubtract(1, ordering: .releasing)
    }
}
