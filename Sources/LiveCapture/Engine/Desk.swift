// SPDX-License-Identifier: MIT
// Where taps, frames and workers meet: the state of all shots in progress, guarded by one lock.

import Camera
import Developing
import FrameRing
import Frames
import FusionKernels
import Stills
import Synchronization
import Threads

/// The state of a session's shots. None of it is on the frame path: its lock is taken a few times per tap and once per
/// frame, never by the capture thread, and never for longer than it takes to find a handful of frames.
///
/// A shot goes from `waiting` (for its frames, or for room) through `reading` (its frames are held, but not all read
/// yet) to `ready`. A worker takes it from there and develops it; after that it belongs to the store until `finish`.
final class Desk: Sendable {
    struct State {
        var lastShot: UInt64 = 0
        var stream = StreamPhase.idle
        /// Whether the stream is being stopped or was. Taps are then refused, because soon nothing will serve them.
        var isStopping = false
        /// The first frame's time; nil until there is one.
        var firstTime: Timestamp?
        /// Ordered by moment, unknown moments last, and then by number.
        var waiting: [Shot] = []
        var reading: [Shot] = []
        var ready: [Shot] = []
        /// Being developed or stored.
        var inWork: [ShotID: Shot] = [:]
        /// Frames not yet read.
        var unread: [ShelvedFrame] = []
        var shelf: FrameShelf
        /// The shape frames are fused as; nil until a JPEG frame could be judged, and if frames cannot be fused.
        var shape: FrameShape?
        /// Reads the headers of JPEG frames; nil for other formats.
        let judge: FrameJudge?
        var prioritizer = ShotPrioritizer()
        /// How long each stage has taken so far.
        var times = StageTimes()
        let workers: Int
        /// When the workers' progress was last noted, and how many workers are reading a frame.
        var progressNoted = Timestamp.zero, framesInReading = 0
        /// When the wait for room was last forecast.
        var forecastMade = Timestamp.zero
        /// Whether the exposure was seen to hold still, and whether waiting for that is over.
        var isExposureSettled = false, isExposureDone = false
        /// How many waiting shots are due: they wait for more frames, or for room.
        var dueCount = 0
        /// How many of those lack room, or wait after a shot that does.
        var shortOfRoom = 0
        /// How many frames the last shot was to have.
        var lastFrames = PhotoSettings().demand.count
        var isInterrupted = false
        var isResponsive: Bool
        var isPrioritizing: Bool
        var hasPast: Bool
        var maxQuality = PhotoQuality.quality
        /// Whether the output may defer shots on its own initiative.
        var isDeferring = true

        /// The number of shots whose frames are held and whose files are not written yet.
        var processing: Int { reading.count + ready.count + inWork.count }
        /// The number of shots that are neither done nor failed.
        var shotsInProgress: Int { waiting.count + processing }
    }

    enum StreamPhase: Hashable {
        case idle, running
        case ended(CameraError?)
    }

    let state: Guarded<State>
    let ring: FrameRing
    let description: SourceDescription
    let plan: MemoryPlan
    let formats: Set<StillFormat>
    let overload: OverloadPolicy
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
    /// Notified when shots need the processors; nil if nothing else would use them.
    let finishing: FinishingGate?
    /// Results that workers have computed between frames, shared by all of them.
    let links = FrameLinks()
    /// Rings when there is work, or a shot has ended.
    let bell = Doorbell(spinNanoseconds: 0)
    /// The number of jobs to take. Written with the lock held; read without it by workers that wait.
    let jobs = Atomic<Int>(0)
    /// How many of them are frames to be read, which come before everything else.
    let urgentJobs = Atomic<Int>(0)

    init(
        _ ring: FrameRing, _ description: SourceDescription, _ plan: MemoryPlan, _ options: SessionOptions,
        isFast: Bool, archive: Archive? = nil, finishing: FinishingGate? = nil, _ readiness: ReadinessCoordinator
    ) throws(PhotoError) {
        let judge = description.format.pixelFormat.layout == .jpeg ? try FrameJudge() : nil
        (self.ring, self.description, self.plan, self.isFast) = (ring, description, plan, isFast)
        (overload, workers, trace, self.readiness) = (options.overload, plan.workers, options.trace, readiness)
        (patience, formats) = (options.patience, options.formats)
        (self.archive, self.finishing) = (archive, finishing)
        canFuse = Fuser.takes(description.format)
        state = Guarded(
            State(
                shelf: FrameShelf(capacity: plan.frames), shape: FrameShape(raw: description.format), judge: judge,
                workers: plan.workers, isResponsive: options.isResponsiveCaptureEnabled,
                isPrioritizing: options.isFastCapturePrioritizationEnabled,
                hasPast: options.isZeroShutterLagEnabled))
    }

    /// The shape frames are fused as; nil until it is known, and if frames cannot be fused.
    var shape: FrameShape? { state.withLock { $0.shape } }

    /// The interval between frames, as far as known.
    var interval: TimeSpan { description.interval }

    /// Changes the state, and then notifies all threads that wait for something that may have come of it.
    @discardableResult
    func update<Result>(taking tracked: TrackedRequest? = nil, _ body: (inout State) -> sending Result) -> Result {
        let result = state.withLock { state in
            let result = body(&state)
            // Pairs with the acquiring loads of `hasJobs` and `hasUrgentJobs`.
            jobs.store(state.unread.count + state.ready.count, ordering: .releasing)
            urgentJobs.store(state.unread.count, ordering: .releasing)
            readiness.update(takingOver: tracked) { describe(&state, in: &$0) }
            finishing?.note(isBusy: state.processing + state.dueCount > 0)
            traceQueues(state)
            return result
        }
        bell.ring()
        return result
    }

    /// Whether there is a job to take; read without the lock by a worker before it sleeps.
    var hasJobs: Bool { jobs.load(ordering: .acquiring) > 0 }
    /// Whether a frame waits to be read.
    var hasUrgentJobs: Bool { urgentJobs.load(ordering: .acquiring) > 0 }

    /// Waits until no shot is in progress. To be called when neither frames nor taps will come any more.
    func waitUntilDone() { bell.wait { state.withLock { $0.shotsInProgress == 0 } } }

    /// Whether another shot like the last one finds room now: for its file, for the frames it does not share with other
    /// shots, and for their leases. False if other shots wait for room, because they come first.
    func hasRoom(_ state: borrowing State) -> Bool {
        state.shortOfRoom == 0 && state.processing < plan.shots && canPin(state.lastFrames, state)
            && state.shelf.hasRoom(forNewest: state.lastFrames, below: ring.nextCounter)
    }

    /// Whether `count` more frames may wait to be read. At most half of the history may, unless all are one shot's: the
    /// camera has no slots except those that are not leased.
    func canPin(_ count: Int, _ state: borrowing State) -> Bool { canPin(count, besides: state.unread.count) }

    /// The same when `unread` frames wait already.
    func canPin(_ count: Int, besides unread: Int) -> Bool { unread == 0 || unread + count <= ring.historyLimit / 2 }
}
