// SPDX-License-Identifier: MIT
// The seam for outputs that other modules make: they follow a session's streams through its starts and sources.

import FrameRing
import LivecapFrames

/// Follows the streams of a session, one after the other. Called by threads that must not wait.
package protocol StreamFollower: AnyObject, Sendable {
    /// A stream begins: the session starts, or takes another source. Called before its first frame, or when the follower
    /// is added while it flows. The one before has ended; its frames may not all be read.
    func streamBegins(_ stream: FollowedStream)
    /// The session no longer exists: no stream follows.
    func sessionEnds()
    /// What it costs with frames of a source, mounted so.
    func cost(of source: SourceDescription, _ mount: CameraMount) -> MovieCost
}

extension StreamFollower {
    /// What makes no movie costs next to nothing.
    package func cost(of source: SourceDescription, _ mount: CameraMount) -> MovieCost { MovieCost() }
}

/// One stream of a session.
package struct FollowedStream: Sendable {
    /// The source, as it was when the stream began: another camera may take its place.
    package let source: SourceDescription
    /// Where its frames are.
    package let ring: Ring
    /// For sources that wait for their readers.
    package let gate: FollowerGate?
    /// How the camera that delivers now is mounted and held.
    package let mount: @Sendable () -> CameraMount
    /// Keeps the camera on while it exists.
    package let use: CameraUse

    init(_ ring: Ring, _ source: SourceDescription, gate: FollowerGate?, _ desk: Desk) {
        (self.source, self.ring, self.gate) = (source, ring, gate)
        mount = { desk.presentRotation?.capture ?? .upright }
        use = CameraUse(desk)
    }
}

extension CaptureSession {
    /// Adds a follower: of the present stream, if there is one, and of all that follow. The result removes it.
    package func follow(_ follower: any StreamFollower) -> @Sendable () -> Void {
        frameOutputs.add(follower)
        return { [weak frameOutputs] in frameOutputs?.remove(follower) }
    }
}
