// SPDX-License-Identifier: MIT
// Detects from its frames whether a camera's exposure has settled.

import LivecapFrames

/// Watches the brightness of a stream's first frames, so that the first photo is not dark. It uses no clock but the
/// frames' times.
///
/// The exposure has settled when three usable frames in a row are within a twentieth of their mean: a camera that still
/// adjusts changes more. Flickering light or a changing scene may never come to rest, so the wait ends after two
/// seconds.
package struct ExposureSettling: Hashable, Sendable {
    /// The progress of the exposure. The last two states stay until a new epoch.
    package enum State: Hashable, Sendable {
        /// It may still change.
        case settling
        /// It has come to rest.
        case settled
        /// It did not come to rest in time.
        case timedOut
    }

    /// The maximum time to wait, from the first frame on.
    package static let longest = Duration.seconds(2)
    private static let tolerance = 0.05
    /// In the dark, a twentieth is less than rounding and noise; a difference of one 8-bit code counts as no change.
    private static let smallestChange = 1.0 / 255

    /// The current state.
    package private(set) var state = State.settling
    /// When the wait ends; nil before the first frame.
    package private(set) var deadline: Timestamp?
    private var epoch: UInt32?
    /// The brightness of the last usable frame, and of the one before it.
    private var last: Double?
    private var secondLast: Double?

    /// Starts without any frame.
    package init() {}

    /// Takes in a frame's brightness from 0 to 1, or nil if the frame is damaged or cannot be measured. A new epoch
    /// starts over, because the camera may have been restarted.
    @discardableResult
    package mutating func note(_ brightness: Double?, at time: Timestamp, epoch: UInt32) -> State {
        if epoch != self.epoch {
            self = ExposureSettling()
            (self.epoch, deadline) = (epoch, time + Self.longest)
        }
        guard state == .settling else { return state }
        if let brightness {
            if let last, let secondLast, Self.areAlike(brightness, last, secondLast) { state = .settled }
            (secondLast, last) = (last, brightness)
        }
        if state == .settling, let deadline, time >= deadline { state = .timedOut }
        return state
    }

    private static func areAlike(_ a: Double, _ b: Double, _ c: Double) -> Bool {
        max(a, b, c) - min(a, b, c) <= max(tolerance * (a + b + c) / 3, smallestChange)
    }
}
