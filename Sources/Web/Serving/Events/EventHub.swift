// SPDX-License-Identifier: MIT
// What happens, told to every page that listens: server-sent events.

import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapThreads

/// Tells all listeners what happens. One that connects again gets what it has missed, as far as that is kept.
final class EventHub: Sendable {
    private let state = Guarded(State())

    private struct State: Sendable {
        var next: UInt64 = 1
        /// The latest events, oldest first.
        var kept: [(number: UInt64, text: [UInt8])] = []
        var listeners: [ObjectIdentifier: EventListener] = [:]
    }

    /// How many events are kept.
    private static let limit = 256
    /// The maximum number of listeners at once.
    static let maxListeners = 256

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Tells everybody.
    func tell(_ name: String, _ data: JSON) {
        let listeners = state.withLock { state in
            let text = Self.text(name, data, number: state.next)
            state.kept.append((state.next, text))
            if state.kept.count > Self.limit { state.kept.removeFirst() }
            state.next += 1
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.stream.wake() }
    }

    /// Shows listeners that the connection lives.
    func beat() {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            listener.beat()
            listener.stream.wake()
        }
    }

    /// The response to a listener: the events of `present`, which describe the current state, and then all new events.
    /// `last` is the number of the last event that the listener received.
    ///
    /// Events that occur while `present` runs are sent as well, so none is lost between the snapshot and the first
    /// update. A listener with a feed of `facts` also gets those, the newest each time; they are neither numbered nor
    /// kept. `left` is called when the listener is gone.
    func response(
        after last: UInt64?, facts: FactFeed? = nil, present: () -> [(String, JSON)],
        left: @escaping @Sendable () -> Void = {}
    ) -> HTTPResponse {
        guard listenerCount < Self.maxListeners else {
            return .failure(
                503, "\(Self.maxListeners) listeners are connected, which is the limit", code: "too-many-listeners",
                hint: "try again when some have left")
        }
        let newest = state.withLock { $0.next - 1 }
        let listener = EventListener(present().flatMap { Self.text($0.0, $0.1, number: nil) }) { number in
            self.events(after: number)
        } finished: { listener in
            self.state.withLock { $0.listeners[ObjectIdentifier(listener)] = nil }
            facts?.remove(listener)
            left()
        }
        if let facts, !facts.add(listener) { return .noFactsNow }
        state.withLock { state in
            // A number that this server has not given is another server's: what was missed is unknown.
            listener.begin(after: last.flatMap { $0 < state.next ? $0 : nil } ?? newest)
            state.listeners[ObjectIdentifier(listener)] = listener
        }
        return HTTPResponse(type: "text/event-stream", .stream(listener.stream)).with("Cache-Control", "no-store")
    }

    /// What came after an event, and the number of the newest.
    private func events(after number: UInt64) -> (bytes: [UInt8], number: UInt64) {
        state.withLock { state in
            (state.kept.filter { $0.number > number }.flatMap(\.text), state.next - 1)
        }
    }

    /// An event as it is sent; without a number if it is not kept.
    static func text(_ name: String, _ data: JSON, number: UInt64?) -> [UInt8] {
        Array(((number.map { "id: \($0)\n" } ?? "") + "event: \(name)\ndata: \(data.text)\n\n").utf8)
    }
}

/// One listener: what it has had, and what is on its way.
final class EventListener: Sendable {
    let stream: HTTPStream
    private let state: Shared

    private final class Shared: Sendable {
        let value = Guarded(State())
    }

    private struct State: Sendable {
        var pending: [UInt8] = []
        var offset = 0
        var last: UInt64 = 0
        /// The newest of those events of which only the newest counts.
        var newest: [UInt8]?
        var isBeatDue = false
    }

    init(
        _ first: [UInt8], events: @escaping @Sendable (UInt64) -> (bytes: [UInt8], number: UInt64),
        finished: @escaping @Sendable (EventListener) -> Void
    ) {
        let state = Shared()
        state.value.withLock { $0.pending = first }
        self.state = state
        let owner = Owner()
        stream = HTTPStream(
            { memory in
                state.value.withLock { state in
                    if state.offset == state.pending.count {
                        (state.pending, state.last) = events(state.last)
                        state.offset = 0
                        if let newest = state.newest.take() { state.pending += newest }
                        if state.pending.isEmpty, state.isBeatDue { state.pending = Array(":\n\n".utf8) }
                        state.isBeatDue = false
                    }
                    let count = min(memory.count, state.pending.count - state.offset)
                    memory.copyBytes(from: state.pending[state.offset..<state.offset + count])
                    state.offset += count
                    return count > 0 ? .bytes(count) : HTTPStream.Supply.none
                }
            }, finished: { owner.listener.withLock { $0.take() }.map(finished) })
        owner.listener.withLock { $0 = self }
    }

    /// Keeps the listener until its client is gone.
    private final class Owner: Sendable {
        let listener = Guarded<EventListener?>(nil)
    }

    func begin(after number: UInt64) { state.value.withLock { $0.last = number } }

    /// Sends an event unless another takes its place before it can be sent.
    func offer(_ text: [UInt8]) {
        state.value.withLock { $0.newest = text }
        stream.wake()
    }

    func beat() { state.value.withLock { $0.isBeatDue = true } }
}
