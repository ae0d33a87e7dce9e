// SPDX-License-Identifier: MIT
// Delivers changes of readiness, as an asynchronous sequence or to a closure.

import LivecapThreads
import Synchronization

/// A subscriber's sequence: always the newest readiness, and never the same state twice in a row.
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
                // A slow subscriber may have missed the state between two equal ones.
                guard reading.state != last else { continue }
                last = reading.state
                return reading
            }
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(stream) }
}

/// Calls a closure on changes of readiness until it is cancelled or released.
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

    /// Stops the calls. No call begins after this returns, and a running one has returned, unless `cancel` is called
    /// from within it.
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

/// Holds the newest readiness for one thread to take.
final class ReadinessMailbox: Sendable {
    private struct Content: Sendable {
        var newest: Readiness?
        var isClosed = false
    }

    private let content = Guarded(Content())
    private let doorbell = Doorbell(spinNanoseconds: 0)

    /// Replaces a readiness not taken yet. Never waits for the thread that takes it.
    func put(_ readiness: Readiness) {
        content.withLock { $0.newest = readiness }
        doorbell.ring()
    }

    /// Ends `run`; nothing is delivered any more.
    func close() {
        content.withLock { $0.isClosed = true }
        doorbell.ring()
    }

    /// Runs on the subscriber's thread: calls `body` with each change until the mailbox is closed.
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
