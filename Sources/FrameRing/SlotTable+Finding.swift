// SPDX-License-Identifier: MIT
// Finds and pins slots: one pass over the slots' words, then one compare-and-swap to pin the match.

import LivecapFrames

extension SlotTable {
    /// The published frame below counter `limit` that `isBetter` ranks first among those that satisfy `isWanted`. The
    /// frame may already be gone: `pin` then fails.
    @inline(__always)
    func best(
        below limit: UInt64, where isWanted: (Candidate) -> Bool,
        by isBetter: (_ new: Candidate, _ old: Candidate) -> Bool
    ) -> Candidate? {
        var best: Candidate? = nil
        for slot in 0..<count {
            guard let found = candidate(slot), found.counter < limit, isWanted(found) else { continue }
            if let old = best, !isBetter(found, old) { continue }
            best = found
        }
        return best
    }

    /// Pins the best frame. Frames published after a pass began are ignored, so that the scan cannot skip a frame in
    /// favour of a later one. Lock-free: it makes another pass only if the producer took the frame back in between, or
    /// published while nothing was found: a pass that the producer laps finds every slot changed.
    @inline(__always)
    func pinBest(
        where isWanted: (Candidate) -> Bool, by isBetter: (_ new: Candidate, _ old: Candidate) -> Bool
    ) -> Candidate? {
        while true {
            let limit = nextCounter
            if let best = best(below: limit, where: isWanted, by: isBetter) {
                if pin(best) { return best }
            } else if nextCounter == limit {
                return nil
            }
        }
    }

    /// The newest published frame before counter `end`.
    func pinNewest(before end: UInt64 = .max, usable: Bool = false) -> Candidate? {
        pinBest(
            where: { $0.counter < end && ($0.tag.isUsable || !usable) }, by: { $0.counter > $1.counter })
    }

    /// The oldest published frame from counter `start` on.
    func pinOldest(from start: UInt64, usable: Bool = false) -> Candidate? {
        pinBest(
            where: { $0.counter >= start && ($0.tag.isUsable || !usable) }, by: { $0.counter < $1.counter })
    }

    /// The published frame nearest `time`; if two are equally near, the earlier one.
    func pinNearest(_ time: Timestamp, usable: Bool = false) -> Candidate? {
        pinBest(
            where: { $0.tag.isUsable || !usable },
            by: { new, old in
                let (a, b) = (new.time.distance(to: time), old.time.distance(to: time))
                return a < b || (a == b && new.counter < old.counter)
            })
    }

    /// The published frame with this counter.
    func pinExactly(_ counter: UInt64) -> Candidate? {
        pinBest(where: { $0.counter == counter }, by: { _, _ in false })
    }

    /// The next frame for a follower.
    enum Following {
        /// The oldest frame present at or after the requested counter, pinned.
        case found(Candidate)
        /// No such frame: every frame from the requested counter up to this one has left history or was never
        /// published.
        case nothing(below: UInt64)
    }

    /// Pins the oldest published frame from counter `start` on.
    func follow(from start: UInt64) -> Following {
        while true {
            // Read before the pass: a frame below the limit that the pass does not find is gone for good.
            let limit = nextCounter
            guard let oldest = best(below: limit, where: { $0.counter >= start }, by: { $0.counter < $1.counter })
            else { return .nothing(below: limit) }
            if pin(oldest) { return .found(oldest) }
        }
    }

    /// The counter of the oldest published frame, or of the next frame if there is none.
    var oldestCounter: UInt64 {
        let limit = nextCounter
        return best(below: limit, where: { _ in true }, by: { $0.counter < $1.counter })?.counter ?? limit
    }

    /// The counter from which on every frame up to the newest is there; that of the next frame if there is none.
    /// Earlier frames have left history, except those that leases keep. Looks at 2048 frames at most.
    var historyCounter: UInt64 {
        while true {
            // Read before the pass: of the frames below the limit, those that leave meanwhile are the oldest.
            let limit = nextCounter
            // Bit n stands for the frame that is n + 1 before the limit.
            var present = InlineArray<32, UInt64>(repeating: 0)
            for slot in 0..<count {
                guard let found = candidate(slot), found.counter < limit, limit - found.counter <= 2048 else {
                    continue
                }
                let age = Int(limit - found.counter - 1)
                present[age / 64] |= 1 << UInt64(age % 64)
            }
            var length = 0
            while length < 2048 {
                let ones = (~present[length / 64]).trailingZeroBitCount
                length += ones
                if ones < 64 { break }
            }
            // A pass that the producer laps finds nothing.
            if length > 0 || nextCounter == limit { return limit - UInt64(length) }
        }
    }
}
