// SPDX-License-Identifier: MIT
// The thread of a camera whose frames are decoded: it fills the ring of compressed frames, and passes on the news.

import FrameRing
import LivecapCSystem
import LivecapFrames
import LivecapThreads
import Synchronization

/// Steps a source that has been started, on a thread of its own. `@unchecked`: until the thread has ended, it alone
/// uses the source and the producer.
final class FrameIntake: @unchecked Sendable {
    private let source: any FrameSource
    private var producer: RingProducer?
    private var ring: Ring?
    private var isRealTime = false
    private var whenRaised: (@Sendable (Bool) -> Void)?
    private var interrupt: (@Sendable () -> Void)?
    private let shouldStop = Atomic<Bool>(false)
    private var thread: SystemThread?
    /// What happened, each before the frame with that counter. Cold: nothing happens while frames flow.
    private let news = Guarded<[News]>([])
    private let newsCount = Atomic<Int>(0)

    private struct News {
        let event: Result<StepOutcome, CameraError>
        let counter: UInt64
    }

    init(_ source: any FrameSource) { self.source = source }

    /// Starts the thread, which fills the ring of `producer`. If it `isRealTime`, it says whether it got that priority.
    /// Call at most once.
    func begin(
        _ producer: consuming RingProducer, isRealTime: Bool, whenRaised: (@Sendable (Bool) -> Void)? = nil
    ) throws(CameraError) {
        self.whenRaised = whenRaised
        ring = producer.ring
        self.producer = consume producer
        self.isRealTime = isRealTime
        interrupt = source.interrupt
        thread = try CameraError.wrapping { () throws(SystemShortage) in
            try SystemThread(name: "capture") { [self] in run() }
        }
    }

    /// Ends the thread, and with it the ring.
    func end() {
        shouldStop.store(true, ordering: .releasing)
        interrupt?()
        thread?.join()
        thread = nil
        producer = nil
    }

    /// Whether something has happened that was not taken yet.
    var hasNews: Bool { newsCount.load(ordering: .acquiring) > 0 }

    /// Takes what happened before the frame with that counter.
    func takeNews(before counter: UInt64) -> Result<StepOutcome, CameraError>? {
        guard hasNews else { return nil }
        return news.withLock { news in
            guard let first = news.first, first.counter <= counter else { return nil }
            news.removeFirst()
            newsCount.store(news.count, ordering: .releasing)
            return first.event
        }
    }

    private func report(_ event: Result<StepOutcome, CameraError>) {
        guard let ring else { return }
        let counter = ring.nextCounter
        news.withLock { news in
            news.append(News(event: event, counter: counter))
            newsCount.store(news.count, ordering: .releasing)
        }
        ring.wakeWaiters()
    }

    private func run() {
        if isRealTime {
            let isGranted = CapturePriority.raise()
            whenRaised?(isGranted)
        }
        do throws(CameraError) { try fill() } catch { report(.failure(error)) }
        // Ends the ring of compressed frames, and wakes the decoder. What happened last has been reported by then.
        producer = nil
    }

    private func fill() throws(CameraError) {
        var isRecovering = false
        while !shouldStop.load(ordering: .acquiring) {
            let outcome = try source.step(&producer!)
            switch outcome {
            case .published, .dropped:
                if isRecovering, isRealTime { _ = CapturePriority.raise() }
                isRecovering = false
            case .nothing: break
            case .ended: return
            case .interrupted, .busy, .switchedOff:
                CapturePriority.rest()
                isRecovering = true
                report(.success(outcome))
            case .slow, .restarted, .moved: report(.success(outcome))
            }
        }
    }
}

/// Ends a wait for the next frame.
final class StepPause: @unchecked Sendable {  // safe: the ring is set once, before any wait
    private let asked = Atomic<Bool>(false)
    /// What is waited for.
    var ring: Ring?

    /// Whether the wait is to end.
    var isAsked: Bool { asked.load(ordering: .acquiring) }

    /// Ends the wait that is under way, or the next one.
    func ask() {
        asked.store(true, ordering: .releasing)
        ring?.wakeWaiters()
    }

    /// The wait has ended.
    func end() { asked.store(false, ordering: .relaxed) }
}
