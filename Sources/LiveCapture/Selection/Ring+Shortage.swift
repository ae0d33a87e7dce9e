// SPDX-License-Identifier: MIT
// Finds why a choice has fewer frames than asked for.

import FrameRing
import LivecapDeveloping
import LivecapFrames

extension FrameShortage {
    /// The same, if the frames' camera was switched on for them: their stream was not restarted for any other reason.
    var ofCameraThatWasOff: FrameShortage {
        FrameShortage(asked: asked, missing: missing, reason: reason == .restart ? .switchedOn : reason)
    }
}

extension Ring {
    /// The shortage of the frames chosen for a wish; nil if none are missing.
    func shortage(
        of wish: FrameWish, _ window: borrowing FrameWindow, _ chosen: Range<Int>, nearest index: Int
    ) -> FrameShortage? {
        let missing = wish.frames - chosen.count
        guard missing > 0 else { return nil }
        let first = window.metadata(chosen.lowerBound)
        let reason: FrameShortage.Reason =
            if !wish.hasPast {
                .later
            } else if first.id.counter == firstCounter {
                .begin
            } else {
                first.flags.contains(.firstOfEpoch) ? .restart : .history
            }
        return FrameShortage(asked: wish.frames, missing: missing, reason: reason)
    }
}
