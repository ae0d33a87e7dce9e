// SPDX-License-Identifier: MIT
// The thread that takes frames from a source into its ring, from start to a clean stop.

import CSystem
import FrameRing
import Frames
import Synchronization
import Threads

/// Runs a source on a thread of its own until it ends, fails or is stopped.
public final class CaptureLoop: Sendable {
    /// How things stand with a capture.
    public enum State: Hashable, Sendable {
        /// Not started yet.
        case idle
        /// Frames are flowing.
        case running
        /// The source delivered its last frame, or was stopped.
        case ended
        /// The source gave up.
        case failed(CameraError)
    }

    /// Something people may want to know that is no error. Each is told once.
    public enum Notice: Hashable, Sendable {
        /// Whether the thread was given real-time priority.
        case realtimePriority(granted: Bool)
        /// The stream failed and was started anew.
        case restarted(reason: String)
        /// Frames flow again after a restart.
        case recovered
    }

    /// The ring being filled.
    public let ring: FrameRing
    /// How much of the asked-for capacity it has.
    public let granted: GrantedCapacity
    /// Who fills it.
    public let description: SourceDescription

    private let progress: CaptureProgress
    private let source: Mutex<SendableSource?>
    private let isRealTime: Bool
    private let thread = Mutex<SystemThread?>(nil)
    private let interrupt: @Sendable () -> Void

    /// Makes the source's ring. Frames flow from `start` on, by a thread with real-time priority where that is wanted and
    /// permitted.
    public init(
        _ source: sending any FrameSource, capacity: RingCapacity = .standard, isRealTime: Bool = true
    ) throws(CameraError) {
        (ring, granted) = try source.makeRing(capacity)
        description = source.description
        interrupt = source.interrupt
        progress = CaptureProgress()
        self.isRealTime = isRealTime && description.clock == .monotonic
        self.source = Mutex(SendableSource(source: source))
    }

    deinit { stop() }

    /// Starts the thread. Once only.
    public func start() {
        guard let source = source.withLock({ $0.take() }) else { preconditionFailure("a capture starts once") }
        progress.set(.running)
        // Where the system has no thread left, the stream fails as any other does.
        // The thread holds ring and progress, not the loop, so that letting go of the loop stops it.
        let (ring, progress, isRealTime) = (ring, progress, isRealTime)
        do throws(SystemShortage) {
            let started = try SystemThread(name: "capture") {
                if isRealTime {
                    progress.tell(.realtimePriority(granted: lc_thread_realtime(capturePriority) == 0))
                }
                capture(source.source, into: ring, progress)
            }
            thread.withLock { $0 = started }
        } catch {
            end(source, .shortage(error))
        }
    }

    /// Has the stream fail instead of starting it.
    package func fail(_ error: CameraError) {
        guard let source = source.withLock({ $0.take() }) else { return }
        end(source, error)
    }

    private func end(_ source: SendableSource, _ error: CameraError) {
        source.source.stop()
        progress.set(.failed(error))
        // Its end wakes the readers.
        _ = RingProducer(filling: ring)
    }

    /// Stops the source and waits until its thread has ended. Harmless when it has already.
    public func stop() {
        progress.shouldStop.store(true, ordering: .releasing)
        interrupt()
        thread.withLock { $0.take() }?.join()
    }

    /// How things stand.
    public var state: State { progress.shared.withLock { $0.state } }
    /// How often the stream has failed and been started anew, and why it was the last time.
    public var restarts: (count: Int, reason: String?) {
        progress.shared.withLock { ($0.restarts, $0.lastReason) }
    }
    /// What there was to tell so far.
    public var notices: [Notice] { notices(since: 0) }
    /// What there was to tell but for the first `told`: in memory of its own, which the capture thread never writes to.
    public func notices(since told: Int) -> [Notice] {
        progress.shared.withLock { shared in shared.notices.dropFirst(told).map { $0 } }
    }
}

/// The capture thread, from start to stop.
private func capture(_ source: any FrameSource, into ring: FrameRing, _ progress: CaptureProgress) {
    var producer = RingProducer(filling: ring)
    defer { source.stop() }
    var isRecovering = false
    do throws(CameraError) {
        try source.start(&producer)
        while !progress.shouldStop.load(ordering: .acquiring) {
            switch try source.step(&producer) {
            case .published, .dropped:
                if isRecovering { progress.tell(.recovered) }
                isRecovering = false
            case .nothing: continue
            case .restarted(let reason):
                progress.countRestart(reason)
                progress.tell(.restarted(reason: reason))
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
    // The producer's end wakes the readers, after the state has been set.
}

/// Above ordinary work, far below the kernel's own real-time threads.
private let capturePriority: Int32 = 10

/// What the capture thread tells everybody else. Cold: touched at start, end and mishaps.
private final class CaptureProgress: Sendable {
    struct Shared {
        var state = CaptureLoop.State.idle
        var notices: [CaptureLoop.Notice] = []
        var restarts = 0
        var lastReason: String?
    }
    let shared = Mutex(Shared())
    let shouldStop = Atomic<Bool>(false)

    func set(_ state: CaptureLoop.State) { shared.withLock { $0.state = state } }
    func countRestart(_ reason: String) {
        shared.withLock { ($0.restarts, $0.lastReason) = ($0.restarts + 1, reason) }
    }
    func tell(_ notice: CaptureLoop.Notice) {
        shared.withLock { if !$0.notices.contains(notice) { $0.notices.append(notice) } }
    }
}

/// Carries a source to its thread. `@unchecked`: it arrives by `sending`, so nobody else has it, and is taken out once.
private struct SendableSource: @unchecked Sendable {
    let source: any FrameSource
}
