// SPDX-License-Identifier: MIT
// Events that any number of readers follow, each from the same beginning.

import LivecapThreads

/// The events of a session or of a shot.
///
/// Every iteration has its own place: it gets all events from the beginning on, and takes none away from other readers.
/// It ends after the last event, or when its task is cancelled.
public struct EventSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Events never fail; failures are events.
    public typealias Failure = Never

    private let log: EventLog<Element>
    private let beginning: Int

    init(_ log: EventLog<Element>, from beginning: Int) { (self.log, self.beginning) = (log, beginning) }

    /// Begins with the first event.
    public func makeAsyncIterator() -> Iterator { Iterator(log, at: beginning) }

    /// One reader's place in the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let log: EventLog<Element>
        private var place: Int

        fileprivate init(_ log: EventLog<Element>, at place: Int) { (self.log, self.place) = (log, place) }

        /// The next event; nil after the last one, or if the task is cancelled.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// The next event; nil after the last one, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            let next = await log.event(at: place, isolation: actor)
            if let next { place = next.place + 1 }
            return next?.event
        }
    }
}

/// Where events are noted. Of a long story, the newest events are kept.
final class EventLog<Element: Sendable>: Sendable {
    private struct Content {
        var events: [Element] = []
        /// The place of the first event kept.
        var first = 0
        /// Where readers begin.
        var beginning = 0
        var isFinished = false
    }

    private let content = Guarded(Content())
    private let bell = AsyncBell()
    private let limit: Int

    /// Keeps at least the newest `limit` events for those who have not read them.
    init(limit: Int = .max) { self.limit = limit }

    /// A sequence of the events from the present chapter's beginning on.
    var sequence: EventSequence<Element> { EventSequence(self, from: content.withLock { $0.beginning }) }

    /// Makes the next event the one that new readers begin with.
    func beginChapter() { content.withLock { $0.beginning = $0.first + $0.events.count } }

    /// Notes an event. Never blocks.
    func add(_ event: Element) {
        content.withLock { content in
            content.events.append(event)
            // Removed in bulk, which costs little per event.
            guard content.events.count / 2 > limit else { return }
            content.events.removeFirst(limit)
            content.first += limit
        }
        bell.ring()
    }

    /// Ends the sequences of all readers. No event may follow.
    func finish() {
        content.withLock { $0.isFinished = true }
        bell.ring()
    }

    /// The event at a place, or the oldest kept if that one is gone; waits for it if it has not happened. Nil if it
    /// never will, or if the task is cancelled.
    func event(at place: Int, isolation: isolated (any Actor)?) async -> (event: Element, place: Int)? {
        await bell.first(isolation: isolation) { () -> (event: Element, place: Int)?? in
            content.withLock { content in
                let place = max(place, content.first)
                if content.events.indices.contains(place - content.first) {
                    return .some((content.events[place - content.first], place))
                }
                return content.isFinished ? .some(nil) : nil
            }
        } ?? nil
    }
}
