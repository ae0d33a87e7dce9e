// SPDX-License-Identifier: MIT
// The one loop that hands the frames of a stream to all who want pictures of them.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapThreads
import Synchronization

/// Makes the pictures of a stream's outputs: one thread follows the ring, and decodes a frame once for all of them.
///
/// It sleeps until there is a frame, other outputs, or an end: nothing is looked for meanwhile.
package final class FrameHub: Sendable {
    private let ring: Ring
    private let source: SourceDescription
    private let gate: FollowerGate?
    private let mount: @Sendable () -> CameraMount
    private let camera: @Sendable (UInt64) -> String?
    private let keepOn: @Sendable () -> any AnyObject & Sendable
    /// Joined when pictures are first wanted, so that none is missed until the thread looks, and that a source at the fast
    /// pace waits from its first frame on.
    private let subscription = Guarded<FrameSubscription?>(nil)
    private let hasJoinedGate = Atomic<Bool>(false)
    private let hasStopped = Atomic<Bool>(false)
    private let hasRetired = Atomic<Bool>(false)

    /// Creates the hub of a stream that has not begun.
    /// - Parameters:
    ///   - gate: what the stream waits at for its readers, if it does.
    ///   - mount: how the camera that delivers now is mounted and held.
    ///   - camera: the name of the camera that delivered the frame of a counter, if that is known.
    ///   - keepOn: keeps the camera on for as long as the result exists.
    package init(
        _ ring: Ring, _ source: SourceDescription, gate: FollowerGate?,
        mount: @escaping @Sendable () -> CameraMount = { .upright },
        camera: @escaping @Sendable (UInt64) -> String? = { _ in nil },
        keepOn: @escaping @Sendable () -> any AnyObject & Sendable
    ) {
        self.ring = ring
        self.source = source
        self.gate = gate
        self.mount = mount
        self.camera = camera
        self.keepOn = keepOn
    }

    /// The stream, for a sink.
    var stream: SinkStream {
        SinkStream(source: source, ring: ring, gate: gate, mount: mount, camera: camera, use: keepOn())
    }

    /// Subscribes to the ring, from its next frame on. With `waiting`, a source at the fast pace waits for the outputs.
    func join(waiting: Bool) {
        subscription.withLock { $0 = FrameSubscription(to: ring, gate: waiting ? gate : nil) }
        hasJoinedGate.store(waiting && gate != nil, ordering: .relaxed)
    }

    /// Notes that the stream is being stopped: nobody is waited for any more. `HostSinks.stop` tells those who wait.
    func stop() { hasStopped.store(true, ordering: .relaxed) }

    /// Notes that another stream takes this one's place.
    package func retire() { hasRetired.store(true, ordering: .relaxed) }

    /// Makes the loop look at its outputs again.
    func wake() { ring.wakeWaiters() }

    private var isStopping: Bool { hasStopped.load(ordering: .relaxed) }

    /// Serves the outputs until the stream has ended.
    func serve(_ sinks: HostSinks) {
        var frames = FrameSubscription(to: ring)
        var (isWaiting, missed) = (false, UInt64(0))
        var room: PictureRoom?
        var use: (any AnyObject & Sendable)?
        var meter = ShareMeter()
        while true {
            let members = sinks.members
            if members.version != room?.version {
                let wanted = members.outputs.filter(\.isWanted)
                let joined = subscription.withLock { $0.take() }
                if let joined {
                    frames = joined
                    (isWaiting, missed) = (hasJoinedGate.load(ordering: .relaxed), 0)
                }
                if wanted.isEmpty {
                    // A source need not wait for nobody.
                    frames = FrameSubscription(to: ring)
                    (isWaiting, missed) = (false, 0)
                }
                room = PictureRoom(source, wanted, version: members.version, after: room)
                use = wanted.isEmpty ? nil : use ?? keepOn()
                meter = ShareMeter()
            }
            let room = room!
            if room.isEmpty {
                ring.wait(forCounter: .max) { sinks.version != room.version }
                guard ring.isEnded, sinks.version == room.version else { continue }
            }
            // One that wants every frame was added to a source that does not wait yet.
            if room.wantsEvery, gate != nil, !isWaiting, frames.missed == 0 {
                frames = FrameSubscription(to: ring, gate: gate)
                (isWaiting, missed) = (true, 0)
            }
            switch frames.poll(room.wantsEvery ? .every : .newest) {
            case .ended:
                room.finish { isStopping }
                if !hasRetired.load(ordering: .relaxed) { sinks.streamEnded(self) }
                return
            case .timedOut: ring.wait(forCounter: frames.nextCounter) { sinks.version != room.version }
            case .frame(let lease):
                room.noteMissed(Int(clamping: frames.missed - missed))
                missed = frames.missed
                if gate != nil { room.waitForRoom { isStopping } }
                room.serve(lease, isNewest: ring.nextCounter == frames.nextCounter)
                if let share = meter.share() { sinks.note(share: share) }
            }
            _ = use
        }
    }
}
