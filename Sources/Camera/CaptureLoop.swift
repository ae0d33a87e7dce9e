// SPDX-License-Identifier: MIT
// The thread that takes frames from a source into its ring, from start to a clean stop.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization

/// Runs a source on its own thread until it ends, fails or is stopped.
public final class CaptureLoop: Sendable {
    /// The state of a capture.
    public enum State: Hashable, Sendable {
        /// Not started yet.
        case idle
        /// Frames are flowing.
        case running
        /// The source delivered its last frame or was stopped.
        case ended
        /// The source failed for good.
        case failed(CameraError)
    }

    /// An event worth reporting that is not an error. Each is reported once.
    public enum Notice: Hashable, Sendable {
        /// Whether the thread was granted real-time priority.
        case realtimePriority(granted: Bool)
        /// The camera does not accept these settings of its profile. All others are in force.
        case settingsLeftOut([ControlSetting])
        /// The camera failed to be set like this, although it was asked several times. All other settings are in force.
        case settingsFailed([ControlSetting])
        /// The camera's privacy switch is closed: frames come, and are black.
        case suspended
        /// Frames come more slowly than announced, for the reason given.
        case slow(reason: String)
        /// The stream failed and was restarted.
        case restarted(reason: String)
        /// The source is gone for now, and is waited for.
        case unplugged(reason: String)
        /// Another source took its place, from the frame with that counter on.
        case moved(to: SourceDescription, firstFrame: UInt64)
        /// Another program uses the source, which is waited for.
        case busy(CameraError)
        /// Frames are flowing again after a restart, or after the source came back.
        case recovered
    }

    /// A restart of the stream, or the absence of its source.
    public struct Interruption: Hashable, Sendable {
        /// What interrupted the stream.
        public enum Cause: Hashable, Sendable {
            /// It was restarted.
            case restart
            /// Its source is gone.
            case unplugged
            /// Another program uses its source.
            case busy(CameraError)
            /// Its source was switched off, because nothing needed it.
            case switchedOff
        }

        /// Its number, counted from 1.
        public let number: Int
        /// What interrupted the stream.
        public let cause: Cause
        /// Why frames stopped coming, for people.
        public let reason: String
        /// The counter of the first frame after it.
        public let firstFrameAfter: UInt64
        /// Whether the source is gone for now, so that no frame will come until it is back.
        public internal(set) var isAway: Bool
    }

    /// The ring being filled.
    public let ring: Ring
    /// The capacity that the ring was granted.
    public let granted: GrantedCapacity
    /// How frames get from the driver into the ring; nil for sources without a driver.
    public let transport: Transport?
    /// The source that fills the ring, or did at first.
    public let description: SourceDescription

    /// The source's switch; nil if it cannot be switched off.
    package let power: SourcePower?
    /// Keeps other cameras from taking this one's place; nil where none can.
    package let hold: CameraHold?
    /// How the camera is mounted and held; nil for other sources.
    package let rotation: RotationCoordinator?
    /// Whether nobody has to wait for the exposure to settle.
    package let hasSettled: Bool
    /// The last second of a camera's frames before they are decoded, with the times of their pictures; nil if frames
    /// need no decoding on their way into `ring`.
    package let compressed: Ring?
    private let decoding: DecodingAccount?

    private let progress: CaptureProgress
    private let work: Guarded<Work>
    private let isRealTime: Bool
    private let interrupt: @Sendable () -> Void
    private let firstEpoch: UInt32

    private enum Work: Sendable {
        /// Not started yet.
        case waiting(SendableSource)
        /// Its thread has begun.
        case begun(SystemThread)
        /// Nothing is left of it.
        case over
    }

    /// Creates the source's ring. Frames flow after `start`, on a thread with real-time priority if `isRealTime` is set
    /// and the system permits it.
    /// - Throws: what the source throws from `makeRing`.
    public convenience init(
        _ source: sending any FrameSource, capacity: RingCapacity = .standard, isRealTime: Bool = true
    ) throws(CameraError) {
        try self.init(source, capacity: capacity, isRealTime: isRealTime, firstEpoch: 0)
    }

