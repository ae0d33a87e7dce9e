// SPDX-License-Identifier: MIT
// What is known of people, for the listeners that ask for it.

import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapThreads

/// The feeds of facts: one for each set of kinds that somebody asks for.
final class FactFeeds: Sendable {
    private let source: FactSource?
    private let feeds: Guarded<[Set<FactKind>: FactFeed]> = Guarded([:])
    private let tasks: TaskThread

    init(_ source: FactSource?, on tasks: TaskThread) {
        self.source = source
        self.tasks = tasks
    }

    /// What can be known.
    var kinds: Set<FactKind> { source?.kinds ?? [] }

    /// The feed that `?facts=` of a request asks for; nil if it asks for none.
    func feed(_ request: HTTPRequest) throws(FactFault) -> FactFeed? {
        guard let text = request.argument("facts") else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { FactKind(rawValue: String($0)) }
        guard !names.contains(nil) else { throw .unknown }
        let wanted = Set(names.compactMap { $0 })
        guard let source, wanted.isSubset(of: source.kinds) else { throw .notKnown }
        return feeds.withLock { feeds in
            if let feed = feeds[wanted] { return feed }
            let feed = FactFeed(on: tasks) { source.stream(wanted) }
            feeds[wanted] = feed
            return feed
        }
    }

    /// Ends all feeds.
    func close() { for feed in feeds.withLock({ Array($0.values) }) { feed.close() } }
}

/// Why facts are not told.
enum FactFault: Error {
    /// There are none of that name.
    case unknown
    /// The server does not look for them.
    case notKnown

    var response: HTTPResponse {
        switch self {
        case .unknown:
            .failure(
                400, "'facts' names something that is not known", code: "bad-request",
                hint: "give one or several of \(FactKind.allCases.map(\.rawValue).joined(separator: ", "))")
        case .notKnown: .noFacts
        }
    }
}

extension HTTPResponse {
    static let noFacts = failure(
        409, "this server does not look for these facts", code: "no-facts",
        hint: "the \"facts\" of GET /effects are those that it can know")
}

/// One stream of facts, told to all of its listeners. Nobody looks for facts while there is none.
final class FactFeed: Sendable {
    private let state = Guarded(State())
    private let tasks: TaskThread
    private let stream: @Sendable () -> AsyncStream<FrameFacts>?

    private struct State: Sendable {
        var listeners: [ObjectIdentifier: EventListener] = [:]
        var task: Task<Void, Never>?
        /// Counts tasks, so that one that ends does not take itself for its successor.
        var count: UInt64 = 0
    }

    init(on tasks: TaskThread, _ stream: @escaping @Sendable () -> AsyncStream<FrameFacts>?) {
        self.tasks = tasks
        self.stream = stream
    }

    /// Has a listener told from now on. Returns whether that is possible.
    func add(_ listener: EventListener) -> Bool {
        state.withLock { state in
            if state.task == nil {
                guard let facts = stream() else { return false }
                state.count += 1
                let number = state.count
                state.task = Task.detached(executorPreference: tasks) { [weak self] in
                    for await facts in facts { self?.tell(facts) }
                    self?.ended(number)
                }
            }
            state.listeners[ObjectIdentifier(listener)] = listener
            return true
        }
    }

    /// The last to leave ends the stream.
    func remove(_ listener: EventListener) {
        end { $0.removeValue(forKey: ObjectIdentifier(listener)) }
    }

    func close() { end { $0 = [:] } }

    /// Ends the stream if no listener is left.
    private func end(_ change: (inout [ObjectIdentifier: EventListener]) -> Void) {
        let task: Task<Void, Never>? = state.withLock { state in
            change(&state.listeners)
            return state.listeners.isEmpty ? state.task.take() : nil
        }
        // Not while the lock is held: whoever made the stream hears of it at once.
        task?.cancel()
    }

    /// Whether nobody listens, and nothing is looked for.
    var isIdle: Bool { state.withLock { $0.listeners.isEmpty && $0.task == nil } }

    /// Tells all listeners.
    func tell(_ facts: FrameFacts) {
        let text = EventHub.text("facts", facts.json, number: nil)
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.offer(text) }
    }

    /// The stream ended by itself. The next listener begins another.
    private func ended(_ number: UInt64) {
        state.withLock { state in if state.count == number { state.task = nil } }
    }
}
