// SPDX-License-Identifier: MIT
// The replies to a client that asked for a picture.

import LiveCapture
import LivecapFrames
import LivecapIntents
import LivecapMovies
import Shutter

/// Sends lines of JSON to a client, each with the client's own id for its request.
struct SocketReplies: Sendable {
    private let reply: SocketReply
    private let id: SocketID?
    private let tag: String?
    private let source: SourceKind?

    init(_ reply: SocketReply, _ id: SocketID?, tag: String? = nil, of source: SourceKind? = nil) {
        self.reply = reply
        self.id = id
        self.tag = tag
        self.source = source
    }

    /// Reports an event of the shot.
    func send(_ event: PhotoEvent) {
        switch event {
        case .willBeginCapture(let resolved):
            send(.begun, [("shot", JSON(resolved.shot.number)), ("qualityGiven", .string(resolved.quality.rawValue))])
        case .didFinishCapture(let frames):
            send(
                .captured,
                [
                    ("referenceId", .string("\(frames.nearest.id)")),
                    ("referenceNs", .integer(frames.nearest.time.nanoseconds)), ("frames", JSON(frames.count)),
                    ("waitMs", JSON(milliseconds: frames.wait)),
                ])
        case .framesNotKept(let error):
            send(
                .framesNotKept,
                [
                    ("error", .string(error.message)), ("code", .string(error.code)),
                    ("hint", .string(Hints.hint(error))),
                ])
        case .photo(let photo): send(.photo, members(photo))
        case .proxy(let proxy): send(.proxy, members(proxy.photo))
        case .failed(let error): refuse(error)
        }
    }

    /// Reports the outcome of a deferred photo whose proxy was reported before.
    func send(_ final: FinalNews) { send(.final, final.members) }

    private func members(_ photo: Photo) -> [(String, JSON)] {
        [("shot", JSON(photo.shot.number)), ("file", JSON(photo.file))] + photo.looks + [
            ("referenceId", .string("\(photo.reference.id)")), ("lagMs", JSON(milliseconds: photo.lag)),
            ("lagBoundMs", JSON(milliseconds: photo.lagBound)), ("framesUsed", JSON(photo.used.count)),
            ("qualityAsked", .string(photo.qualityAsked.rawValue)),
            ("qualityGiven", .string(photo.qualityGiven.rawValue)),
        ] + photo.libraryMembers + (photo.group.map { [("groupId", .string($0.id))] } ?? [])
    }

    /// Reports that a movie has begun, or with a result that it has ended.
    func send(_ movie: RunMovie, _ result: MovieResult? = nil) {
        guard let result else { return send(.movieBegun, movie.begunMembers) }
        send(.movie, movie.members(result))
    }

    /// Reports what happened to a movie that is being made.
    func send(_ movie: RunMovie, _ event: SocketEvent) { send(event, movie.begunMembers) }

    /// Reports what the camera is, after it was changed.
    func send(camera members: [(String, JSON)]) { send(.camera, members) }

    /// Reports what a control is, after it was set.
    func send(control members: [(String, JSON)]) { send(.control, members) }

    /// Reports which effects are drawn.
    func send(effects members: [(String, JSON)]) { send(.effects, members) }

    /// Reports that a reaction begins.
    func send(reaction members: [(String, JSON)]) { send(.reaction, members) }

    /// Reports which facts follow from now on.
    func send(following kinds: Set<FactKind>) {
        send(.following, [("follow", .array(FactKind.allCases.filter(kinds.contains).map { .string($0.rawValue) }))])
    }

    /// Reports what is known of a frame, unless a newer one is known before that can be sent.
    func offer(_ facts: FrameFacts) {
        guard case .object(let members) = facts.json else { return }
        reply.offer(line(.facts, members))
    }

    /// Takes back what is known of a frame, if it is not being sent yet.
    func withdrawOffer() { reply.withdrawOffer() }

    /// Whether the client is still connected, as far as is known.
    var isConnected: Bool { reply.isConnected }

    /// Reports why there is no movie, or why it ended early.
    func refuse(_ failure: Failure) {
        send(
            .failed,
            [
                ("error", .string(failure.message)), ("code", .string(failure.code)), ("hint", .string(failure.hint)),
            ])
    }

    /// Reports why there is no picture.
    func refuse(_ error: PhotoError) {
        send(
            .failed,
            [
                ("error", .string(error.message)), ("code", .string(error.code)),
                ("hint", .string(Hints.hint(error, of: source))),
            ])
    }

    private func send(_ event: SocketEvent, _ members: [(String, JSON)]) { reply.send(line(event, members)) }

    private func line(_ event: SocketEvent, _ members: [(String, JSON)]) -> String {
        let own = id.members + (tag.map { [("tag", .string($0))] } ?? [])
        return JSON.object([("event", .string(event.rawValue))] + own + members).text
    }
}

extension Readiness {
    /// The readiness as a line of JSON for a client.
    func json(id: SocketID?) -> String {
        JSON.object(
            [("event", .string(SocketEvent.readiness.rawValue))] + id.members + [
                ("state", .string(state.rawValue)), ("waitMs", JSON(milliseconds: estimatedWait)),
                // As it was called at first.
                ("estimatedWaitMs", JSON(milliseconds: estimatedWait)),
            ]
        ).text
    }
}

extension SocketID? {
    fileprivate var members: [(String, JSON)] { map { [("id", $0.json)] } ?? [] }
}
