// SPDX-License-Identifier: MIT
// Messages from other threads to the server's thread.

import LivecapThreads

/// Answers and wakes for the server's thread. Any thread may add some.
final class HTTPInbox: Sendable {
    struct Contents: Sendable {
        var replies: [(number: UInt64, response: HTTPResponse)] = []
        var streams: [HTTPStream] = []
        var watches: [(number: UInt64, action: @Sendable () -> Void)] = []
        var isStopping = false

        var isEmpty: Bool { replies.isEmpty && streams.isEmpty && watches.isEmpty && !isStopping }
    }

    private let contents = Guarded(Contents())
    private let event: WakeEvent

    init() throws(SystemShortage) { event = try WakeEvent() }

    /// Readable while something is there.
    var descriptor: Int32 { event.descriptor }

    func add(_ number: UInt64, _ response: HTTPResponse) {
        change { $0.replies.append((number, response)) }
    }

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
