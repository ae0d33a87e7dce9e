// SPDX-License-Identifier: MIT
// Decides on the exposure and gain that make faces neither too dark nor too bright.

import Glibc
import LivecapFrames

/// Adjusts a camera's exposure and gain by the brightness of faces, frame by frame. It knows no camera and no clock but
/// the frames' times, and gives the same for the same frames.
///
/// A camera shows what it is set to some frames later, usually two or three, and does not say which is the first. So
/// the loop takes few, large steps, and waits for each: a first one that is too small on every usual camera, and then
/// one by what the first has done. Once faces are as bright as they should be, it leaves the camera alone until they
/// are clearly off.
package struct FaceExposureLoop: Hashable, Sendable {
    /// What to do after a frame.
    package enum Step: Hashable, Sendable {
        /// Nothing.
        case hold
        /// Set the camera so.
        case set(Setting)
        /// No face has been seen for a second: let the camera decide again.
        case handBack
    }

    /// What a camera is set to.
    package struct Setting: Hashable, Sendable {
        /// The exposure, in the camera's units.
        package var exposure: Int64
        /// The gain, in the camera's units; nil if it is left alone.
        package var gain: Int64?

        /// What a camera is set to.
        package init(exposure: Int64, gain: Int64? = nil) {
            self.exposure = exposure
            self.gain = gain
        }
    }

    /// The mean brightness that faces are to have: of gamma-encoded samples, as `FrameBrightness` measures them. Skin
    /// of middle tone, in the light that portraits are exposed for.
    package static let target = 0.42
    /// Within it, nothing is done.
    package static let deadBand = 0.04
    /// The distance at which a single frame suffices; a smaller one must last.
    private static let large = 2 * deadBand
    /// Measured frames for which a smaller distance must last.
    private static let lasting = 3
    /// An adjustment ends within this distance, so that noise does not lead out of the dead band again.
    private static let goal = 0.02
    /// Frames until a setting shows, at most, on usual cameras.
    package static let delay = 4
    /// Frames to wait at most where nothing of a setting can be seen.
    private static let longestDelay = 10
    /// How long faces may be out of sight.
    package static let patience = Duration.seconds(1)
    /// How much brighter samples become with light, as the power of it: 0.45 if a camera encodes by a gamma of 2.2, and
    /// more where it raises the contrast. It is taken for steep, so that a first step falls short.
    private static let assumedSlope = 0.8
    /// For faces that are saturated: they may be far brighter than they look.
    private static let saturatedSlope = 0.55
    /// Slopes of cameras. What seems to lie outside is a change of the scene.
    private static let slopes = 0.45...1.0
    /// Brighter faces are saturated.
    private static let saturation = 0.95
    /// The share of a second step that is made: what the first has done is measured in noise.
    private static let caution = 0.9
    /// The largest step, in EV.
    private static let longestStep = 3.0

    /// A setting that may not show yet.
    private struct Pending: Hashable, Sendable {
        /// Frames since.
        var age = 0
        /// The brightness before; nil if that is not known.
        let level: Double?
        /// The light that it adds, in EV.
        let change: Double
        /// Whether that is known, as it is of an exposure, but not of a gain.
        let isKnown: Bool
    }

    /// What the camera is set to.
    package private(set) var setting: Setting
    private let exposure: ExposureDial
    private let gain: ExposureDial?
    private var pending: Pending?
    private var slope = Self.assumedSlope
    private var hasLearned = false
    private var isAdjusting = false
    private var off = 0
    private var frames = 0
    private var lastFace: Timestamp?

    /// Begins with a camera that was just set to the present values of its dials.
    package init(exposure: ExposureDial, gain: ExposureDial?) {
        self.exposure = exposure
        self.gain = gain
        setting = Setting(exposure: exposure.value, gain: gain?.value)
        pending = Pending(level: nil, change: 0, isKnown: false)
    }

    /// Takes in a frame. `level` measures the brightness of its faces from 0 to 1; it is called only if that is needed,
    /// and returns nil if it is unknown.
    package mutating func frame(at time: Timestamp, hasFaces: Bool, level: () -> Double?) -> Step {
        frames += 1
        pending?.age += 1
        guard hasFaces else {
            let last = lastFace ?? time
            lastFace = last
            return time - last >= Self.patience ? .handBack : .hold
        }
        lastFace = time
        if let pending {
            guard pending.age >= Self.delay else { return .hold }
        } else if frames % 2 == 0 {
            // Whole frames have to be decoded for it, and half of them suffice.
            return .hold
        }
        guard let level = level() else { return .hold }
        if let pending {
            guard pending.age >= Self.longestDelay || hasArrived(pending, level) else { return .hold }
            learn(from: pending, level)
            self.pending = nil
        }
        return decide(level)
    }

    /// Whether a setting shows. Of a small change nothing can be seen.
    private func hasArrived(_ pending: Pending, _ level: Double) -> Bool {
        guard let before = pending.level else { return true }
        let expected = min(before * (exp2(Self.slopes.lowerBound * pending.change) - 1), 1 - before)
        // What is saturated may stay so.
        guard expected.magnitude > 0.03, min(before, level) < Self.saturation else { return true }
        return (level - before) / expected > 0.25
    }

    /// Finds how much a step of light does.
    private mutating func learn(from pending: Pending, _ level: Double) {
        guard let before = pending.level, pending.isKnown, pending.change.magnitude >= 0.4,
            max(before, level) < Self.saturation
        else { return }
        let seen = log2(max(level, 0.01) / max(before, 0.01)) / pending.change
        slope = min(max(seen, Self.slopes.lowerBound), Self.slopes.upperBound)
        hasLearned = true
    }

    private mutating func decide(_ level: Double) -> Step {
        let distance = Self.target - level
        guard isAdjusting || isOff(distance) else { return .hold }
        if !isAdjusting {
            isAdjusting = true
            slope = Self.assumedSlope
            hasLearned = false
        }
        off = 0
        guard distance.magnitude > Self.goal, let (next, change) = next(level) else {
            isAdjusting = false
            return .hold
        }
        pending = Pending(level: level, change: change, isKnown: next.gain == setting.gain)
        setting = next
        return .set(next)
    }

    private mutating func isOff(_ distance: Double) -> Bool {
        guard distance.magnitude > Self.deadBand else {
            off = 0
            return false
        }
        off += 1
        return distance.magnitude > Self.large || off >= Self.lasting
    }

    /// The setting to go to, and the light that it adds in EV; nil if none is better than the present one.
    private func next(_ level: Double) -> (Setting, Double)? {
        let ratio = Self.target / max(level, 0.01)
        let slope = level < Self.saturation ? slope : Self.saturatedSlope
        let wanted = log2(ratio) / slope * (hasLearned ? Self.caution : 1)
        let change = min(max(wanted, -Self.longestStep), Self.longestStep)
        let (next, made) = moved(by: change)
        guard next != setting else { return nil }
        // A coarse dial may lead as far beyond, and would be turned to and fro.
        let before = Self.target - level, after = Self.target - level * exp2(max(slope, 0.6) * made)
        let isBeyond = (before < 0) != (after < 0)
        guard after.magnitude < (isBeyond ? 0.6 * before.magnitude : before.magnitude - 0.005) else { return nil }
        return (next, made)
    }

    /// The present setting with so much more light, as far as the dials go: gain is the last to be raised and the first
    /// to be lowered, because it brings noise.
    private func moved(by change: Double) -> (Setting, Double) {
        var next = setting, left = change
        if left < 0, let gain, let now = next.gain {
            (next.gain, left) = gain.lowered(now, by: left)
        }
        let exposed = exposure.scaled(next.exposure, by: left)
        left -= log2(Double(exposed) / Double(next.exposure))
        next.exposure = exposed
        // What is left beside rounding.
        if left > 0.1, exposed >= exposure.maximum, let gain, let now = next.gain {
            (next.gain, left) = gain.raised(now, by: left)
        }
        return (next, change - left)
    }
}
