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

    /// The shares of a picture's regions that have each `Refusal`, from 0 to 1.
    public struct Refused: Hashable, Codable, Sendable {
        /// Most frames show something else there.
        public var motion = 0.0
        /// Frames differ by a little more than noise makes them differ.
        public var noise = 0.0
        /// The colour differs.
        public var color = 0.0
        /// The region is partly clipped.
        public var clipped = 0.0

        /// The share that has a reason.
        public subscript(reason: Refusal) -> Double {
            get { self[keyPath: Self.place(of: reason)] }
            set { self[keyPath: Self.place(of: reason)] = newValue }
        }

        private static func place(of reason: Refusal) -> WritableKeyPath<Refused, Double> {
            switch reason {
            case .motion: \.motion
            case .noise: \.noise
            case .color: \.color
            case .clipped: \.clipped
            }
        }

        /// Nothing is refused.
        public init() {}
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
    /// The bounds that decided `noise`, at that brightness or at any other that the picture has: without them, what was
    /// observed would stand. Where a bound discarded a whole witness (a pair of frames, or all of them), its own bounds
    /// are not listed. Empty if nothing was limited, and for `mean`, which estimates no noise.
    public var noiseBounds: [NoiseBound]
    /// The mean over the picture of how many frames' worth of evidence supports it.
    public var evidence: Double
    /// What shares of the picture rest on fewer frames than are used, by reason.
    public var refused: Refused
    /// How many of the sensor's hot pixels were found and taken out.
    public var hotPixels: Int
    /// How long each stage took.
    public var stages: [StageTime]
    /// The level of the kernels that did the work.
    public var level: KernelLevel
}
