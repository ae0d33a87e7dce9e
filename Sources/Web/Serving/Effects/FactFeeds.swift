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
    /// Those that can be known, as far as somebody has asked.
    private let found: Guarded<Set<FactKind>>
    private let isLooking = Guarded(false)
    private let looking = Guarded(())
    private let tasks: TaskThread
    /// Streams are begun one after the other: nets may have to be loaded, for longer than others can wait.
    private let queue = RequestQueue("facts", threads: 1, waiting: EventHub.maxListeners)

    init(_ source: FactSource?, on tasks: TaskThread) {
        self.source = source
        found = Guarded(source.map { $0.lack == nil ? $0.kinds : [] } ?? [])
        self.tasks = tasks
    }

    /// What can be known, as far as that was looked at. Nothing is loaded before somebody asks.
    var known: Set<FactKind> { found.withLock { $0 } }

    /// Whether looking again would find nothing more.
    var isComplete: Bool { known == source?.kinds ?? [] }

    /// Looks at what can be known: `known` afterwards. What was missing may have been installed since. May take long.
    func look() { for kind in source?.kinds ?? [] { _ = lack([kind]) } }

    /// The same on a thread of its own. `then` is called if more is known afterwards.
    func lookAside(_ then: @escaping @Sendable () -> Void) {
        guard !isComplete else { return }
        let isFirst = isLooking.withLock { isLooking in
            defer { isLooking = true }
            return !isLooking
        }
        guard isFirst else { return }
        let work: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            let before = known
            look()
            isLooking.withLock { $0 = false }
            if known != before { then() }
        }
        // Without a thread, whoever asks next has it looked at.
        do throws(SystemShortage) { try SystemThread(name: "facts", work).detach() } catch {
            isLooking.withLock { $0 = false }
        }
    }

    /// Why some of these cannot be known; nil if all can. May take long.
    private func lack(_ kinds: Set<FactKind>) -> EffectRefusal? {
        // One looks at a time, so that nets are not loaded twice. The server's thread never does.
        looking.withLock { _ in
            for kind in FactKind.allCases where kinds.contains(kind) && !known.contains(kind) {
                if let lack = source?.lack?(kind) { return lack }
                found.withLock { _ = $0.insert(kind) }
            }
            return nil
        }
    }

    /// Answers a request with what `response` makes of the feed that its `?facts=` asks for; nil if it asks for none.
    func answer(
        _ request: HTTPRequest, _ reply: HTTPReply, _ response: @escaping @Sendable (FactFeed?) -> HTTPResponse
    ) {
        do throws(FactFault) {
            guard let wanted = try wanted(request) else { return reply.send(response(nil)) }
            queue.answer(reply) { [self] in
                if let lack = lack(wanted) { return .failure(409, lack) }
                return response(feed(wanted))
            }
        } catch { reply.send(error.response) }
    }

    private func wanted(_ request: HTTPRequest) throws(FactFault) -> Set<FactKind>? {
        guard let text = request.argument("facts") else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { FactKind(rawValue: String($0)) }
        guard !names.contains(nil) else { throw .unknown }
        let wanted = Set(names.compactMap { $0 })
        guard let source, wanted.isSubset(of: source.kinds) else { throw .notKnown }
        return wanted
    }

    private func feed(_ wanted: Set<FactKind>) -> FactFeed {
        feeds.withLock { feeds in
            if let feed = feeds[wanted] { return feed }
            let feed = FactFeed(on: tasks) { [source] in source?.stream(wanted) }
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

    static let noFactsNow = failure(
        409, "nobody can be looked for in these frames", code: "no-facts",
        hint: "choose another format of the camera, or another camera")
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
        var isClosed = false

        /// Has a listener told of what is found already. Returns whether something is.
        mutating func join(_ listener: EventListener) -> Bool {
            guard task != nil else { return false }
            listeners[ObjectIdentifier(listener)] = listener
            return true
        }
    }

    init(on tasks: TaskThread, _ stream: @escaping @Sendable () -> AsyncStream<FrameFacts>?) {
        self.tasks = tasks
        self.stream = stream
    }

    /// Has a listener told from now on. Returns whether that is possible. The first one may have to wait for nets.
    func add(_ listener: EventListener) -> Bool {
        if state.withLock({ $0.join(listener) }) { return true }
        // Without the lock: who is told of facts, or leaves, does not wait for nets.
        guard let facts = stream() else { return false }
        return state.withLock { state in
            // Another one may have begun meanwhile.
            if state.isClosed || state.join(listener) { return !state.isClosed }
            state.count += 1
            let number = state.count
            state.task = Task.detached(executorPreference: tasks) { [weak self] in
                for await facts in facts { self?.tell(facts) }
                self?.ended(number)
            }
            return state.join(listener)
        }
    }

    /// The last to leave ends the stream.
    func remove(_ listener: EventListener) {
        end { $0.listeners[ObjectIdentifier(listener)] = nil }
    }

    /// Ends it for good.
    func close() {
        end { state in
            state.listeners = [:]
            state.isClosed = true
        }
    }

    /// Ends the stream if no listener is left.
    private func end(_ change: (inout State) -> Void) {
        let task: Task<Void, Never>? = state.withLock { state in
            change(&state)
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
