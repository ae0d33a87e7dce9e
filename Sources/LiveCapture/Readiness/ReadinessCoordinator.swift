// SPDX-License-Identifier: MIT
// Readiness as everybody sees it: now, as it changes, and with the requests that are about to be made.

import Frames
import Synchronization
import Threads

/// Tells whether a tap would be served at once, so that a shutter button can look like it.
///
/// The session makes it and tells it facts; programs read `current`, follow `changes()` or `onChange`, and announce a request
/// with `track()` where they cannot call `capture` at once. Any thread may do so; nothing here waits for anybody, but for a
/// lock that is held for moments.
public final class ReadinessCoordinator: Sendable {
    private struct Shared: Sendable {
        var machine = ReadinessMachine()
        /// When the machine's waits were told: they are from then.
        var toldAt = Timestamp.zero
        /// What subscribers were told last.
        var told = CaptureReadiness.notRunning
        var streams: [UInt64: AsyncStream<Readiness>.Continuation] = [:]
        var mailboxes: [UInt64: ReadinessMailbox] = [:]
        var subscribers: UInt64 = 0

        mutating func nextSubscriber() -> UInt64 {
            subscribers += 1
            return subscribers
        }
    }

    private let shared = Guarded(Shared())
    private let now: @Sendable () -> Timestamp

    /// The coordinator of a session that has not been started.
    package init(now: @escaping @Sendable () -> Timestamp = { .now }) { self.now = now }

    deinit {
        for stream in shared.withLock({ $0.streams }).values { stream.finish() }
    }

    /// What holds now, with the newest estimate, less the time since.
    public var current: Readiness {
        let (readiness, toldAt) = shared.withLock { ($0.machine.readiness, $0.toldAt) }
        let left = readiness.estimatedWait.map { max($0 - (now() - toldAt), .zero) }
        return Readiness(readiness.state, estimatedWait: left)
    }

    /// What holds now, and then every change of state. Who is slow gets the newest, and no state twice in a row.
    ///
    /// Ends when the session's coordinator is gone. Estimates change without a change of state: `current` has the newest.
    public func changes() -> some AsyncSequence<Readiness, Never> & Sendable {
        let (stream, continuation) = AsyncStream.makeStream(of: Readiness.self, bufferingPolicy: .bufferingNewest(1))
        // Under the lock, as every later one, so that none overtakes another. Yielding only stores, and wakes.
        let subscriber = shared.withLock { shared in
            let subscriber = shared.nextSubscriber()
            continuation.yield(shared.machine.readiness)
            shared.streams[subscriber] = continuation
            return subscriber
        }
        continuation.onTermination = { [weak self] _ in self?.forget(subscriber) }
        return ReadinessChanges(stream)
    }

    /// Calls `body` with what holds now, and then with every change of state, as `changes()` does, on a thread of the
    /// observation's own, until that is cancelled or let go of.
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

    /// Announces a request before `capture` is called: it counts as waiting from now on, on the thread that asks. Hand it to
    /// `capture`, which takes it over, or let go of it.
    public func track() -> TrackedRequest {
        update { $0.tracked += 1 }
        return TrackedRequest(of: self)
    }

    // MARK: The session's side

    /// Changes facts, and tells of it where that changes the state.
    package func update(_ change: (inout ReadinessMachine) -> Void) {
        shared.withLock { shared in
            let before = shared.machine
            change(&shared.machine)
            // A request that is announced tells nothing new of the others.
            if (before.waitForCapture, before.waitForProcessing)
                != (shared.machine.waitForCapture, shared.machine.waitForProcessing)
            {
                shared.toldAt = now()
            }
            let readiness = shared.machine.readiness
            guard readiness.state != shared.told else { return }
            shared.told = readiness.state
            for stream in shared.streams.values { stream.yield(readiness) }
            for mailbox in shared.mailboxes.values { mailbox.put(readiness) }
        }
    }

    /// The same, and a tracked request ends in the same moment, so that nobody sees it counted twice or not at all.
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

    /// How many would be told of a change.
    var subscriberCount: Int { shared.withLock { $0.streams.count + $0.mailboxes.count } }

    private func forget(_ subscriber: UInt64) {
        // Let go of outside the lock: the end of a stream calls back here.
        let gone = shared.withLock {
            ($0.streams.removeValue(forKey: subscriber), $0.mailboxes.removeValue(forKey: subscriber))
        }
        withExtendedLifetime(gone) {}
    }
}

/// A request that was announced and counts as waiting, until `capture` takes it over or it is cancelled or let go of.
public final class TrackedRequest: Sendable {
    let coordinator: ReadinessCoordinator
    private let isOpen = Atomic<Bool>(true)

    fileprivate init(of coordinator: ReadinessCoordinator) { self.coordinator = coordinator }

    deinit { cancel() }

    /// There will be no such request. Harmless when it was made or cancelled before.
    public func cancel() {
        if end() { coordinator.update { $0.tracked -= 1 } }
    }

    /// Whether it was this call that ended it. Only one can; what goes with it is under the coordinator's lock.
    fileprivate func end() -> Bool { isOpen.exchange(false, ordering: .relaxed) }
}
