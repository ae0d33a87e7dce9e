// SPDX-License-Identifier: MIT
// What a fusion is asked for.

/// How frames become a still.
public enum FusionMethod: String, Sendable, CaseIterable {
    /// The reference frame alone, lightly denoised.
    case speed
    /// Align and merge, then denoise what could not be merged: within a frame interval.
    case balanced
    /// The best picture known here, in deferred time.
    case quality
    /// Align and merge, and nothing after that.
    case merge
    /// The honest mean of the frames as they are: nothing aligned, nothing weighed.
    case mean
}

/// What a fuser is asked for. The same settings and frames give the same bits, whatever the level or the pool.
public struct FusionSettings: Sendable {
    /// How frames become a still.
    public var method: FusionMethod
    /// Which kernels; where nil, what `LIVECAP_KERNELS` in the environment says, or else the processor's best.
    public var level: KernelLevel?

    /// Settings for a method.
    public init(_ method: FusionMethod = .balanced, level: KernelLevel? = nil) {
        self.method = method
        self.level = level
    }
}
