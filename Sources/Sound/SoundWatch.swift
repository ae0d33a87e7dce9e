// SPDX-License-Identifier: MIT
// Listens to a microphone for what is loud.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization

/// Has what a trigger notices in a capture's sound reported, by a thread of its own.
package final class SoundWatch: Sendable {
    private let history: SoundHistory
    private let state: State
    private let thread: Guarded<SystemThread?>

    private final class State: Sendable {
        let isOver = Atomic<Bool>(false)
    }

    /// How much later than now sound is looked at: what is captured until then has arrived.
    private static let lag = Duration.milliseconds(40)
    /// How long nothing may come before silence is made of it.
    private static let patience = Duration.milliseconds(100)

    /// Listens to `capture` from now on. `take` gets what is noticed. `end` is called once the capture has stopped, or
    /// after `close`.
    /// - Throws: the shortage, if there is no thread left for it.
    package convenience init(
        _ capture: SoundCapture, _ trigger: SoundTrigger, end: @escaping @Sendable () -> Void = {},
        _ take: @escaping @Sendable (TriggerEvent) -> Void
    ) throws(SystemShortage) {
        try self.init(capture.history, trigger, from: .now, end: end, take)
        capture.whenStopped { [weak self] in self?.stop() }
    }

    init(
        _ history: SoundHistory, _ trigger: SoundTrigger, from start: Timestamp, end: @escaping @Sendable () -> Void,
        _ take: @escaping @Sendable (TriggerEvent) -> Void
    ) throws(SystemShortage) {
        let state = State()
        self.state = state
        self.history = history
        thread = Guarded(nil)
        let started = try SystemThread(name: "loudness") {
            let timeline = SoundTimeline(history, start: start)
            var detector = SoundDetector(trigger, channels: timeline.channels)
            var time = start
            while !state.isOver.load(ordering: .acquiring) {
                let now = Timestamp.now
                timeline.advance(to: now - Self.lag, now: now) { samples in
                    // Called with the end of the piece known.
                    if let event = detector.take(samples, at: time, rate: SoundTimeline.rate) { take(event) }
                    time = timeline.end
                }
                history.waitForSound(until: now + Self.patience) { state.isOver.load(ordering: .acquiring) }
            }
            if let event = detector.end() { take(event) }
            end()
        }
        thread.withLock { $0 = started }
    }

    deinit { close() }

    private func stop() {
        state.isOver.store(true, ordering: .releasing)
        history.wakeReaders()
    }

    /// Listens no longer, without waiting for its thread.
    func leave() {
        stop()
        thread.withLock { $0.take() }?.detach()
    }

    /// Reports nothing more, and waits for its thread. Not to be called by that thread.
    package func close() {
        stop()
        thread.withLock { $0.take() }?.join()
    }
}

extension SoundCapture {
    /// What a trigger notices in the sound, as it happens: about a tenth of a second after it was heard.
    ///
    /// ```swift
    /// let microphone = try await session.openMicrophone()
    /// for await case .began(let cause) in try microphone.triggerEvents(SoundTrigger(.level(-20))) {
    ///     session.photoOutput.capture(at: .at(cause.moment))
    /// }
    /// ```
    ///
    /// The stream ends with the capture. Events that are not taken wait.
    /// - Throws: the shortage, if there is no thread left for it.
    public func triggerEvents(
        _ trigger: SoundTrigger = SoundTrigger()
    ) throws(SystemShortage) -> AsyncStream<TriggerEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: TriggerEvent.self)
        let watch = try SoundWatch(self, trigger, end: { continuation.finish() }) { continuation.yield($0) }
        continuation.onTermination = { _ in watch.leave() }
        return stream
    }
}
