// SPDX-License-Identifier: MIT
// How a photo is made: what is preferred, the picture or the time it takes.

import FusionKernels

/// What a photo is made of, and how. The first four are ordered by what they take and give.
public enum PhotoQuality: String, Hashable, Sendable, CaseIterable {
    /// The reference frame as it is.
    case single
    /// The reference frame alone, lightly denoised.
    case speed
    /// Up to 8 frames aligned, merged and denoised.
    case balanced
    /// Up to 16 frames, and the best denoising there is.
    case quality
    /// As `balanced`, without denoising.
    case merge
    /// The plain mean of the frames as they are.
    case mean

    /// The fuser's way. A frame as it is, is the mean of itself.
    var fusion: FusionMethod {
        switch self {
        case .single, .mean: .mean
        case .speed: .speed
        case .balanced: .balanced
        case .quality: .quality
        case .merge: .merge
        }
    }

    /// The place among those that are ordered by what they take and give.
    var rank: Int? { [.single, .speed, .balanced, .quality].firstIndex(of: self) }

    /// How many frames it looks at when nobody says.
    public var usualFrames: Int {
        switch self {
        case .single, .speed: 1
        case .quality: 16
        case .balanced, .merge, .mean: 8
        }
    }

    /// Whether frames are aligned and merged.
    var merges: Bool { [.balanced, .quality, .merge].contains(self) }

    /// Whether it looks at the reference only.
    public var needsOneFrame: Bool { usualFrames == 1 }
}