    /// The same, with a number for the first epoch.
    package init(
        _ source: sending any FrameSource, capacity: RingCapacity, isRealTime: Bool, firstEpoch: UInt32
    ) throws(CameraError) {
        self.firstEpoch = firstEpoch
        (ring, granted) = try source.makeRing(capacity)
        description = source.description
        transport = source.transport
        let decoded = source as? DecodedSource
        decoding = decoded?.account
        compressed = decoded?.compressed
        let filling = decoded?.source ?? source
        let returning = filling as? ReturningSource
        power = returning?.power
        hold = returning?.hold
        let camera = filling as? any CameraSource
        rotation = camera?.rotation
        hasSettled = camera?.hasSettled ?? false
        interrupt = source.interrupt
        progress = CaptureProgress()
        if let left = camera?.settingsLeftOut, !left.isEmpty { progress.report(.settingsLeftOut(left)) }
        if let failed = camera?.settingsFailed, !failed.isEmpty { progress.report(.settingsFailed(failed)) }
        returning?.whenSettingsFail = { [progress] in progress.report(.settingsFailed($0)) }
        if camera?.isSuspended == true { progress.report(.suspended) }
        let isUrgent = isRealTime && description.clock == .monotonic
        decoded?.isRealTime = isUrgent
        decoded?.whenRaised = { [progress] in progress.report(.realtimePriority(granted: $0)) }
        // Of a camera whose frames are decoded, the thread that only takes them is urgent.
        self.isRealTime = isUrgent && decoded == nil
        work = Guarded(.waiting(SendableSource(source: source)))
    }

    deinit { stop() }

    /// Starts the thread. Call at most once. Has no effect on a loop that was stopped before.
    public func start() {
        // With the lock, so that `stop` waits for a thread that is about to begin.
        let unstarted = work.withLock { work -> (source: SendableSource, error: SystemShortage)? in
            switch work {
            case .begun: preconditionFailure("a capture starts once")
            case .over: return nil
            case .waiting(let source):
                progress.set(.running)
                do throws(SystemShortage) {
                    work = .begun(try begin(source))
                    return nil
                } catch {
                    work = .over
                    return (source, error)
                }
            }
        }
        // If the system has run out of threads, the stream fails like any other.
        if let unstarted { end(unstarted.source, .shortage(unstarted.error)) }
    }

    /// Begins the thread. It holds the ring and the progress but not the loop, so that releasing the loop stops it.
    private func begin(_ source: SendableSource) throws(SystemShortage) -> SystemThread {
        let (ring, progress, isRealTime, firstEpoch) = (ring, progress, isRealTime, firstEpoch)
        return try SystemThread(name: decoding == nil ? "capture" : "decode") {
            if isRealTime { progress.report(.realtimePriority(granted: CapturePriority.raise())) }
            capture(source.source, into: ring, from: firstEpoch, progress, isRealTime: isRealTime)
        }
    }

    /// Makes the stream fail instead of starting it.
    package func fail(_ error: CameraError) { endUnstarted(error) }

    private func endUnstarted(_ error: CameraError?) {
        let source = work.withLock { work -> SendableSource? in
            guard case .waiting(let source) = work else { return nil }
            work = .over
            return source
        }
        if let source { end(source, error) }
    }

    private func end(_ source: SendableSource, _ error: CameraError?) {
        source.source.stop()
        progress.set(error.map(State.failed) ?? .ended)
        // Creating and releasing a producer ends the ring, which wakes its readers.
        _ = RingProducer(filling: ring)
    }

    /// Stops the source and waits until its thread has ended. Has no effect if the thread has already ended. A source
    /// that was never started is closed.
    public func stop() {
        progress.shouldStop.store(true, ordering: .releasing)
        interrupt()
        let thread = work.withLock { work -> SystemThread? in
            guard case .begun(let thread) = work else { return nil }
            work = .over
            return thread
        }
        thread?.join()
        endUnstarted(nil)
    }

    /// Calls `body` whenever there is a notice, an interruption begins or ends, or the state changes; not for each
    /// frame. On the capture thread, so it must not wait.
    package func onNews(_ body: @escaping @Sendable () -> Void) { progress.listeners.withLock { $0.append(body) } }

