// SPDX-License-Identifier: MIT
// The protocol by which slots pass from the producer to the readers and back. Model/slots.pml models the same steps.

import LivecapFrames
import Synchronization

// The producer's side. Each operation takes a fixed number of steps; `evict` tries once.
extension SlotTable {
    /// Hands a slot to the readers. The stores of time and tag are releasing: a reader that loads a new value
    /// (acquiring, in `candidate`) also sees the eviction before it, so its compare-and-swap fails.
    func publish(_ slot: SlotIndex, _ frame: FrameMetadata) {
        contents[slot].metadata = frame
        let tag = FrameTag(counter: frame.id.counter, isUsable: frame.isUsable)
        shared[slot].time.store(frame.time.nanoseconds, ordering: .releasing)
        shared[slot].tag.store(tag.rawValue, ordering: .releasing)
        let word = SlotWord(rawValue: shared[slot].word.load(ordering: .relaxed))
        // Pairs with the acquiring compare-and-swap in `pin`: bytes and metadata are complete before the frame can be
        // leased.
        shared[slot].word.store(word.published.rawValue, ordering: .releasing)
        // Pairs with the acquiring load in `nextCounter`: every frame below the counter can be found.
        progress.pointee.published.store(frame.id.counter + 1, ordering: .releasing)
        // Pairs with the acquiring load in `newestTime`: a frame is counted before its time is visible.
        progress.pointee.newestTime.store(frame.time.nanoseconds, ordering: .releasing)
        // Before the signal: whoever it wakes may wake readers of other processes.
        if let directory { directory.publish(slot, frame, at: contents[slot].bytes.baseAddress!) }
        signal.notify()
    }

    /// Takes a published slot from the readers unless one of them has pinned it. One attempt: a reader that pins it
    /// first wins.
    func evict(_ slot: SlotIndex) -> Bool {
        let word = SlotWord(rawValue: shared[slot].word.load(ordering: .relaxed))
        guard word.isPublished, word.pins == 0 else { return false }
        // Acquiring: pairs with the releasing subtraction in `unpin`. The readers' last reads finish before the first
        // write of the producer (or the driver).
        let (isOurs, _) = shared[slot].word.compareExchange(
            expected: word.rawValue, desired: word.evicted.rawValue, successOrdering: .acquiring,
            failureOrdering: .relaxed)
        if isOurs, let directory { directory.withdraw(slot) }
        return isOurs
    }

    /// Ends the stream and wakes all waiting readers. Pairs with the acquiring load in `isEnded`.
    func end() {
        progress.pointee.hasEnded.store(true, ordering: .releasing)
        signal.notify()
    }
}

/// A published slot as seen by a reader. To hold it, call `pin`, which fails if the frame has changed since.
struct Candidate {
    let slot: SlotIndex
    let word: SlotWord
    let time: Timestamp
    let tag: FrameTag

    var counter: UInt64 { tag.counter }
}

// The readers' side.
extension SlotTable {
    /// The counter of the next frame. All frames below it have been published.
    var nextCounter: UInt64 { progress.pointee.published.load(ordering: .acquiring) }
    /// Whether the stream has ended.
    var isEnded: Bool { progress.pointee.hasEnded.load(ordering: .acquiring) }
    /// The time of the newest published frame; `Int64.min` if there is none.
    var newestTime: Int64 { progress.pointee.newestTime.load(ordering: .acquiring) }

    /// A reader's view of a slot; nil while the producer owns it or its pin count is at the limit.
    @inline(__always)
    func candidate(_ slot: SlotIndex) -> Candidate? {
        let word = SlotWord(rawValue: shared[slot].word.load(ordering: .acquiring))
        guard word.isLeasable else { return nil }
        return Candidate(
            slot: slot, word: word, time: Timestamp(nanoseconds: shared[slot].time.load(ordering: .acquiring)),
            tag: FrameTag(rawValue: shared[slot].tag.load(ordering: .acquiring)))
    }

    /// Pins exactly the candidate's frame. Returns false if the producer has taken it back since, or if its pin count
    /// is at the limit.
    func pin(_ candidate: Candidate) -> Bool {
        var word = candidate.word
        while let pinned = word.pinned {
            // Acquiring: pairs with the releasing store of the word in `publish`. Success proves that the candidate's
            // time and tag belong to this frame.
            let (exchanged, original) = shared[candidate.slot].word.compareExchange(
                expected: word.rawValue, desired: pinned.rawValue, successOrdering: .acquiring,
                failureOrdering: .relaxed)
            if exchanged { return true }
            word = SlotWord(rawValue: original)
            if word.generation != candidate.word.generation { return false }
        }
        return false
    }

    /// Releases a pin. Releasing: pairs with the acquiring compare-and-swap in `evict`.
    @inline(__always)
    func unpin(_ slot: SlotIndex) {
        shared[slot].word.wrappingSubtract(1, ordering: .releasing)
    }
}
