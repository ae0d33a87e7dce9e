// SPDX-License-Identifier: MIT
// Where taps, frames and workers meet: the state of all shots in progress, guarded by one lock.

import Camera
import FrameRing
import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapStills
import LivecapThreads
import Synchronization

/// The state of a session's shots. None of it is on the frame path: its lock is taken a few times per tap and once per
/// frame, never by the capture thread, and never for longer than it takes to find a handful of frames.
///
/// A shot waits (for its moment, its frames, or room) until it is captured, which means that its frames are held. Once
/// they are all read, a worker takes it and develops it; after that it belongs to the store until `finish`.
final class Desk: Sendable {
    let state: Guarded<State>
    /// Numbers the shots, also those of desks after this one.
    let numbers: ShotNumbers
    let ring: Ring
    let description: SourceDescription
    let plan: MemoryPlan
    let formats: Set<StillFormat>
    let overload: OverloadPolicy
    let pressurePolicy: PressurePolicy
    let patience: Patience
    let workers: Int
    /// Whether frames can be fused as delivered; JPEG frames are judged one by one.
    let canFuse: Bool
    /// Whether the source waits for its consumers.
    let isFast: Bool
    let readiness: ReadinessCoordinator
    let trace: Trace?
    /// Where photos without a file of their own go; nil without a library.
    let archive: Archive?
    /// The camera's switch, and how long it is on without a need; nil if it is never switched off.
    let power: SourcePower?
    let idleOff: Duration?
    /// What photos are turned by; nil if nothing is known of it.
    let rotation: RotationCoordinator?
    /// Notified when shots need the processors; nil if nothing else would use them.
    let finishing: FinishingGate?
    private let wallClock = SteadyWallClock()
    /// Results that workers have computed between frames, shared by all of them.
    let links = FrameLinks()
    /// Rings when there is work, or a shot has ended.
    let bell = Doorbell(spinNanoseconds: 0)
    /// The number of jobs to take. Written with the lock held; read without it by workers that wait.
    let jobs = Atomic<Int>(0)
    /// How many of them are frames to be read, which come before everything else.
    let urgentJobs = Atomic<Int>(0)

    init(
        _ ring: Ring, description: SourceDescription, plan: MemoryPlan, options: SessionOptions,
        isFast: Bool, archive: Archive? = nil, finishing: FinishingGate? = nil, power: SourcePower? = nil,
        rotation: RotationCoordinator? = nil, readiness: ReadinessCoordinator,
        after previous: Desk? = nil
    ) throws(PhotoError) {
        let judge = description.format.pixelFormat.isJPEG ? try FrameJudge() : nil
        self.ring = ring
        self.description = description
        self.plan = plan
        self.isFast = isFast
        // What nobody makes is not waited for.
        overload = options.takesPhotos ? options.overload : .refuse
        workers = plan.workers
        trace = options.trace
        self.readiness = readiness
        patience = options.patience
        formats = options.formats
        self.archive = archive
        self.finishing = finishing
        self.rotation = rotation
        pressurePolicy = options.pressurePolicy
        self.power = options.idleOff == nil ? nil : power
        idleOff = options.idleOff
        canFuse = Fuser.takes(description.format)
        let switches =
            previous?.switches
            ?? Switches(
                hasPast: options.isZeroShutterLagEnabled, isResponsive: options.isResponsiveCaptureEnabled,
                isPrioritizing: options.isFastCapturePrioritizationEnabled)
        state = Guarded(
            State(
                frames: FrameIntake(
                    shelf: FrameShelf(
                        capacity: switches.isResponsive ? plan.frames : min(plan.frames, Fuser.maxFrames)),
                    shape: FrameShape(raw: description.format), judge: judge),
                switches: switches))
        numbers = previous?.numbers ?? ShotNumbers()
    }

    /// The calendar time of a moment on the source's clock; nil if it is unknown.
    func wallTime(of moment: Timestamp) -> CalendarTime? {
        description.clock == .own ? description.wallTime(of: moment) : wallClock.time(of: moment)
    }

    /// The interval between frames, as far as known.
    var interval: Duration { description.interval }

    /// Changes the state, and then notifies all threads that wait for something that may have come of it.
    @discardableResult
    func update<Result>(taking tracked: TrackedRequest? = nil, _ body: (inout State) -> sending Result) -> Result {
        let result = change(taking: tracked, body)
        bell.ring()
        return result
    }

    /// Changes the state without ringing the bell.
    func change<Result>(taking tracked: TrackedRequest? = nil, _ body: (inout State) -> sending Result) -> Result {
        state.withLock { state in
            let wasRetired = state.stream.isRetired
            let result = body(&state)
            noteNeed(&state)
            countJobs(state)
            readiness.update(takingOver: tracked) { if !wasRetired { describe(&state, in: &$0) } }
            finishing?.note(isBusy: state.shots.processing + state.shots.dueCount > 0)
            traceQueues(state)
            return result
        }
    }

    /// Publishes how many jobs there are. Pairs with the acquiring loads of `hasJobs` and `hasUrgentJobs`.
    func countJobs(_ state: borrowing State) {
        let discards = state.frames.shelf.hasSurplus ? 1 : 0
        jobs.store(state.frames.unread.count + state.shots.ready.count + discards, ordering: .releasing)
        urgentJobs.store(state.frames.unread.count, ordering: .releasing)
    }

    /// Whether there is a job to take; read without the lock by a worker before it sleeps.
    var hasJobs: Bool { jobs.load(ordering: .acquiring) > 0 }
    /// Whether a frame waits to be read.
    var hasUrgentJobs: Bool { urgentJobs.load(ordering: .acquiring) > 0 }

    /// Whether another shot like the last one finds room now: for its file, for the frames it does not share with other
    /// shots, and for their leases. False if other shots wait for room, because they come first.
    func hasRoom(_ state: borrowing State) -> Bool { hasRoom(for: state.estimates.lastFrames, state) }

    /// The same for a shot of so many frames.
    func hasRoom(for count: Int) -> Bool { state.withLock { hasRoom(for: count, $0) } }

    private func hasRoom(for count: Int, _ state: borrowing State) -> Bool {
        state.shots.shortOfRoom == 0 && state.shots.processing < maxShots(state) && canPin(count, state)
            && state.frames.shelf.hasRoom(forNewest: count, below: ring.nextCounter)
    }

    /// How many shots may be between having their frames and having their files written.
    func maxShots(_ state: borrowing State) -> Int { state.stream.isRetired ? 1 : plan.shots }

    /// Whether `count` more frames may wait to be read. At most half of the history may, unless all are one shot's: the
    /// camera has no slots except those that are not leased.
    func canPin(_ count: Int, _ state: borrowing State) -> Bool { canPin(count, besides: state.frames.unread.count) }

    /// The same when `unread` frames wait already.
    func canPin(_ count: Int, besides unread: Int) -> Bool { unread == 0 || unread + count <= ring.historyLimit / 2 }
}

/// Gives each shot of a session its number.
final class ShotNumbers: Sendable {
    private let last = Atomic<UInt64>(0)

    /// The next number. Relaxed: nothing but the number itself depends on it.
    func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
