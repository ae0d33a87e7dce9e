// SPDX-License-Identifier: MIT
// What is known of people, for clients of the socket of a run.

import Camera
import Dispatch
import LiveCapture
import LivecapFacts
import LivecapFrames
import LivecapIntents
import LivecapThreads
import Shutter

/// Reports facts about each examined frame to clients, until they want no more or have left. Requests are served one
/// after the other on a thread that nothing else waits for: nets may have to be loaded.
final class SocketFacts: Sendable {
    /// Begins to look for facts, until the result is called. The first closure is called if that ends by itself, or,
    /// with the reason, if nobody can be looked for any more; the second one with all that is found.
    typealias Follow =
        @Sendable (
            Set<FactKind>, _ end: @escaping @Sendable (CameraError?) -> Void,
            _ take: @escaping @Sendable (FrameFacts) -> Void
        ) throws(Failure) -> @Sendable () -> Void

    private let follow: Follow
    private let requests = DispatchQueue(label: "livecap.facts")
    private let state = Guarded(State())

    private struct State: Sendable {
        var listeners: [ObjectIdentifier: FactListener] = [:]
        /// Requests that have not been answered.
        var waiting = 0
        var isOver = false
    }

    /// The maximum number of requests that wait.
    static let maxWaiting = 64

    /// Facts that `follow` finds.
    init(follow: @escaping Follow) { self.follow = follow }

    /// Facts of a session's frames. The camera stays on while somebody wants them.
    convenience init(_ session: CaptureSession) {
        self.init { (kinds, end, take) throws(Failure) in
            if let lack = FactKind.lack(kinds) { throw .effects(.nets(lack)) }
            return try attempt { () throws(CameraError) in try session.followFacts(kinds, end: end, take) }
        }
    }

    /// Reports to a client what it asks for, instead of what it asked for before.
    func obey(_ intent: FactsIntent, of client: ObjectIdentifier, telling replies: SocketReplies) {
        let isAccepted = state.withLock { state in
            guard state.waiting < Self.maxWaiting else { return false }
            state.waiting += 1
            return true
        }
        guard isAccepted else {
            return replies.refuse(
                .pictures("too many requests for facts are waiting", hint: "wait for the answer to each"))
        }
        requests.async { [self] in
            change(to: intent.follow, of: client, telling: replies)
            state.withLock { $0.waiting -= 1 }
        }
    }

    /// Reports nothing more to a client that has left.
    func forget(_ reply: SocketReply) {
        // The reply is held meanwhile, so that no other client has the same identity.
        requests.async { [self] in end(reply.client) }
    }

    /// Ends all reports.
    func close() {
        state.withLock { $0.isOver = true }
        requests.sync {
            for client in Array(state.withLock { $0.listeners }.keys) { end(client) }
        }
    }

    private func change(to kinds: Set<FactKind>, of client: ObjectIdentifier, telling replies: SocketReplies) {
        end(client)
        guard !state.withLock({ $0.isOver }) else { return replies.refuse(.notRunning) }
        // Its `forget` may have been served already.
        guard replies.isConnected else { return }
        guard !kinds.isEmpty else { return replies.send(following: []) }
        let listener = FactListener(replies)
        state.withLock { $0.listeners[client] = listener }
        do throws(Failure) {
            let leave = try follow(kinds, { [weak self] in self?.ended(listener, of: client, $0) }) { facts in
                listener.report(facts)
            }
            listener.begin(with: kinds, leave)
        } catch {
            end(client)
            replies.refuse(error)
        }
    }

    /// Ends the reports to a client.
    private func end(_ client: ObjectIdentifier) {
        state.withLock { $0.listeners.removeValue(forKey: client) }?.end()
    }

    /// Nobody is looked for any more: at the end of the session, or for a reason.
    private func ended(_ listener: FactListener, of client: ObjectIdentifier, _ error: CameraError?) {
        state.withLock { state in
            if state.listeners[client] === listener { state.listeners[client] = nil }
        }
        let hadBegun = listener.end()
        if let error {
            listener.replies.refuse(.camera(error))
        } else if !hadBegun {
            listener.replies.refuse(.notRunning)
        }
    }
}

/// A client that gets reports of facts.
private final class FactListener: Sendable {
    private enum Phase {
        /// No report comes before the answer that says which will.
        case beginning
        case reporting(leave: @Sendable () -> Void)
        case over
    }

    let replies: SocketReplies
    private let phase = Guarded(Phase.beginning)

    init(_ replies: SocketReplies) { self.replies = replies }

    /// Answers which facts follow. `leave` ends the search for them.
    func begin(with kinds: Set<FactKind>, _ leave: @escaping @Sendable () -> Void) {
        let isOver = phase.withLock { phase in
            guard case .beginning = phase else { return true }
            replies.send(following: kinds)
            phase = .reporting(leave: leave)
            return false
        }
        if isOver { leave() }
    }

    /// Reports what is known of a frame. Never waits for the client.
    func report(_ facts: FrameFacts) {
        let lost: (@Sendable () -> Void)? = phase.withLock { phase in
            guard case .reporting(let leave) = phase else { return nil }
            guard replies.isConnected else {
                phase = .over
                return leave
            }
            replies.offer(facts)
            return nil
        }
        // Should nobody have said that it has left.
        lost?()
    }

    /// Reports nothing more. Returns whether reports had begun.
    @discardableResult
    func end() -> Bool {
        let leave: (@Sendable () -> Void)? = phase.withLock { phase in
            defer { phase = .over }
            guard case .reporting(let leave) = phase else { return nil }
            replies.withdrawOffer()
            return leave
        }
        leave?()
        return leave != nil
    }
}
