// SPDX-License-Identifier: MIT
// A shutter's events as an asynchronous sequence.

import LivecapThreads

/// The events of a shutter, for `for await`:
///
/// ```swift
/// for await case .pressed(let time) in shutter.events {
///     output.capture(at: .at(time))
/// }
/// ```
///
/// Any number of tasks may read. Each gets all events from the moment when it begins, with the times when they
/// happened, however late it reads them. The sequence ends after the last event once the shutter is closed or has ended
/// by itself (an unplugged device, the end of a pipe), and at once when the reading task is cancelled. A shutter goes
/// on listening while somebody reads, even if nothing else refers to it.
///
/// At most `maxUnread` presses wait for a reader. Further ones are dropped for this reader, with a release each, and
/// counted.
public struct ShutterEvents: AsyncSequence, Sendable {
    /// A press or a release.
    public typealias Element = ShutterEvent
    /// Reading never fails.
    public typealias Failure = Never

    /// The maximum number of presses that wait for a reader.
    public static let maxUnread = 1024

    private let feed: ShutterFeed
    private let shutter: any AnyObject & Sendable

    init(_ feed: ShutterFeed, of shutter: any AnyObject & Sendable) {
        self.feed = feed
        self.shutter = shutter
    }

    /// Begins to read. Events from now on wait for the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(feed.makeReader(keeping: shutter)) }

    /// One reader's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: ShutterReader

        fileprivate init(_ reader: ShutterReader) { self.reader = reader }

        /// Waits for the next event. Returns nil after the last one, or when the task is cancelled.
        public mutating func next() async -> ShutterEvent? { await next(isolation: nil) }

        /// Waits for the next event. Returns nil after the last one, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ShutterEvent? {
            let reader = reader
            return await withTaskCancellationHandler {
                await withCheckedContinuation(isolation: actor) { reader.next($0) }
            } onCancel: {
                reader.end(keepingUnread: false)
            }
        }

        /// The number of presses that this reader did not get, because too many were unread.
        public var droppedCount: Int { reader.droppedCount }
    }
}

/// Passes a shutter's events on to all that read them. Filled by the shutter's thread.
final class ShutterFeed: Sendable {
    private struct Entry: Sendable {
        weak let reader: ShutterReader?
    }
    private struct State {
        var readers: [Entry] = []
        var isOver = false
    }
    private let state = Guarded(State())

    func makeReader(keeping shutter: any AnyObject & Sendable) -> ShutterReader {
        let reader = ShutterReader(keeping: shutter)
        let isOver = state.withLock { state in
            if !state.isOver { state.readers.append(Entry(reader: reader)) }
            return state.isOver
        }
        if isOver { reader.end(keepingUnread: true) }
        return reader
    }

    func send(_ event: ShutterEvent) {
        for reader in readers(areOver: false) { reader.add(event) }
    }

    /// Ends all readers once they have read what waits for them.
    func end() {
        for reader in readers(areOver: true) { reader.end(keepingUnread: true) }
    }

    /// Those that still read. Used without the lock, because releasing the last reference to a reader may end a
    /// shutter.
    private func readers(areOver: Bool) -> [ShutterReader] {
        state.withLock { state in
            if areOver { state.isOver = true }
            let readers = state.readers.compactMap(\.reader)
            state.readers.removeAll { $0.reader == nil }
            return readers
        }
    }
}

/// The events that wait for one iterator.
final class ShutterReader: Sendable {
    fileprivate struct State {
        var unread: [ShutterEvent] = []
        var unreadPresses = 0
        var droppedCount = 0
        /// As many releases as presses are dropped, so that no button stays down for a reader.
        var releasesToDrop = 0
        var isOver = false
        var waiting: CheckedContinuation<ShutterEvent?, Never>?
    }
    private let state = Guarded(State())
    private let shutter: any AnyObject & Sendable

    init(keeping shutter: any AnyObject & Sendable) { self.shutter = shutter }

    var droppedCount: Int { state.withLock { $0.droppedCount } }

    func add(_ event: ShutterEvent) {
        let waiting: CheckedContinuation<ShutterEvent?, Never>? = state.withLock { state in
            guard !state.isOver else { return nil }
            if let waiting = state.waiting.take() { return waiting }
            state.append(event)
            return nil
        }
        waiting?.resume(returning: event)
    }

    func end(keepingUnread: Bool) {
        let waiting = state.withLock { state in
            state.isOver = true
            if !keepingUnread { (state.unread, state.unreadPresses) = ([], 0) }
            return state.waiting.take()
        }
        waiting?.resume(returning: nil)
    }

    /// Resumes the continuation with the next event, at once or when there is one.
    func next(_ continuation: CheckedContinuation<ShutterEvent?, Never>) {
        let answer: ShutterEvent?? = state.withLock { state in
            precondition(state.waiting == nil, "an iterator is for one task")
            if !state.unread.isEmpty { return .some(state.removeFirst()) }
            if state.isOver { return .some(nil) }
            state.waiting = continuation
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }
}

extension ShutterReader.State {
    fileprivate mutating func append(_ event: ShutterEvent) {
        switch event {
        case .pressed where unreadPresses == ShutterEvents.maxUnread:
            droppedCount += 1
            releasesToDrop += 1
            return
        case .pressed: unreadPresses += 1
        case .released where releasesToDrop > 0:
            releasesToDrop -= 1
            return
        case .released: break
        }
        unread.append(event)
    }

    fileprivate mutating func removeFirst() -> ShutterEvent {
        let event = unread.removeFirst()
        if case .pressed = event { unreadPresses -= 1 }
        return event
    }
}
