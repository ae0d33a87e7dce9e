// SPDX-License-Identifier: MIT
// Finding and pinning slots: one pass over the slots' atomics, one compare-and-swap to hold what was found.

import Frames
import Synchronization

/// A published slot as a reader saw it; holding it needs `pin`, which fails if it has changed since.
struct Candidate {
    let slot: SlotIndex
    let word: SlotWord
    let time: Timestamp
    let counter: UInt64
}

extension FrameRing {
    /// What a slot shows a reader now; nil while it is the producer's.
    func candidate(_ slot: SlotIndex) -> Candidate? {
        let word = SlotWord(rawValue: words[slot].load(ordering: .acquiring))
        guard word.isPublished else { return nil }
        return Candidate(
            slot: slot, word: word,
            time: Timestamp(nanoseconds: times[slot].load(ordering: .acquiring)),
            counter: counters[slot].load(ordering: .acquiring))
    }

    /// Pins exactly the frame the candidate was; false when the producer has taken it back since.
    func pin(_ candidate: Candidate) -> Bool {
        var word = candidate.word
        while let pinned = word.pinned {
            // Acquiring: pairs with the releasing store in `publish`. Succeeding proves the candidate's time and
            // counter were this frame's.
            let (exchanged, original) = words[candidate.slot].compareExchange(
                expected: word.rawValue, desired: pinned.rawValue, successOrdering: .acquiring,
                failureOrdering: .relaxed)
            if exchanged { return true }
            word = SlotWord(rawValue: original)
            if word.generation != candidate.word.generation { return false }
        }
        return false
    }

    /// Lets go of a pin. Releasing: pairs with the acquiring compare-and-swap in `evict`.
    func unpin(_ slot: SlotIndex) {
        words[slot].wrappingSubtract(1, ordering: .releasing)
    }

    /// Pins the published frame that `isBetter` ranks first among those `isWanted` admits. Frames published after the
    /// call began are not looked at, so that none is passed over for a later one. Retries only when the producer took
    /// the frame back in between.
    func pinBest(
        where isWanted: (Candidate) -> Bool, by isBetter: (_ new: Candidate, _ old: Candidate) -> Bool
    ) -> Candidate? {
        while true {
            let limit = nextCounter
            var best: Candidate? = nil
            for slot in 0..<slotCount {
                guard let found = candidate(slot), found.counter < limit, isWanted(found) else { continue }
                if best.map({ isBetter(found, $0) }) ?? true { best = found }
            }
            guard let best else { return nil }
            if pin(best) { return best }
        }
    }

    /// The newest published frame before counter `end`.
    func pinNewest(before end: UInt64 = .max) -> Candidate? {
        pinBest(where: { $0.counter < end }, by: { $0.counter > $1.counter })
    }

    /// The oldest published frame from counter `start` on.
    func pinOldest(from start: UInt64) -> Candidate? {
        pinBest(where: { $0.counter >= start }, by: { $0.counter < $1.counter })
    }

    /// The published frame nearest `time`; of two equally near the earlier.
    func pinNearest(_ time: Timestamp) -> Candidate? {
        pinBest(
            where: { _ in true },
            by: { new, old in
                let (a, b) = ((new.time - time).magnitude, (old.time - time).magnitude)
                return a < b || (a == b && new.counter < old.counter)
            })
    }
}
