// SPDX-License-Identifier: MIT
// Whose frames a window shows.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapStreams

/// The frames that a window shows, and what is to be known of them.
package struct WindowSource: Sendable {
    /// What makes the pictures of now.
    package let sinks: HostSinks
    /// The ring of now, with the past of the camera's own frames.
    package let ring: @Sendable () -> Ring
    /// The clock of its frames.
    package let clock: @Sendable () -> FrameClock
    /// How its frames are shown now.
    package let view: @Sendable () -> PictureView
    /// The time from one frame to the next.
    package let interval: @Sendable () -> Duration
    /// Whether the past is not to be shown: it has what effects hide.
    package let hidesPast: @Sendable () -> Bool
    /// Keeps the camera of the present ring on, until what this returns is released.
    package let keepOn: @Sendable () -> any Sendable

    package init(
        sinks: HostSinks, ring: @escaping @Sendable () -> Ring,
        clock: @escaping @Sendable () -> FrameClock = { .machine }, view: @escaping @Sendable () -> PictureView,
        interval: @escaping @Sendable () -> Duration, hidesPast: @escaping @Sendable () -> Bool,
        keepOn: @escaping @Sendable () -> any Sendable
    ) {
        self.sinks = sinks
        self.ring = ring
        self.clock = clock
        self.view = view
        self.interval = interval
        self.hidesPast = hidesPast
        self.keepOn = keepOn
    }

    /// The rail of the frames that are kept now, between two places; nil if there are none, or they are not shown.
    func rail(from left: Int, to right: Int) -> TimeRail? {
        guard !hidesPast() else { return nil }
        let ring = ring()
        guard let newest = ring.newestTime, let oldest = ring.beginOfHistory else { return nil }
        return TimeRail(oldest: oldest.time, newest: newest, interval: interval(), left: left, right: right)
    }
}
