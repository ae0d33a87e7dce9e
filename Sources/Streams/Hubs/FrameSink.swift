// SPDX-License-Identifier: MIT
// The seam for what takes a host's frames: it follows the host's streams through its starts and sources.

import FrameRing
import LivecapFrames
import LivecapPictures

/// Takes the frames of a host's streams, one stream after the other, from `HostSinks.attach` until it leaves.
///
/// But for `hostEnds`, it is called with the lock of the host's sinks, so it must neither wait, nor attach or leave
/// anything: what may block is done by a thread of its own. It is not called for each frame; it reads the ring
/// (`FrameSubscription`), or counts (`Ring.nextCounter`).
package protocol FrameSink: AnyObject, Sendable {
    /// A stream begins, in a ring of its own: the host starts, or takes another source. Called before its first frame,
    /// or when the sink is added while it flows. The one before has ended; its frames may not all be read. A camera
    /// that is unplugged and comes back, or is switched off and on, goes on in the same ring.
    func streamBegins(_ stream: SinkStream)
    /// The host no longer exists: no stream follows. Not called for sinks that have left.
    func hostEnds()
    /// The machine is under pressure, and frames of more than this rate are not to be made; nil for no limit.
    func limit(to rate: FrameRate?)
    /// What a movie costs with frames of a source, mounted so. Only movies have to say.
    func cost(of source: SourceDescription, _ mount: CameraMount) -> MovieCost
}

extension FrameSink {
    /// What makes no frames goes on.
    package func limit(to rate: FrameRate?) {}

    /// What makes no movie costs next to nothing.
    package func cost(of source: SourceDescription, _ mount: CameraMount) -> MovieCost { MovieCost() }
}

/// One stream of a host.
package struct SinkStream: Sendable {
    /// The source, as it was when the stream began: another camera may take its place.
    package let source: SourceDescription
    /// Where its frames are.
    package let ring: Ring
    /// Its JPEG frames, decoded once for all who look into them.
    package let planes: SharedPlanes
    /// For sources that wait for their readers.
    package let gate: FollowerGate?
    /// How the camera that delivers now is mounted and held.
    package let mount: @Sendable () -> CameraMount
    /// The name of the camera that delivered the frame of a counter: another may take the first one's place.
    package let camera: @Sendable (UInt64) -> String
    /// Keeps the camera on, or the stage at work, for as long as the result exists: for sinks that need frames to come.
    /// One that only watches does without.
    package let keepOn: @Sendable () -> any AnyObject & Sendable
    /// Keeps a stage at work for as long as the result exists, but only while its camera is on for others; nil where
    /// there is no stage.
    package let attend: @Sendable () -> (any AnyObject & Sendable)?
    /// Keeps other cameras from taking this one's place by themselves for as long as the result exists; nil where none
    /// can.
    package let holdCamera: @Sendable () -> (any AnyObject & Sendable)?
    /// Once the stream has ended, whether another takes its place.
    package let hasSuccessor: @Sendable () -> Bool
}
