// SPDX-License-Identifier: MIT
// Connects a source, its ring, and everything that takes photos from it: the whole engine. Read this file first.

import Camera
import FrameRing
import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage
import LivecapStills
import LivecapStreams
import LivecapThreads

/// One run of a session: a source that is open, from then until all that came of it is done.
///
/// Its threads, none of which is Swift's own: `capture` fills the ring and waits for nothing; `select` looks at each
/// frame and serves the taps that wait for it; `outputs` makes the pictures of frame outputs, if there are any;
/// `develop 1` and following read frames, fuse and encode; `store 1` and `store 2` write files; `finish` makes the
/// finals of deferred photos while the session is idle.
final class SessionRun: Sendable {
    let description: SourceDescription
    let granted: GrantedCapacity
    let history: Duration
    let desk: Desk
    let gate: FollowerGate?
    /// Rings after each frame, and at the end.
    let arrivals = AsyncBell()

    private let firstEpoch: UInt32
    private let threads: Int
    private let formats: Set<StillFormat>
    private let photosMayHaveEffects: Bool
    let loop: CaptureLoop
    /// Nil if the session takes no photos.
    private let works: PhotoWorks?
    private let selecting: FrameWatch
    private let pressures: PressureFollower
    private let sinks: HostSinks
    private let hub: FrameHub
    /// Locked while the run begins or ends, so that a concurrent second `end()` waits for the first.
    private let thread = Guarded<SystemThread?>(nil)

    /// Prepares a run of an open source. With a `gate`, the source waits for the session instead of outrunning it.
    /// Shots and epochs are numbered on from those of `previous`, and its switches stay. If that run is retired, it
    /// stays so if there is memory for both, and otherwise ends.
    init(
        _ source: sending any FrameSource, gate: FollowerGate?, options: SessionOptions,
        readiness: ReadinessCoordinator, sinks: HostSinks, events: EventLog<SessionEvent>,
        after previous: SessionRun? = nil
    ) throws(CameraError) {
        let level = try Self.level(options)
        description = source.description
        self.gate = gate
        history = try options.history(of: description)
        threads = options.threads
        formats = options.formats
        photosMayHaveEffects = options.photosMayHaveEffects
        let (plan, finishing) = try Self.plan(description, history, options, after: previous)
        firstEpoch = previous?.nextEpoch ?? 0
        var capacity = RingCapacity(duration: history, byteCap: plan.ring, isShared: options.isShared)
        capacity.prefersSharing = options.prefersSharing
        let loop = try CaptureLoop(
            source, capacity: capacity,
            isRealTime: options.isRealTime, firstEpoch: firstEpoch)
        let desk: Desk
        do throws(PhotoError) {
            desk = try Desk(
                loop.ring, description: loop.description, plan: plan, options: options, isFast: gate != nil,
                archive: options.library.map { [source = loop.description] in Archive($0, source) },
                finishing: finishing != nil ? Self.gate(options) : nil, power: loop.power, rotation: loop.rotation,
                readiness: readiness, after: previous?.desk
            )
        } catch { throw .noMemory(bytes: 1 << 20) }
        works =
            options.takesPhotos
            ? try PhotoWorks(desk, options: options, level: level, finishing: finishing ?? 0, events: events) : nil
        self.desk = desk
        self.loop = loop
        granted = loop.granted
        desk.rotation?.follow()
        pressures = previous?.pressures ?? PressureFollower(root: options.pressureRoot, events)
        pressures.inform(desk, sinks)
        if desk.power != nil { readiness.onNeed { [weak desk] in desk?.wakeCamera() } }
        self.sinks = sinks
        hub = FrameHub(
            loop.ring, loop.description, gate: gate, mount: { desk.presentRotation?.capture ?? .upright },
            camera: { [weak loop, name = loop.description.name] in loop?.source(ofFrame: $0).name ?? name },
            keepOn: { CameraUse(desk) }, holdCamera: { [hold = loop.hold] in hold?.take() })
        // Without photos, nothing that it does needs every frame.
        selecting = FrameWatch(
            desk, loop: loop, gate: options.takesPhotos ? gate : nil, isRealTime: options.isRealTime, events: events,
            arrivals: arrivals, takesPhotos: options.takesPhotos)
    }

    /// Starts the source. To be called once; does nothing if the run was ended before.
    func begin() {
        let watch = selecting
        thread.withLock { thread in
            guard desk.startStream() else { return }
            if desk.pressurePolicy != .none { _ = pressure }
            watch.join()
            sinks.begin(hub)
            do throws(SystemShortage) {
                thread = try SystemThread(name: "select") { watch.run() }
                loop.start()
            } catch {
                loop.fail(.shortage(error))
                watch.fail(.shortage(error))
            }
        }
    }

    /// Stops the source, finishes the shots whose frames have arrived, and ends all threads. All other shots fail as
    /// `streamEnded`. May be called again without effect.
    func end() {
        thread.withLock { thread in
            stopStream()
            loop.stop()
            thread.take()?.join()
            // If nothing was ever started, no frame will come either.
            desk.streamEnded(nil)
            sinks.end(hub, isLast: true)
            desk.waitUntilDone()
            works?.close()
            arrivals.ring()
        }
    }

    /// Stops the source, finishes the shots in progress, and gives most of the memory back. Photos can still be taken
    /// of the history, one at a time, until `end`.
    func retire() {
        thread.withLock { thread in
            desk.retire()
            hub.retire()
            loop.stop()
            thread.take()?.join()
            desk.streamEnded(nil)
            sinks.end(hub, isLast: false)
            desk.waitUntilDone()
            works?.retire()
            arrivals.ring()
        }
    }

