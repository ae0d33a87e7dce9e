// SPDX-License-Identifier: MIT
// A host of one stream, for what has a ring and no session.

import FrameRing
import LivecapFrames
import LivecapStreams

/// Serves outputs and other sinks with the frames of one ring, until the ring ends.
final class RingHost: Sendable {
    /// What takes the frames.
    let sinks = HostSinks()
    private let hub: FrameHub

    /// Begins with the next frame of the ring.
    init(_ ring: Ring, _ source: SourceDescription, gate: FollowerGate? = nil) {
        hub = FrameHub(ring, source, gate: gate, keepOn: { Nothing() })
        sinks.begin(hub)
    }

    /// What a ring without a camera that could be switched off needs to be kept on.
    private final class Nothing: Sendable {}

    /// Waits until the frames of the ring, which has ended, are served, and removes all sinks.
    func close() {
        sinks.stop(hub)
        sinks.end(hub, isLast: true)
        sinks.removeAll()
    }
}