    /// The current state.
    public var state: State { progress.shared.withLock { $0.state } }
    /// The latest interruption; nil if there was none.
    public var interruption: Interruption? { progress.shared.withLock { $0.interruption } }
    /// What was decoded until now; nil if the source's frames need no decoding on their way into the ring.
    public var decodingStatistics: DecodingStatistics? { decoding?.statistics }
    /// The source that delivered a frame: another than the first if one has taken its place by then.
    package func source(ofFrame counter: UInt64) -> SourceDescription {
        for case .moved(let source, let firstFrame) in notices.reversed() where firstFrame <= counter { return source }
        return description
    }
    /// All notices so far.
    public var notices: [Notice] { notices(since: 0) }
    /// The notices after the first `count`, in a new array that the capture thread never writes to.
    public func notices(since count: Int) -> [Notice] {
        progress.shared.withLock { shared in shared.notices.dropFirst(count).map { $0 } }
    }
}

/// The body of the capture thread.
private func capture(
    _ source: any FrameSource, into ring: Ring, from epoch: UInt32, _ progress: CaptureProgress, isRealTime: Bool
) {
    var producer = RingProducer(filling: ring, epoch: epoch)
    defer { source.stop() }
    var isRecovering = false
    do throws(CameraError) {
        try source.start(&producer)
        while !progress.shouldStop.load(ordering: .acquiring) {
            switch try source.step(&producer) {
            case .published, .dropped:
                if isRecovering {
                    progress.recovered()
                    if isRealTime { _ = CapturePriority.raise() }
                }
                isRecovering = false
            case .nothing: continue
            case .slow(let reason): progress.report(.slow(reason: reason))
            case .restarted(let reason):
                progress.interrupted(.restart, reason, before: producer.ring.nextCounter)
                isRecovering = true
            case .moved(let description):
                ring.memory.file?.name(description)
                progress.report(.moved(to: description, firstFrame: producer.ring.nextCounter))
            case .interrupted(let reason):
                progress.interrupted(.unplugged, reason, before: producer.ring.nextCounter)
                CapturePriority.rest()
                isRecovering = true
            case .busy(let error):
                progress.interrupted(.busy(error), error.message, before: producer.ring.nextCounter)
                CapturePriority.rest()
                isRecovering = true
            case .switchedOff:
                progress.interrupted(
                    .switchedOff, "it was switched off while nothing needed it", before: producer.ring.nextCounter)
                CapturePriority.rest()
                isRecovering = true
            case .ended:
                progress.set(.ended)
                return
            }
        }
        progress.set(.ended)
    } catch {
        progress.set(.failed(error))
    }
    // When the producer goes out of scope, it wakes the readers; by then the state has been set.
}

/// The state that the capture thread shares. Cold: it is used only at the start, at the end and on failures.
private final class CaptureProgress: Sendable {
    struct Shared {
        var state = CaptureLoop.State.idle
        var notices: [CaptureLoop.Notice] = []
        var interruption: CaptureLoop.Interruption?
    }
    let shared = Guarded(Shared())
    let listeners = Guarded<[@Sendable () -> Void]>([])
    let shouldStop = Atomic<Bool>(false)

    private func change<Result>(_ body: (inout Shared) -> Result) -> Result {
        let result = shared.withLock { body(&$0) }
        for listener in listeners.withLock({ $0 }) { listener() }
        return result
    }

    func set(_ state: CaptureLoop.State) { change { $0.state = state } }
    func interrupted(_ cause: CaptureLoop.Interruption.Cause, _ reason: String, before frame: UInt64) {
        var isAway = true
        switch cause {
        case .restart:
            isAway = false
            report(.restarted(reason: reason))
        case .unplugged: report(.unplugged(reason: reason))
        case .busy(let error): report(.busy(error))
        case .switchedOff: isAway = false
        }
        change { shared in
            shared.interruption = CaptureLoop.Interruption(
                number: (shared.interruption?.number ?? 0) + 1, cause: cause, reason: reason, firstFrameAfter: frame,
                isAway: isAway)
        }
    }
    func recovered() {
        let wasOff = change { shared in
            shared.interruption?.isAway = false
            return shared.interruption?.cause == .switchedOff
        }
        if !wasOff { report(.recovered) }
    }
    func report(_ notice: CaptureLoop.Notice) {
        change { if !$0.notices.contains(notice) { $0.notices.append(notice) } }
    }
}

/// Moves a source to its thread. `@unchecked`: the source arrives by `sending`, so nobody else has it, and it is taken
/// out once.
private struct SendableSource: @unchecked Sendable {
    let source: any FrameSource
}
