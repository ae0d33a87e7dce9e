// SPDX-License-Identifier: MIT
// What a fuser is asked to do.

/// How frames are combined into a still.
public enum FusionMethod: String, Hashable, Codable, Sendable, CaseIterable {
    /// Uses the reference alone, lightly denoised.
    case speed
    /// Aligns and merges the frames, then denoises what could not be merged; takes less than a frame interval.
    case balanced
    /// Aligns, merges, and denoises with the best method available here; too slow for a frame interval, so the work
    /// is deferred.
    case quality
    /// Aligns and merges the frames, and stops there.
    case merge
    /// The plain mean of the frames as they are: no alignment, no weights.
    case mean
}

/// The settings of a fuser. The same settings and frames give the same bits, whatever the kernel level or thread
/// pool.
public struct FusionSettings: Hashable, Codable, Sendable {
    /// How frames are combined into a still.
    public var method: FusionMethod
    /// The kernel level. If nil, `LIVECAP_KERNELS` in the environment decides (default: the best that the processor
    /// supports).
    public var level: KernelLevel?
    /// The bounds on noise that are left out, to measure what they are worth. Not part of what is encoded.
    package var withoutBounds: Set<NoiseBound> = []

    private enum CodingKeys: CodingKey { case method, level }

    /// Creates settings for a method.
    public init(_ method: FusionMethod = .balanced, level: KernelLevel? = nil) {
        self.method = method
        self.level = level
    }
}
