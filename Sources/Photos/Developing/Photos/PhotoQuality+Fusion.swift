// SPDX-License-Identifier: MIT
// What a photo's quality means for its fusion.

import Fusion
import LivecapFrames

extension PhotoQuality {
    /// The fusion method. An unchanged frame is the mean of itself.
    var fusion: FusionMethod {
        switch self {
        case .single, .mean: .mean
        case .speed: .speed
        case .balanced: .balanced
        case .quality: .quality
        case .merge: .merge
        }
    }

    /// The position in the order of increasing quality and time; nil if not part of it.
    package var rank: Int? { [.single, .speed, .balanced, .quality].firstIndex(of: self) }

    /// Whether frames are aligned and merged.
    var merges: Bool { [.balanced, .quality, .merge].contains(self) }

    /// Whether the picture is made of the reference frame alone, whatever other frames it was chosen from.
    package var usesOneFrame: Bool { defaultFrames == 1 }
}
