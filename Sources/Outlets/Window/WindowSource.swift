// SPDX-License-Identifier: MIT
// Whose frames a window shows.

import FrameRing
import LivecapFrames
import LivecapStreams

/// The frames that a window shows, and what is to be known of them.
package struct WindowSource: Sendable {
    /// What makes the pictures of now.
    package let sinks: HostSinks
    /// The ring of now, with the past of the camera's own frames.
    package let ring: @Sendable () -> Ring
    /// How the camera is mounted and held now.
    package let mount: @Sendable () -> CameraMount
    /// The time from one frame to the next.
    package let interval: @Sendable () -> Duration
    /// Whether the past is not to be shown: it has what effects hide.
    package let hidesPast: @Sendable () -> Bool

    package init(
        sinks: HostSinks, ring: @escaping @Sendable () -> Ring, mount: @escaping @Sendable () -> CameraMount,
        interval: @escaping @Sendable () -> Duration, hidesPast: @escaping @Sendable () -> Bool = { false }
    ) {
        self.sinks = sinks
        self.ring = ring
        self.mount = mount
        self.interval = interval
        self.hidesPast = hidesPast
    }

    /// The rail of the frames that are kept now, between two places; nil if there are none, or they are not shown.
    func rail(from left: Int, to right: Int) -> TimeRail? {
        guard !hidesPast() else { return nil }
        let ring = ring()
        guard let newest = ring.newestTime, let oldest = ring.beginOfHistory else { return nil }
        return TimeRail(oldest: oldest.time, newest: newest, interval: interval(), left: left, right: right)
    }
}
