// SPDX-License-Identifier: MIT
// Reports what went into a still, and how long each stage took.

import LivecapFrames

/// Describes how a fusion went.
public struct FusionReport: Hashable, Codable, Sendable {
    /// The contribution of one frame.
    public struct Share: Hashable, Codable, Sendable {
        /// The frame's mean weight over the picture: 1 for the reference, 0 for a frame that was left out.
        public var weight: Double
        /// Why the frame was left out; nil if it contributed.
        public var rejection: Rejection?
    }

    /// Why a frame was left out.
    public enum Rejection: String, Hashable, Codable, Sendable {
        /// It could not be aligned with the reference: there was a cut, or it is nothing but noise.
        case unaligned = "could not be aligned"
        /// Its brightness differs too much from the reference's.
        case brightness = "too bright or too dark"
        /// It is identical to another frame: cameras repeat frames in dim light.
        case repeated = "the same as another frame"
        /// The method uses only the reference.
        case unneeded = "not needed"
    }

    /// A stage of the work.
    public enum Stage: String, Hashable, Codable, Sendable, CaseIterable {
        /// Preparing the frames. Only those that call `prepare` can time it.
        case prepare
        /// Estimating the noise from the frames.
        case noise
        /// Finding the motion between the frames, and matching their brightness and colour.
        case align
        /// Merging the frames where they agree.
        case merge
        /// Removing the noise that merging left.
        case denoise
        /// Final touches to the planes.
        case finish
    }

    /// How long a stage took.
    public struct StageTime: Hashable, Codable, Sendable {
        /// The stage.
        public var stage: Stage
        /// Its duration.
        public var time: Duration

        /// Notes that `stage` took `time`.
        public init(_ stage: Stage, _ time: Duration) { (self.stage, self.time) = (stage, time) }
    }

    /// One for each frame, in the order given to the fuser.
    public var shares: [Share]
    /// The standard deviation, in codes, of a single frame's brightness noise at the picture's mean brightness.
    public var noise: Double
    /// The mean over the picture of how many frames' worth of evidence supports it.
    public var evidence: Double
    /// How long each stage took.
    public var stages: [StageTime]
    /// The level of the kernels that did the work.
    public var level: KernelLevel
}
