// SPDX-License-Identifier: MIT
// Publishes readiness: its current value, its changes, and announced requests.

import LivecapDeveloping
import LivecapFrames
import LivecapThreads
import Synchronization

/// Reports whether a tap would be served at once, so that a shutter button can show it.
///
/// The session creates it and updates it. Programs read `current`, follow `changes()` or `onChange`, and announce a
/// request with `track()` if they cannot call `capture` at once. Any thread may do so. No call blocks, except on a lock
/// that is held only briefly.
public final class ReadinessCoordinator: Sendable {
    private struct Shared: Sendable {
        var machine = ReadinessMachine()
        /// When the machine's waits were set; they count from then.
        var reportedAt = Timestamp.zero
        /// The state last sent to subscribers.
        var announced = CaptureReadiness.notRunning
        /// Since when it is another than `ready`, which subscribers still have.
        var leftReady: Timestamp?
        var streams: [UInt64: AsyncStream<Readiness>.Continuation] = [:]
        var mailboxes: [UInt64: ReadinessMailbox] = [:]
        var subscribers: UInt64 = 0

        mutating func nextSubscriber() -> UInt64 {
            subscribers += 1
            return subscribers
        }

        /// Sends the state to subscribers if it is another one, unless it may be over before anybody could read it.
        mutating func announce(at now: Timestamp, unlessShorterThan shortest: Duration) {
            let readiness = machine.readiness
            guard readiness.state != announced else {
                // Who has subscribed meanwhile has another one. The others do not get the same one twice.
                if leftReady != nil { send(readiness) }
                return leftReady = nil
            }
            if announced == .ready, readiness.state.mayPass {
                let since = leftReady ?? now
                leftReady = since
                guard max(now - since, readiness.estimatedWait ?? .zero) >= shortest else { return }
            }
            leftReady = nil
            announced = readiness.state
            send(readiness)
        }

        private func send(_ readiness: Readiness) {
            for stream in streams.values { stream.yield(readiness) }
            for mailbox in mailboxes.values { mailbox.put(readiness) }
        }
    }

    /// A button that is grey for less time than this only flickers.
    package static let usualShortest = Duration.milliseconds(50)

    /// Switches the camera on. The closure is wrapped in a structure because Swift wraps a closure stored directly in a
    /// `Guarded` once more at each read.
    private struct Waker: Sendable { let wake: @Sendable () -> Void }

    private let shared = Guarded(Shared())
    /// Switches the camera on, if it is off.
    private let wake = Guarded(Waker(wake: {}))
    private let now: @Sendable () -> Timestamp
    private let shortest: Duration

    /// The coordinator of a session that has not been started. Subscribers do not hear of times without readiness that
    /// are shorter than `shortest`.
    package init(
        now: @escaping @Sendable () -> Timestamp = { .now }, shortest: Duration = usualShortest
    ) {
        self.now = now
        self.shortest = shortest
    }

    deinit {
        for stream in shared.withLock({ $0.streams }).values { stream.finish() }
    }

    /// The readiness now. The wait is the newest estimate, less the time since it was made.
    public var current: Readiness {
        let (readiness, reportedAt) = shared.withLock { ($0.machine.readiness, $0.reportedAt) }
        let left = readiness.estimatedWait.map { max($0 - (now() - reportedAt), .zero) }
        return Readiness(readiness.state, estimatedWait: left)
    }

    /// A sequence of the readiness now and then every change of state. A slow subscriber gets the newest one, and never
    /// the same state twice in a row. That a tap would have to wait is not reported if it is over within 50 ms: a
    /// button that shows it would flicker. `current` knows.
    ///
    /// The sequence ends when the session's coordinator is released. Estimates also change without a change of state:
    /// `current` has the newest.
    public func changes() -> some AsyncSequence<Readiness, Never> & Sendable {
        let (stream, continuation) = AsyncStream.makeStream(of: Readiness.self, bufferingPolicy: .bufferingNewest(1))
        // Under the lock, like every later one, so that none overtakes another. `yield` only stores the value and wakes
        // the reader.
        let subscriber = shared.withLock { shared in
            let subscriber = shared.nextSubscriber()
            continuation.yield(shared.machine.readiness)
            shared.streams[subscriber] = continuation
            return subscriber
        }
        continuation.onTermination = { [weak self] _ in self?.forget(subscriber) }
        return ReadinessChanges(stream)
    }

