// SPDX-License-Identifier: MIT
// What one frame shows of light that changes.

import LivecapFrames

/// What one frame shows of light that changes, for finding the same change in another camera's frames.
package struct LightSample: Hashable, Sendable {
    /// The frame's time, as its camera states it.
    package var time: Timestamp
    /// The mean brightness of the picture, in any unit.
    package var brightness: Double
    /// The mean change of the picture's parts since the frame before, whichever way; nil if there is none to compare
    /// with, because it was lost.
    package var motion: Double?
    /// For how long the frame gathered light; nil if that is unknown.
    package var exposure: Duration?

    /// Creates a sample.
    package init(time: Timestamp, brightness: Double, motion: Double? = nil, exposure: Duration? = nil) {
        self.time = time
        self.brightness = brightness
        self.motion = motion
        self.exposure = exposure
    }
}
