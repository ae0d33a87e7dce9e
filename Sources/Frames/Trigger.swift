// SPDX-License-Identifier: MIT
// What may take a picture without a hand on the shutter.

/// Notices motion in the picture.
public struct MotionTrigger: Hashable, Sendable {
    /// The part of the picture that is watched; nil for all of it.
    public var area: PictureBox?
    /// From 0, which takes something large and clear, to 1, for small and faint things (default: 0.5).
    public var sensitivity: Double
    /// How long nothing may move before motion has ended (default: 2 s).
    public var quiet: Duration

    /// Notices motion in a part of the picture.
    public init(in area: PictureBox? = nil, sensitivity: Double = 0.5, quiet: Duration = .seconds(2)) {
        self.area = area
        self.sensitivity = min(max(sensitivity, 0), 1)
        self.quiet = max(quiet, .zero)
    }
}

/// Notices sound.
public struct SoundTrigger: Hashable, Sendable {
    /// How loud it has to be, in decibels.
    public enum Threshold: Hashable, Sendable {
        /// A level: 0 is as loud as samples can be, so it is negative.
        case level(Double)
        /// So much louder than is usual.
        case aboveUsual(Double)
    }

    /// How loud it has to be (default: 15 dB louder than usual).
    public var threshold: Threshold
    /// How long it must be quiet before the sound has ended (default: 2 s).
    public var quiet: Duration

    /// Notices what is louder than a threshold.
    public init(_ threshold: Threshold = .aboveUsual(15), quiet: Duration = .seconds(2)) {
        self.threshold = threshold
        self.quiet = max(quiet, .zero)
    }
}
