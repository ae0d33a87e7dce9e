// SPDX-License-Identifier: MIT
// The outputs thread: takes the frames of one run, and makes the outputs' pictures.

import FrameRing
import LivecapFrames
import LivecapThreads

/// The frames of one run of a session, for its outputs.
final class OutputStream: Sendable {
    private let ring: Ring
    private let source: SourceDescription
    private let gate: FollowerGate?
    private let desk: Desk
    /// Joined before the source starts, so that a source at the fast pace waits from its first frame on.
    private let subscription = Guarded<FrameSubscription?>(nil)

    init(_ ring: Ring, _ source: SourceDescription, gate: FollowerGate?, _ desk: Desk) {
        (self.ring, self.source, self.gate, self.desk) = (ring, source, gate, desk)
    }

    /// The stream for outputs that other modules make.
    var followed: FollowedStream { FollowedStream(ring, source, gate: gate, desk) }

    /// Subscribes to the ring. With `waiting`, a source at the fast pace waits for the outputs.
    func join(waiting: Bool) {
        subscription.withLock { $0 = FrameSubscription(to: ring, gate: waiting ? gate : nil) }
    }

    /// Serves the outputs until the stream has ended.
    func serve(_ outputs: SessionOutputs) {
        guard var frames = subscription.withLock({ $0.take() }) else { preconditionFailure("nobody joined") }
        var (isWaiting, missed) = (false, UInt64(0))
        var room = PictureRoom(source, [], version: -1, after: nil)
        var use: CameraUse?
        var meter = ShareMeter()
        while true {
            let members = outputs.members
            if members.version != room.version {
                room = PictureRoom(source, members.outputs, version: members.version, after: room)
                use = members.outputs.isEmpty ? nil : use ?? CameraUse(desk)
                meter = ShareMeter()
            }
            // One that wants every frame was added to a source that does not wait yet.
            if room.wantsEvery, gate != nil, !isWaiting, frames.missed == 0 {
                frames = FrameSubscription(to: ring, gate: gate)
                (isWaiting, missed) = (true, 0)
            }
            switch frames.poll(room.wantsEvery ? .every : .newest) {
            case .ended:
                room.finish { desk.isStopping }
                // The session goes on with another source.
                if !desk.isRetired { outputs.streamEnded(self) }
                return
            case .timedOut: _ = ring.wait(forCounter: frames.nextCounter, until: .now + Self.look)
            case .frame(let lease):
                room.noteMissed(Int(clamping: frames.missed - missed))
                missed = frames.missed
                if gate != nil { room.waitForRoom { desk.isStopping } }
                room.serve(lease, isNewest: ring.nextCounter == frames.nextCounter)
                if let share = meter.share() { outputs.note(share: share) }
            }
            _ = use
        }
    }

    /// How often the thread looks for changes of the outputs, when no frames come.
    private static let look = Duration.milliseconds(50)
}
