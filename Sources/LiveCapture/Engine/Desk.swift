// SPDX-License-Identifier: MIT
// Where taps, frames and workers meet: everything that is known of the shots on their way, behind one lock.

import Camera
import FrameRing
import Frames
import FusionKernels
import Stills
import Synchronization
import Threads

/// The state of a session's shots. All of it is cold: a lock is taken a few times a tap and once a frame, never by the
/// capture thread, and never for longer than finding a handful of frames takes.
///
/// A shot goes from `waiting` (for its frames, or for room) by way of `reading` (its frames are held, not yet all read) to
/// `ready`, from where a worker takes it to develop it; after that it is the store's, until `finish`.
final class Desk: Sendable {
    struct State {
        var lastShot: UInt64 = 0
        var stream = StreamPhase.idle
        /// Whether it is being stopped, or was: no taps are taken any more, for soon nobody will be there to serve them.
        var isStopping = false
        /// The first frame's time; nil while there was none.
        var firstTime: Timestamp?
        /// In the order of their moments, as far as those are known, then of their numbers.
        var waiting: [Shot] = []
        var reading: [Shot] = []
        var ready: [Shot] = []
        /// Being developed or stored.
        var inWork: [ShotID: Shot] = [:]
        /// Frames nobody has read yet.
        var unread: [ShelvedFrame] = []
        var shelf: FrameShelf
        /// What frames are fused as; nil while no JPEG frame could be judged, and where they cannot be.
        var shape: FrameShape?
        /// Looks at the headers of JPEG frames; nil where frames are none.
        let judge: FrameJudge?
        var prioritizer = ShotPrioritizer()
        /// How long shots took so far.
        var times = StageTimes()
        let workers: Int
        /// When the workers' progress was noted last; and how many of them read a frame.
        var progressNoted = Timestamp.zero, framesInReading = 0
        /// When the wait for room was foretold last.
        var forecastMade = Timestamp.zero
        /// Whether the exposure was seen to hold still, and whether that need not be waited for any more.
        var isExposureSettled = false, isExposureDone = false
        /// How many of the waiting are due: more frames, or room, is what they wait for.
        var dueCount = 0
        /// How many of those lack room, or wait behind one that does.
        var shortOfRoom = 0
        /// How many frames the last shot was to have.
        var lastFrames = PhotoSettings().quality.usualFrames
        var isInterrupted = false
        var isResponsive: Bool
        var isPrioritizing: Bool
        var hasPast: Bool
        var maxQuality = PhotoQuality.quality
        /// Whether shots may be left for later of the output's own accord.
        var isDeferring = true

        /// Shots whose frames are held and whose file is not there yet.
        var processing: Int { reading.count + ready.count + inWork.count }
        /// Shots that are neither done nor failed.
        var shotsOnTheirWay: Int { waiting.count + processing }
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
    /// Whether frames as they come can be fused; JPEG frames are asked one by one.
    let canFuse: Bool
    /// Whether the source waits for whoever follows it.
    let isFast: Bool
    let readiness: ReadinessCoordinator
    let trace: Trace?
    /// Where photos go whose files nobody named; nil without a library.
    let archive: Archive?
    /// Told when shots want the processors; nil where nothing else would use them.
    let finishing: FinishingGate?
    /// What workers have found between frames, for all of them.
    let links = FrameLinks()
    /// Rings when there is work, or a shot has ended.
    let bell = Doorbell(wakefulNanoseconds: 0)
    /// How many jobs there are to take. Written with the lock held; read by workers that wait, without it.
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

    /// Two frames are this far apart, as far as is known.
    var interval: TimeSpan { description.interval }

    /// Changes the state, and then tells whoever waits for what may have come of it.
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

    /// Whether there is something to take, for who is about to sleep.
    var hasJobs: Bool { jobs.load(ordering: .acquiring) > 0 }
    /// Whether a frame waits to be read.
    var hasUrgentJobs: Bool { urgentJobs.load(ordering: .acquiring) > 0 }

    /// Waits until no shot is on its way. To be called when neither frames nor taps will come any more.
    func waitUntilDone() { bell.wait { state.withLock { $0.shotsOnTheirWay == 0 } } }

    /// Whether another shot like the last one finds room now: for its file, for frames no other shot has there, and for their
    /// leases. Not where others wait for room: they come first.
    func hasRoom(_ state: borrowing State) -> Bool {
        state.shortOfRoom == 0 && state.processing < plan.shots && canPin(state.lastFrames, state)
            && state.shelf.hasRoom(forNewest: state.lastFrames, below: ring.nextCounter)
    }

    /// Whether so many more frames may wait to be read. No more than half of the history may, unless they are one shot's: the
    /// camera has no slots but those that are not leased.
    func canPin(_ count: Int, _ state: borrowing State) -> Bool { canPin(count, besides: state.unread.count) }

    /// The same where so many wait.
    func canPin(_ count: Int, besides unread: Int) -> Bool { unread == 0 || unread + count <= ring.historyLimit / 2 }
}
