// SPDX-License-Identifier: MIT
// A host's present stream, for what is added to it.

import FrameRing
import LivecapFrames

/// The stream that a host has now, and what takes its frames.
package struct StreamView: Sendable {
    /// The source, with the format of the ring's frames.
    package let source: SourceDescription
    package let ring: Ring
    /// How the camera is mounted and held.
    package let mount: @Sendable () -> CameraMount
    /// Also takes the streams that follow.
    package let sinks: HostSinks
    /// What stages have done to the frames.
    package let treatment: FrameTreatment

    /// The stream of a source in `ring`.
    package init(
        source: SourceDescription, ring: Ring, mount: @escaping @Sendable () -> CameraMount, sinks: HostSinks,
        treatment: FrameTreatment = []
    ) {
        self.source = source
        self.ring = ring
        self.mount = mount
        self.sinks = sinks
        self.treatment = treatment
    }
}