    /// Whether it is retired and has not ended, so that photos can be taken of its history, by times that also hold for
    /// a source with that clock.
    func servesPast(beside clock: SourceClock) -> Bool {
        desk.isRetired && !desk.isStopping && ring.newestTime != nil && description.clock == .monotonic
            && clock == .monotonic
    }

    /// The epoch of the next run's first frame: ids name one frame of the whole session.
    private var nextEpoch: UInt32 {
        guard let newest = ring.leaseNewest()?.metadata else { return firstEpoch }
        return newest.id.epoch + 1
    }

    /// Refuses taps from here on, and waits for no reader any more.
    func stopStream() {
        desk.stopStream()
        sinks.stop(hub)
    }

    /// Cancels every shot that is not stored yet.
    func cancelAll() {
        stopStream()
        desk.cancelAll()
    }

    /// What follows the pressure on the machine, from the first time it is asked for. Nil if the system has no thread
    /// left for it.
    var pressure: SystemPressureMonitor? {
        pressures.monitor
    }

    /// What was noticed of the source so far.
    var notices: [CaptureLoop.Notice] { loop.notices }
    /// The failure the source ended with, if any.
    var failure: CameraError? { if case .failed(let error) = loop.state { error } else { nil } }
    /// Whether there is a history to take photos from.
    var keepsHistory: Bool { granted.duration > .zero }
    /// The ring being filled.
    var ring: Ring { loop.ring }

    /// Divides the memory. A retired run before this one goes on if this one's history and workers do not suffer by it,
    /// and otherwise ends.
    private static func plan(
        _ description: SourceDescription, _ history: Duration, _ options: SessionOptions, after previous: SessionRun?
    ) throws(CameraError) -> (MemoryPlan, finishing: Int?) {
        if !options.takesPhotos {
            previous?.end()
            return (MemoryPlan(ofRing: options.memory ?? RingCapacity.standard.byteCap), nil)
        }
        guard let previous, previous.servesPast(beside: description.clock) else {
            previous?.end()
            return try plan(description, history, options, besides: 0)
        }
        do throws(CameraError) {
            let alone = try plan(description, history, options, besides: 0)
            if let both = try? plan(description, history, options, besides: previous.desk.plan.retired),
                both.0.ring == alone.0.ring, both.0.workers == alone.0.workers
            {
                return both
            }
        } catch {
            // The history takes addresses, too.
            guard case .shortage = error else { throw error }
        }
        previous.end()
        return try plan(description, history, options, besides: 0)
    }

    /// Divides the memory that is left beside `others` bytes. `finishing` is the number of bytes for finishing photos
    /// while the session is idle: 0 if there are none to spare, nil if the session finishes no photos.
    private static func plan(
        _ description: SourceDescription, _ history: Duration, _ options: SessionOptions, besides others: Int
    ) throws(CameraError) -> (MemoryPlan, finishing: Int?) {
        func plan(_ memory: Int) throws(CameraError) -> MemoryPlan {
            try MemoryPlan(
                memory, description, history: history, threads: options.threads, formats: options.formats,
                withEffects: options.photosMayHaveEffects)
        }
        let finishes = options.library != nil && options.finishingDelay != nil
        let finishing =
            finishes
            ? PhotoMemory.finishing(
                description.format, options.formats, withEffects: options.photosMayHaveEffects) : 0
        let wanted =
            options.memory.map { $0 - others }
            ?? MemoryPlan.usual(
                description, history: history, threads: options.threads, formats: options.formats,
                withEffects: options.photosMayHaveEffects, more: finishing,
                machine: (ThreadPool.physicalMemory - 2 * others) / max(1, options.memoryShare))
        // With a limited address space, memory that cannot be had is not promised.
        let memory = min(wanted, AddressSpace.room(besideThreads: options.threads + otherThreads))
        if finishes, let plan = try? plan(memory - finishing) { return (plan, finishing) }
        do throws(CameraError) { return (try plan(memory), finishes ? 0 : nil) } catch {
            throw memory < wanted ? .shortage(.addresses) : error
        }
    }

    /// The memory that a session like this needs to keep `history`; nil if no amount suffices.
    func memory(forHistory history: Duration) -> Int? {
        let plan = RingCapacity(duration: history, byteCap: .max).plan(
            format: description.format, rate: description.rate, reserve: description.reserve)
        guard plan?.limit == .asked else { return nil }
        return MemoryPlan.whole(
            description, history: history, threads: threads, formats: formats, withEffects: photosMayHaveEffects)
    }

    /// Threads other than those that develop photos: the engine's, those of Swift's tasks, and the program's.
    private static let otherThreads = 12 + ThreadPool.processors

    /// Holds up finishing while there are shots, unless a program is waiting for a final.
    private static func gate(_ options: SessionOptions) -> FinishingGate {
        let demand = options.library?.demand
        return FinishingGate(unless: { demand?.isThere ?? false })
    }

    private static func level(_ options: SessionOptions) throws(CameraError) -> KernelLevel {
        do throws(FusionError) {
            let level = if let level = options.level { level } else { try KernelLevel.chosen() }
            guard level.isSupported else { throw .unsupportedLevel(level.rawValue, supported: KernelLevel.supported) }
            return level
        } catch {
            throw .badSettings(error.message, hint: error.hint)
        }
    }
}
