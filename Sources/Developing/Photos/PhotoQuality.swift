// SPDX-License-Identifier: MIT
// How a photo is made: the balance between the picture and the time it takes.

import Fusion

/// How a photo is made. The first four are in order of increasing quality and time.
public enum PhotoQuality: String, Hashable, Sendable, CaseIterable {
    /// The reference frame unchanged.
    case single
    /// The reference frame alone, lightly denoised.
    case speed
    /// Up to 8 frames, aligned, merged and denoised.
    case balanced
    /// Up to 16 frames, aligned, merged and denoised with the most thorough method.
    case quality
    /// Like `balanced`, without denoising.
    case merge
    /// The plain mean of the frames, without alignment.
    case mean

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

    /// The default number of frames.
    public var defaultFrames: Int {
        switch self {
        case .single, .speed: 1
        case .quality: 16
        case .balanced, .merge, .mean: 8
        }
    }

    /// Whether frames are aligned and merged.
    var merges: Bool { [.balanced, .quality, .merge].contains(self) }

    /// Whether the picture is made of the reference frame alone, whatever other frames it was chosen from.
    package var usesOneFrame: Bool { defaultFrames == 1 }
}