    /// Waits until a tap would be served at once, and returns at once if it would be now. A camera that is switched off
    /// is switched on for it.
    ///
    /// Throws `notRunning` if the session does not run, or stops meanwhile, and `cancelled` if the task is cancelled.
    public func ready() async throws(PhotoError) {
        for await readiness in changes() {
            switch readiness.state {
            case .ready: return
            case .notRunning: throw .notRunning
            case .notReadyCameraOff: wakeCamera()
            default: continue
            }
        }
        throw Task.isCancelled ? .cancelled : .notRunning
    }

    /// Calls `body` with the readiness now and then on every change of state, like `changes()`. The calls are made on
    /// the observation's own thread, until it is cancelled or released.
    /// - Throws: the shortage, if there is no thread left for it.
    public func onChange(
        _ body: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemShortage) -> ReadinessObservation {
        let mailbox = ReadinessMailbox()
        let subscriber = shared.withLock { shared in
            let subscriber = shared.nextSubscriber()
            mailbox.put(shared.machine.readiness)
            shared.mailboxes[subscriber] = mailbox
            return subscriber
        }
        do throws(SystemShortage) {
            return try ReadinessObservation(of: mailbox, forget: { [weak self] in self?.forget(subscriber) }, body)
        } catch {
            forget(subscriber)
            throw error
        }
    }

    /// Announces a request before `capture` is called. From now on it counts as waiting. Pass it to `capture`, which
    /// takes it over; releasing it cancels the request. A camera that is switched off is switched on.
    public func track() -> TrackedRequest {
        update { $0.tracked += 1 }
        wakeCamera()
        return TrackedRequest(of: self)
    }

    private func wakeCamera() { wake.withLock { $0 }.wake() }

    // MARK: The session's side

    /// Sets what switches the camera on. It is called without a lock.
    func onNeed(_ body: @escaping @Sendable () -> Void) { wake.withLock { $0 = Waker(wake: body) } }

    /// Changes the conditions, and notifies subscribers if that changes the state. The session calls it with every
    /// frame and while none come, so that a state that lasts is reported.
    package func update(_ change: (inout ReadinessMachine) -> Void) {
        shared.withLock { shared in
            let before = shared.machine
            change(&shared.machine)
            // An announced request does not change the waits, so they keep their time.
            if (before.waitForCapture, before.waitForProcessing)
                != (shared.machine.waitForCapture, shared.machine.waitForProcessing)
            {
                shared.reportedAt = now()
            }
            shared.announce(at: now(), unlessShorterThan: shortest)
        }
    }

    /// Does the same and ends a tracked request in one step, so that it is never seen counted twice or not at all.
    package func update(takingOver request: TrackedRequest?, _ change: (inout ReadinessMachine) -> Void) {
        guard let request, request.end() else { return update(change) }
        guard request.coordinator === self else {
            request.coordinator.update { $0.tracked -= 1 }
            return update(change)
        }
        update {
            $0.tracked -= 1
            change(&$0)
        }
    }

    /// Whether a request is announced.
    var isTracking: Bool { shared.withLock { $0.machine.tracked > 0 } }

    /// The number of subscribers.
    var subscriberCount: Int { shared.withLock { $0.streams.count + $0.mailboxes.count } }

    private func forget(_ subscriber: UInt64) {
        // Released outside the lock: the end of a stream calls back here.
        let gone = shared.withLock {
            ($0.streams.removeValue(forKey: subscriber), $0.mailboxes.removeValue(forKey: subscriber))
        }
        withExtendedLifetime(gone) {}
    }
}

/// An announced request. It counts as waiting until `capture` takes it over, or until it is cancelled or released.
public final class TrackedRequest: Sendable {
    let coordinator: ReadinessCoordinator
    private let isOpen = Atomic<Bool>(true)

    fileprivate init(of coordinator: ReadinessCoordinator) { self.coordinator = coordinator }

    deinit { cancel() }

    /// Cancels the announcement. Has no effect if the request was already made or cancelled.
    public func cancel() {
        if end() { coordinator.update { $0.tracked -= 1 } }
    }

    /// Returns whether this call ended it; only one call can. Relaxed: everything that goes with it is under the
    /// coordinator's lock.
    fileprivate func end() -> Bool { isOpen.exchange(false, ordering: .relaxed) }
}
