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
    private let camera: @Sendable (UInt64) -> String
    private let keepOn: @Sendable () -> any AnyObject & Sendable
    /// Made where pictures begin to be wanted, for the thread to take: no frame is missed until it does, and a source at the
    /// fast pace waits from that frame on.
    private let subscription = Guarded<FrameSubscription?>(nil)
    private let hasStopped = Atomic<Bool>(false)
    private let hasRetired = Atomic<Bool>(false)

    /// Creates the hub of a stream that has not begun.
    /// - Parameters:
    ///   - gate: what the stream waits at for its readers, if it does.
    ///   - mount: how the camera that delivers now is mounted and held.
    ///   - camera: the name of the camera that delivered the frame of a counter; by default the source's.
    ///   - keepOn: keeps the camera on for as long as the result exists.
    package init(
        _ ring: Ring, _ source: SourceDescription, gate: FollowerGate?,
        mount: @escaping @Sendable () -> CameraMount = { .upright },
        camera: (@Sendable (UInt64) -> String)? = nil,
        keepOn: @escaping @Sendable () -> any AnyObject & Sendable
    ) {
        self.ring = ring
        self.source = source
        self.gate = gate
        self.mount = mount
        self.camera = camera ?? { _ in source.name }
        self.keepOn = keepOn
    }

    /// The stream, for a sink.
    var stream: SinkStream {
        SinkStream(source: source, ring: ring, gate: gate, mount: mount, camera: camera, use: keepOn())
    }

    /// Subscribes to the ring, from its next frame on. With `waiting`, a source at the fast pace waits for the outputs.
    func join(waiting: Bool) {
        subscription.withLock { $0 = FrameSubscription(to: ring, gate: waiting ? gate : nil) }
    }

    /// The place in the ring where outputs begin, for the thread that serves them.
    func takeSubscription() -> FrameSubscription? { subscription.withLock { $0.take() } }

    /// Leaves the ring again, because no thread follows it.
    func leave() { subscription.withLock { $0 = nil } }

    /// Marks the stream as stopping: the hub waits for no reader any more. `HostSinks.stop` wakes those who wait.
    func stop() { hasStopped.store(true, ordering: .relaxed) }

    /// Notes that another stream takes this one's place.
    package func retire() { hasRetired.store(true, ordering: .relaxed) }

    /// Makes the loop look at its outputs again.
    func wake() { ring.wakeWaiters() }

    private var isStopping: Bool { hasStopped.load(ordering: .relaxed) }

    /// Serves the outputs until the stream has ended.
    func serve(_ sinks: HostSinks) {
        var frames = FrameSubscription(to: ring)
        var missed: UInt64 = 0
        var room = PictureRoom(source, [], version: nil, after: nil, keepOn)
        var meter = ShareMeter()
        while true {
            let event = frames.poll(room.wantsEvery ? .every : .newest)
            // Looked at once the frame is taken: an output that was added before it came gets it.
            if var change = sinks.change(since: room.version, for: self) {
                room = PictureRoom(source, change.outputs, version: change.version, after: room, keepOn)
                meter = ShareMeter()
                // A source at the fast pace would wait for nobody's sake.
                let subscription = change.subscription.take() ?? (room.isEmpty ? FrameSubscription(to: ring) : nil)
                if let subscription {
                    frames = subscription
                    missed = 0
                    continue
                }
            }
            switch consume event {
            case .ended:
                room.finish { isStopping }
                if !hasRetired.load(ordering: .relaxed) { sinks.streamEnded(self) }
                return
            case .timedOut:
                ring.wait(forCounter: room.isEmpty ? .max : frames.nextCounter) { sinks.version != room.version }
            case .frame(let lease):
                room.noteMissed(Int(clamping: frames.missed - missed))
                missed = frames.missed
                if gate != nil { room.waitForRoom { isStopping } }
                room.serve(lease, isNewest: ring.nextCounter == frames.nextCounter)
                if let share = meter.share() { sinks.note(share: share) }
            }
        }
    }
}
