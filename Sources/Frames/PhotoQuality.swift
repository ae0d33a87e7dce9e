// SPDX-License-Identifier: MIT
// How a photo is made: the balance between the picture and the time it takes.

/// How a photo is made. The first four are in order of increasing quality and time.
public enum PhotoQuality: String, Hashable, Codable, Sendable, CaseIterable {
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

    /// The default number of frames.
    public var defaultFrames: Int {
        switch self {
        case .single, .speed: 1
        case .quality: 16
        case .balanced, .merge, .mean: 8
        }
    }
}
