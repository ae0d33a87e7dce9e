// SPDX-License-Identifier: MIT
// Whether a camera has found its exposure, by what its frames show.

import Frames

/// Watches the brightness of a stream's first frames, so that the first photo is not a dark one. No clock but the frames'.
///
/// Three usable frames in a row within a twentieth of their mean are settled: a camera that still adjusts moves by more. Light
/// that flickers, or a scene that changes, may never come to rest; then two seconds are enough.
package struct ExposureSettling: Hashable, Sendable {
    /// How far the exposure has come. The last two stay until a new epoch.
    package enum State: Hashable, Sendable {
        /// It may still change.
        case settling
        /// It has come to rest.
        case settled
        /// It has had its time.
        case timedOut
    }

    /// How long it may take, from the first frame on.
    package static let longest = TimeSpan.seconds(2)
    private static let tolerance = 0.05
    /// In the dark, a twentieth is less than rounding and noise: a code of eight bits is no change.
    private static let smallestChange = 1.0 / 255

    /// How far it has come.
    package private(set) var state = State.settling
    /// When it has had its time; nil before the first frame.
    package private(set) var deadline: Timestamp?
    private var epoch: UInt32?
    /// The brightness of the newest usable frames but one, and of the one before it.
    private var last: Double?
    private var secondLast: Double?

    /// An exposure nothing is known of.
    package init() {}

    /// Takes in a frame: its brightness from 0 to 1, or nil where it is damaged or says nothing. A new epoch begins anew: the
    /// camera may have been started again.
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
