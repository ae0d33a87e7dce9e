// SPDX-License-Identifier: MIT
// How late frames are when they are shown.

import LivecapFrames

/// The frames that a window has shown, and how much later than they were taken.
package struct WindowFigures: Hashable, Sendable {
    /// How many frames were shown.
    package private(set) var frames = 0
    private var delays: [Duration] = []

    /// So many of the last are looked at.
    private static let most = 1024

    package init() {}

    /// Counts a frame.
    package mutating func note(_ delay: Duration) {
        if delays.count < Self.most { delays.append(delay) } else { delays[frames % Self.most] = delay }
        frames += 1
    }

    /// The delay that a share of the frames does not exceed; nil before the first.
    package func delay(of share: Double) -> Duration? {
        guard !delays.isEmpty else { return nil }
        return delays.sorted()[min(delays.count - 1, Int(Double(delays.count) * share))]
    }
}
