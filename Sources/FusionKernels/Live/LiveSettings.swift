// SPDX-License-Identifier: MIT
// What can be chosen when a stream is fused, and what became of a frame.

import LivecapFrames

/// How a stream of frames is fused.
public struct LiveSettings: Hashable, Sendable {
    /// How many frames what is remembered is worth at most, 2 to 32: the smallest share of a new frame is one of them.
    public var memory: Int
    /// Whether small changes of brightness and colour, such as those of lamps, are taken out.
    public var isSteady: Bool
    /// The kernels to use; nil for the best of this processor, or those that `LIVECAP_KERNELS` names.
    public var level: KernelLevel?

    /// Settings; by default 16 frames.
    public init(memory: Int = 16, isSteady: Bool = true, level: KernelLevel? = nil) {
        self.memory = min(max(memory, 2), 32)
        self.isSteady = isSteady
        self.level = level
    }
}

/// What became of a frame of a stream.
public struct LiveReport: Hashable, Sendable {
    /// How a frame was used.
    public enum Outcome: String, Hashable, Sendable {
        /// The first frame, or the first of another scene: nothing was remembered.
        case begun
        /// It was fused with what was remembered.
        case fused
        /// It is the same as the one before, to the bit.
        case repeated
    }
    /// How the frame was used.
    public var outcome: Outcome
    /// The standard deviation of the noise of brightness at its middle, in codes; 0 if it is not known yet.
    public var noise: Float
    /// How many frames the brightness of the picture is worth, as the mean over it.
    public var evidence: Float
}
