// SPDX-License-Identifier: MIT
// Changes of readiness, as an asynchronous sequence and as calls of a closure.

import Synchronization
import Threads

/// A subscriber's readiness: the newest whenever it asks, and no state twice in a row.
struct ReadinessChanges: AsyncSequence, Sendable {
    typealias Element = Readiness
    typealias Failure = Never
    private let stream: AsyncStream<Readiness>

    init(_ stream: AsyncStream<Readiness>) { self.stream = stream }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var readings: AsyncStream<Readiness>.Iterator
        private var last: CaptureReadiness?

        fileprivate init(_ stream: AsyncStream<Readiness>) { readings = stream.makeAsyncIterator() }

        mutating func next() async -> Readiness? { await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async -> Readiness? {
            while let reading = await readings.next(isolation: actor) {
                // Who was slow may have missed the state between two equal ones.
                guard reading.state != last else { continue }
                last = reading.state
                return reading
            }
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(stream) }
}

/// Calls a closure with changes of readiness, for as long as it lives or until it is cancelled.
public final class ReadinessObservation: Sendable {
    private let mailbox: ReadinessMailbox
    private let forget: @Sendable () -> Void
    private let thread: SystemThread
    private let isOver = Atomic<Bool>(false)

    init(
        of mailbox: ReadinessMailbox, forget: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable (Readiness) -> Void
    ) throws(SystemShortage) {
        self.mailbox = mailbox
        self.forget = forget
        thread = try SystemThread(name: "readiness") { mailbox.run(body) }
    }

    deinit { cancel() }

    /// No call is begun any more, and a running one has returned, unless it is from there that this is called.
    public func cancel() {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        forget()
        mailbox.close()
        if thread.isCurrent {
            thread.detach()
        } else {
            thread.join()
        }
    }
}

/// The newest readiness, for one thread to take.
final class ReadinessMailbox: Sendable {
    private struct Content: Sendable {
        var newest: Readiness?
        var isClosed = false
    }

    private let content = Guarded(Content())
    private let doorbell = Doorbell(wakefulNanoseconds: 0)

    /// Replaces what was not taken yet. Never waits for the taker.
    func put(_ readiness: Readiness) {
        content.withLock { $0.newest = readiness }
        doorbell.ring()
    }

    /// Nothing is taken any more.
    func close() {
        content.withLock { $0.isClosed = true }
        doorbell.ring()
    }

    /// The thread's: hands on what comes until the mailbox is closed.
    func run(_ body: (Readiness) -> Void) {
        var last: CaptureReadiness?
        while true {
            doorbell.wait { content.withLock { $0.newest != nil || $0.isClosed } }
            let next = content.withLock { content in
                defer { content.newest = nil }
                return content.isClosed ? nil : content.newest
            }
            guard let next else { return }
            guard next.state != last else { continue }
            last = next.state
            body(next)
        }
    }
}
