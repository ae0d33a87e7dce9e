// SPDX-License-Identifier: MIT
// What went into a still, and how long it took.

import Frames

/// A fusion's account of itself.
public struct FusionReport: Sendable {
    /// What became of one frame.
    public struct Share: Sendable {
        /// The mean over the picture of the frame's weight: 1 for the reference, 0 for a frame left out.
        public var weight: Double
        /// Why nothing of the frame was taken; nil when something was.
        public var rejection: Rejection?
    }

    /// Why a frame was left out.
    public enum Rejection: String, Sendable {
        /// It could not be aligned with the reference: a cut, or nothing but noise.
        case unaligned = "could not be aligned"
        /// Its brightness is too far from the reference's.
        case brightness = "too bright or too dark"
        /// It is another frame over again: cameras repeat frames in dim light.
        case repeated = "the same as another frame"
        /// The method looks at the reference alone.
        case unneeded = "not needed"
    }

    /// A part of the work.
    public enum Stage: String, Sendable, CaseIterable {
        case prepare, noise, align, merge, denoise, finish
    }

    /// One for each frame, in the order given.
    public var shares: [Share]
    /// The standard deviation of a frame's brightness noise, in codes, at the picture's mean brightness.
    public var noise: Double
    /// The mean over the picture of how many frames' worth of evidence it rests on.
    public var evidence: Double
    /// How long each stage took.
    public var stages: [(stage: Stage, time: TimeSpan)]
    /// Which kernels did the work.
    public var level: KernelLevel
}
