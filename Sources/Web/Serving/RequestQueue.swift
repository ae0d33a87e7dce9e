// SPDX-License-Identifier: MIT
// Requests whose answers take memory, a disk or a processor: a few at a time, some waiting, and no more.

import LivecapHTTP
import LivecapThreads

/// Answers requests one after the other, or a few at a time, on threads of its own, which exist while there are
/// requests. Those that come while too many wait are refused at once: a crowd costs neither memory nor the camera's
/// processor.
final class RequestQueue: Sendable {
    /// Makes an answer; nil if it went elsewhere.
    typealias Work = @Sendable () -> HTTPResponse?

    private struct State {
        var waiting: [(reply: HTTPReply, work: Work)] = []
        /// Those that have been accepted and do not wait yet.
        var accepted = 0
        var threads = 0
    }

    private let name: String
    private let maxThreads: Int
    private let maxWaiting: Int
    private let state = Guarded(State())

    init(_ name: String, threads: Int, waiting: Int) { (self.name, maxThreads, maxWaiting) = (name, threads, waiting) }

    /// Has `work` answer a request. Does not wait.
    func answer(_ reply: HTTPReply, _ work: @escaping Work) { answer(reply, preparing: { work }) }

    /// The same with work that is only prepared if there is room for it. What it needs is copied then.
    func answer(_ reply: HTTPReply, preparing prepare: () -> Work) {
        let isAccepted = state.withLock { state in
            guard state.waiting.count + state.accepted < maxWaiting else { return false }
            state.accepted += 1
            return true
        }
        guard isAccepted else { return reply.send(.tooBusy) }
        let work = prepare()
        let needsThread = state.withLock { state in
            state.accepted -= 1
            state.waiting.append((reply, work))
            guard state.threads < maxThreads else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return }
        do throws(SystemShortage) { try SystemThread(name: name) { self.run() }.detach() } catch { refuseThoseLeft() }
    }

    private func run() {
        while let next = takeNext() {
            if let response = next.work() { next.reply.send(response) }
        }
    }

    /// The next request; nil if there is none, which ends the thread.
    private func takeNext() -> (reply: HTTPReply, work: Work)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threads -= 1
            return nil
        }
    }

    /// Thread creation failed. Those that wait are refused, unless another thread will come to them.
    private func refuseThoseLeft() {
        let left = state.withLock { state in
            state.threads -= 1
            guard state.threads == 0 else { return [HTTPReply]() }
            defer { state.waiting = [] }
            return state.waiting.map(\.reply)
        }
        for reply in left { reply.send(.tooBusy) }
    }
}

extension HTTPResponse {
    static var tooBusy: HTTPResponse {
        failure(503, "too many such requests are waiting", code: "too-busy", hint: "ask again in a second")
            .with("Retry-After", "1")
    }
}
