// SPDX-License-Identifier: MIT
// The desk of a source that was changed while the session ran: its history can still be photographed.

import LivecapDeveloping
import LivecapFrames

/// A desk that has seen its last frame, beside the one that takes the taps of now.
struct PastDesk: Sendable {
    let desk: Desk
    /// When its last frame was taken.
    let end: Timestamp
    /// Its last frame's epoch. Those of the later desk are greater.
    let lastEpoch: UInt32

    /// Whether a tap is of a moment that this desk has seen.
    func has(_ tap: Tap) -> Bool {
        switch tap {
        case .now: false
        case .at(let time): time <= end
        case .offset(let span): .now + span <= end
        case .frame(let id): id.epoch <= lastEpoch
        }
    }
}

extension Desk {
    /// This desk, for taps of its history; nil without frames.
    var past: PastDesk? {
        guard let newest = ring.leaseNewest()?.metadata else { return nil }
        return PastDesk(desk: self, end: newest.time, lastEpoch: newest.id.epoch)
    }
}
