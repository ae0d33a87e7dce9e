// SPDX-License-Identifier: MIT
// Messages from other threads to the server's thread.

import LivecapThreads
import Synchronization

/// Answers and wakes for the server's thread. Any thread may add some.
///
/// Answers from memory count from here on until they are sent: the threads that make them may be far ahead of the
/// server's.
final class HTTPInbox: Sendable {
    /// An answer to the request of a number.
    struct Answer: Sendable {
        let number: UInt64
        let response: HTTPResponse
        /// Its bytes that count, until `release` is called with them.
        var heldBytes = 0
    }

    struct Contents: Sendable {
        var replies: [Answer] = []
        var streams: [HTTPStream] = []
        var watches: [(number: UInt64, action: @Sendable () -> Void)] = []
        var isStopping = false

        var isEmpty: Bool { replies.isEmpty && streams.isEmpty && watches.isEmpty && !isStopping }
    }

    private let contents = Guarded(Contents())
    private let event: WakeEvent
    private let limit: Int
    /// The bytes of all answers from memory that are not sent, except small ones.
    private let heldBytes = Atomic<Int>(0)
    /// Small answers are limited by the number of connections, so that refusals and states are always answered.
    private static let smallAnswer = 16384

    /// An inbox for answers that have `limit` bytes together.
    init(limit: Int) throws(SystemShortage) {
        self.limit = limit
        event = try WakeEvent()
    }

    /// Readable while something is there.
    var descriptor: Int32 { event.descriptor }

    /// Adds an answer, or a refusal if there is no room for it. One that is larger than the limit has its turn when
    /// there is no other.
    func add(_ number: UInt64, _ response: HTTPResponse) {
        let bytes = response.bytesInMemory
        guard bytes > Self.smallAnswer else { return add(Answer(number: number, response: response)) }
        let held = heldBytes.add(bytes, ordering: .relaxed)
        if held.oldValue == 0 || held.newValue <= limit {
            return add(Answer(number: number, response: response, heldBytes: bytes))
        }
        release(bytes)
        add(Answer(number: number, response: HTTPResponse(503).with("Retry-After", "1")))
    }

    private func add(_ answer: Answer) { change { $0.replies.append(answer) } }

    /// Notes that an answer was sent, or goes nowhere.
    func release(_ held: Int) { heldBytes.subtract(held, ordering: .relaxed) }

    func watch(_ number: UInt64, _ action: @escaping @Sendable () -> Void) {
        change { $0.watches.append((number, action)) }
    }

    func wake(_ stream: HTTPStream) { change { $0.streams.append(stream) } }

    func stop() { change { $0.isStopping = true } }

    /// Takes everything out.
    func take() -> Contents {
        event.clear()
        return contents.withLock { contents in
            defer { (contents.replies, contents.streams, contents.watches) = ([], [], []) }
            return contents
        }
    }

    private func change(_ body: @Sendable (inout Contents) -> Void) {
        let wasEmpty = contents.withLock { contents in
            defer { body(&contents) }
            return contents.isEmpty
        }
        if wasEmpty { event.raise() }
    }
}
