// SPDX-License-Identifier: MIT
// How many frames a photo takes, and which: the one rule, for everything that needs to know.

import Fusion
import LivecapFrames

/// The frames that a photo takes.
package struct FrameDemand: Hashable, Codable, Sendable {
    /// The numbers of frames a photo can be made of.
    package static let range = 1...Fuser.maxFrames

    /// The total number of frames.
    package let count: Int
    /// How many of them may be later than the reference.
    package let after: Int
    /// How many of them are earlier than the reference, if it has as many later ones as it may have.
    package var before: Int { count - 1 - after }
}

extension PhotoSettings {
    /// The frames that a photo with these settings takes.
    package var demand: FrameDemand { demand(given: quality) }

    /// The frames that a photo takes if it is made with the quality `given`, which may be lower than asked for. Without
    /// the past, all frames but the reference are later.
    package func demand(given: PhotoQuality, hasPast: Bool = true) -> FrameDemand {
        // The sharpest frame, or the best, is looked for among as many as are usually merged.
        let usual =
            given.usesOneFrame && reference.comparesFrames ? PhotoQuality.balanced.defaultFrames : given.defaultFrames
        let asked = frames ?? usual
        let count = isNearestAlone(given) ? 1 : given == quality ? asked : min(asked, usual)
        return FrameDemand(count: count, after: hasPast ? min(laterFrames, count - 1) : count - 1)
    }

    /// Whether the photo takes the frame nearest the tap and no other.
    package var takesNearestAlone: Bool { isNearestAlone(quality) }

    private func isNearestAlone(_ given: PhotoQuality) -> Bool { given.usesOneFrame && reference == .tap }
}
