// SPDX-License-Identifier: MIT
// Why a photo has fewer frames than were asked for.

import FrameRing
import Frames

/// How many frames a photo lacks of those that were asked for, and why.
public struct FrameShortage: Hashable, Sendable {
    /// What became of the others.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The stream began with the first of its frames.
        case begin
        /// It was started anew there.
        case restart
        /// Earlier ones had left the history.
        case history
        /// Later ones did not come.
        case later
        /// No more were kept to develop it from.
        case kept
    }

    /// How many were asked for.
    public let asked: Int
    /// How many of those it lacks.
    public let missing: Int
    /// Why.
    public let reason: Reason

    /// For people: "3 of 16 frames are missing: nothing comes before the first frame".
    public var words: String {
        let verb = missing == 1 ? "is" : "are"
        let reason =
            switch reason {
            case .begin: "nothing comes before the first frame"
            case .restart: "the stream was restarted before the others"
            case .history: "the history reaches back no further"
            case .later: "later ones did not come"
            case .kept: "no more were kept"
            }
        return "\(missing) of \(asked) frames \(verb) missing: \(reason)"
    }
}

extension FrameRing {
    /// What a wish lacks in the frames chosen for it; nil where that is nothing.
    func shortage(
        of wish: FrameWish, _ window: borrowing FrameWindow, _ chosen: Range<Int>, nearest index: Int
    ) -> FrameShortage? {
        let missing = wish.frames - chosen.count
        guard missing > 0 else { return nil }
        let first = window.metadata(chosen.lowerBound)
        let reason: FrameShortage.Reason =
            if !wish.hasPast {
                .later
            } else if first.id.counter == firstFrameCounter {
                .begin
            } else {
                first.flags.contains(.firstOfEpoch) ? .restart : .history
            }
        return FrameShortage(asked: wish.frames, missing: missing, reason: reason)
    }

    /// The counter of the first frame there ever was.
    private var firstFrameCounter: UInt64 { nextCounter - statistics.published }
}
