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
    private let planes = SharedPlanes()
    private let gate: FollowerGate?
    private let mount: @Sendable () -> CameraMount
    private let camera: @Sendable (UInt64) -> String
    private let keepOn: @Sendable () -> any AnyObject & Sendable
    private let attend: @Sendable () -> (any AnyObject & Sendable)?
    private let holdCamera: @Sendable () -> (any AnyObject & Sendable)?
    /// Made where pictures begin to be wanted, for the thread to take: no frame is missed until it does, and a source
    /// at the fast pace waits from that frame on.
    private let beginning = Guarded<Beginning?>(nil)
    private let hasStopped = Atomic<Bool>(false)
    private let hasRetired = Atomic<Bool>(false)
    private let hasKnownSuccessor: @Sendable () -> Bool

    /// Where outputs begin, and what keeps the camera on until the thread does.
    struct Beginning: ~Copyable, Sendable {
        var frames: FrameSubscription
        let use: any AnyObject & Sendable
    }

    /// Creates the hub of a stream that has not begun.
    /// - Parameters:
    ///   - gate: what the stream waits at for its readers, if it does.
    ///   - mount: how the camera that delivers now is mounted and held.
    ///   - camera: the name of the camera that delivered the frame of a counter; by default the source's.
    ///   - hasSuccessor: once the ring has ended, whether another stream takes this one's place, beside what `retire`
    ///     says.
    ///   - keepOn: keeps the camera on for as long as the result exists.
    ///   - attend: keeps a stage that makes the frames at work for as long as the result exists.
    ///   - holdCamera: keeps other cameras from taking its place for as long as the result exists.
    package init(
        _ ring: Ring, _ source: SourceDescription, gate: FollowerGate?,
        mount: @escaping @Sendable () -> CameraMount = { .upright },
        camera: (@Sendable (UInt64) -> String)? = nil,
        hasSuccessor: @escaping @Sendable () -> Bool = { false },
        keepOn: @escaping @Sendable () -> any AnyObject & Sendable,
        attend: @escaping @Sendable () -> (any AnyObject & Sendable)? = { nil },
        holdCamera: @escaping @Sendable () -> (any AnyObject & Sendable)? = { nil }
    ) {
        self.ring = ring
        self.source = source
        self.gate = gate
        self.mount = mount
        self.camera = camera ?? { _ in source.name }
        hasKnownSuccessor = hasSuccessor
        self.keepOn = keepOn
        self.attend = attend
        self.holdCamera = holdCamera
    }

    /// The stream, for a sink.
    var stream: SinkStream {
        SinkStream(
            source: source, ring: ring, planes: planes, gate: gate, mount: mount, camera: camera, keepOn: keepOn,
            attend: attend, holdCamera: holdCamera, hasSuccessor: { self.hasSuccessor })
    }

    /// Subscribes to the ring, from its next frame on. With `waiting`, a source at the fast pace waits for the outputs.
    func join(waiting: Bool) {
        let use = keepOn()
        leave()
        beginning.withLock {
            $0 = Beginning(frames: FrameSubscription(to: ring, gate: waiting ? gate : nil), use: use)
        }
    }

    /// The place in the ring where outputs begin, for the thread that serves them.
    func takeBeginning() -> Beginning? { beginning.withLock { $0.take() } }

    /// Leaves the ring again, because no thread follows it.
    func leave() { _ = takeBeginning() }

    /// Marks the stream as stopping: the hub waits for no reader any more. `HostSinks.stop` wakes those who wait.
    func stop() { hasStopped.store(true, ordering: .relaxed) }

    /// Notes that another stream takes this one's place.
    package func retire() { hasRetired.store(true, ordering: .relaxed) }

    /// Whether another stream takes this one's place once it has ended.
    private var hasSuccessor: Bool { hasRetired.load(ordering: .relaxed) || hasKnownSuccessor() }

    /// Makes the loop look at its outputs again.
    func wake() { ring.wakeWaiters() }

    private var isStopping: Bool { hasStopped.load(ordering: .relaxed) }

    /// Serves the outputs until the stream has ended.
    func serve(_ sinks: HostSinks) {
        var frames = FrameSubscription(to: ring)
        var missed: UInt64 = 0
        var room = PictureRoom(source, planes: planes, [], version: nil, after: nil, keepOn)
        var meter = ShareMeter()
        while true {
            let event = frames.poll(room.wantsEvery ? .every : .newest)
            // Looked at once the frame is taken: an output that was added before it came gets it.
            if var change = sinks.change(since: room.version, for: self) {
                room = PictureRoom(
                    source, planes: planes, change.outputs, version: change.version, maxRate: change.maxRate,
                    after: room, keepOn)
                meter = ShareMeter()
                if let beginning = change.beginning.take() {
                    frames = beginning.frames
                    missed = 0
                    continue
                } else if room.isEmpty {
                    // A source at the fast pace would wait for nobody's sake.
                    frames = FrameSubscription(to: ring)
                    missed = 0
                    continue
                }
            }
            switch consume event {
            case .ended:
                room.finish { isStopping }
                if !hasSuccessor { sinks.streamEnded(self) }
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
