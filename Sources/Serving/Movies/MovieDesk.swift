// SPDX-License-Identifier: MIT
// Movies that pages start and end, and the folder they are in.

import Glibc
import LiveCapture
import LivecapFiles
import LivecapFrames
import LivecapHTTP
import LivecapJSONText
import LivecapMovies
import LivecapThreads

/// Makes one movie at a time, and shows those that are there.
final class MovieDesk: Sendable {
    private let session: CaptureSession
    private let hub: EventHub
    private let tasks: TaskThread
    private let folder: String
    /// Numbered as the movies of `livecap run` are.
    private let names: Guarded<NumberedNames>
    private let past: Duration
    private let software: String
    private let state = Guarded(State.idle)
    private let isClosed = Guarded(false)
    /// Lists the folder, and removes from it.
    private let queue = RequestQueue("movies", threads: 1, waiting: 100)

    private enum State: Sendable {
        case idle
        case changing
        case filming(MovieOutput, since: Timestamp)
    }

    init?(_ session: CaptureSession, _ hub: EventHub, _ tasks: TaskThread, _ settings: ViewfinderSettings) {
        guard let folder = settings.movieFolder else { return nil }
        (self.session, self.hub, self.tasks, self.folder) = (session, hub, tasks, folder)
        (past, software) = (settings.moviePast, settings.software)
        names = Guarded(
            NumberedNames("\(folder)/livecap-", suffix: ".\(settings.movieKind)", width: 4) {
                MovieContainer(path: String($0)) != nil
            })
    }

    /// `GET /movies`.
    func list(_ reply: HTTPReply) {
        queue.answer(reply) { self.list() }
    }

    private func list() -> HTTPResponse {
        let names = fileNames(in: folder).filter { MovieContainer(path: $0) != nil && !$0.hasPrefix(".") }.sorted(by: >)
        let movies = names.compactMap { name -> JSON? in
            guard let file = HTTPFile(name, in: folder) else { return nil }
            let changed = CalendarTime(utcNanoseconds: file.changed.nanoseconds)
            return .object([
                ("name", .string(name)), ("bytes", JSON(file.fileSize)), ("changed", .string("\(changed)")),
                ("url", .string("/movies/\(name.inPath)")),
            ])
        }
        guard case .object(let present) = self.present else { return .notFound }
        return .json(.object([("movies", .array(movies))] + present))
    }

    /// `/movies/NAME`.
    func movie(_ name: Substring, _ request: HTTPRequest, _ reply: HTTPReply) {
        // Only names that the list has: no path leads out of the folder.
        guard !name.contains("/"), let container = MovieContainer(path: String(name)), !name.hasPrefix(".") else {
            return reply.send(.notFound)
        }
        switch request.method {
        case "GET", "HEAD":
            let file = HTTPFile(String(name), in: folder)
            let response = file?.response(to: request, type: container.mediaType).with("Cache-Control", "no-cache")
            reply.send(response ?? .notFound)
        case "DELETE": remove(String(name), reply)
        default: reply.send(.wrongMethod)
        }
    }

    private func remove(_ name: String, _ reply: HTTPReply) {
        let refusal: HTTPResponse? = state.withLock { state in
            switch state {
            case .idle: nil
            case .changing: .busy("a movie is being begun or completed", "ask again in a moment")
            case .filming(let movie, _):
                // Some file systems take large letters for small ones.
                movie.name.lowercased() == name.lowercased() ? .busy("the movie is being made", "end it first") : nil
            }
        }
        if let refusal { return reply.send(refusal) }
        queue.answer(reply) { self.remove(name) }
    }

    private func remove(_ name: String) -> HTTPResponse {
        // Only what the list has.
        guard HTTPFile(name, in: folder) != nil else { return .notFound }
        if unlink("\(folder)/\(name)") != 0, errno != ENOENT {
            let words = "the movie cannot be removed: \(String(cString: strerror(errno)))"
            return .failure(500, words, code: "not-removed", hint: "see who may write in the folder of movies")
        }
        hub.tell("movieRemoved", .object([("name", .string(name))]))
        return HTTPResponse(204)
    }

    /// `POST /movies`.
    func change(_ request: HTTPRequest, _ reply: HTTPReply) {
        let object = JSON(parsing: request.body)
        let past = object?["preMs"]?.asDouble.map { Duration.milliseconds(Int64(min(max($0, 0), 3_600_000))) }
        switch object?["do"]?.asString {
        case "start"?: start(past ?? self.past, reply)
        case "stop"?: stop(reply)
        case "pause"?: change(reply) { $0.pause() }
        case "resume"?: change(reply) { $0.resume() }
        case "mark"?:
            change(reply) { (movie) throws(MovieError) in try movie.mark(object?["name"]?.asString) }
        default:
            reply.send(
                .failure(
                    400, "the body says nothing to do", code: "bad-request",
                    hint: "send {\"do\":\"start\"}, stop, pause, resume or mark"))
        }
    }

    /// What is made now, for pages.
    var present: JSON {
        switch state.withLock({ $0 }) {
        case .idle: Self.object("idle")
        case .changing: Self.object("changing")
        case .filming(let movie, let since):
            .object([
                ("state", movie.isPaused ? "paused" : "recording"),
                ("seconds", .number((Timestamp.now - since).seconds)),
                ("file", .string(movie.name)),
                ("bytes", JSON(movie.byteCount)),
                ("error", .null),
            ])
        }
    }

    private static func object(_ state: String, file: String? = nil, error: String? = nil) -> JSON {
        .object([
            ("state", .string(state)), ("seconds", .integer(0)), ("file", JSON(file)), ("bytes", .integer(0)),
            ("error", JSON(error)),
        ])
    }

    private func start(_ past: Duration, _ reply: HTTPReply) {
        let isFree = state.withLock { state in
            guard case .idle = state, !isClosed.withLock({ $0 }) else { return false }
            state = .changing
            return true
        }
        guard isFree else { return reply.send(.busy("a movie is being made", "end it first")) }
        let asked = Timestamp.now
        Task.detached(executorPreference: tasks) { [self] in
            do throws(MovieError) {
                let path = newPath()
                var settings = MovieSettings()
                settings.software = software
                let movie = MovieOutput(to: path, settings, past: past)
                try await session.add(movie)
                state.withLock { $0 = .filming(movie, since: asked - past) }
                hub.tell("movie", present)
                reply.send(.json(present, status: 201))
                await follow(movie)
            } catch {
                state.withLock { $0 = .idle }
                hub.tell("movie", Self.object("idle", error: error.message))
                reply.send(.failure(409, error, code: "no-movie"))
            }
        }
    }

    /// Completes a movie that ends by itself, as on a full disk.
    private func follow(_ movie: MovieOutput) async {
        while case .filming(let present, _) = state.withLock({ $0 }), present === movie {
            if movie.hasEnded { return await complete(movie, nil) }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    private func stop(_ reply: HTTPReply?) {
        guard case .filming(let movie, _) = state.withLock({ $0 }) else {
            reply?.send(.busy("no movie is being made", "start one first"))
            return
        }
        Task.detached(executorPreference: tasks) { [self] in await complete(movie, reply) }
    }

    private func complete(_ movie: MovieOutput, _ reply: HTTPReply?) async {
        let isMine = state.withLock { state in
            guard case .filming(let present, _) = state, present === movie else { return false }
            state = .changing
            return true
        }
        guard isMine else {
            reply?.send(.busy("the movie is being completed", "wait for it"))
            return
        }
        session.remove(movie)
        let result = await movie.finish()
        state.withLock { $0 = .idle }
        let object = Self.object("idle", file: movie.name, error: result.failure?.message)
        hub.tell("movie", object)
        reply?.send(.json(object))
    }

    private func change(_ reply: HTTPReply, _ body: (MovieOutput) throws(MovieError) -> Void) {
        guard case .filming(let movie, _) = state.withLock({ $0 }) else {
            return reply.send(.busy("no movie is being made", "start one first"))
        }
        do throws(MovieError) { try body(movie) } catch {
            let isOfRequest = if case .markTooLong = error { true } else { false }
            return reply.send(.failure(isOfRequest ? 400 : 409, error, code: error.code))
        }
        hub.tell("movie", present)
        reply.send(.json(present))
    }

    /// Completes the movie of now, if one is begun, made or completed, and begins no other. Blocks.
    func close() {
        isClosed.withLock { $0 = true }
        while true {
            switch state.withLock({ $0 }) {
            case .idle: return
            case .filming(let movie, _):
                let isMine = state.withLock { state in
                    guard case .filming = state else { return false }
                    state = .changing
                    return true
                }
                guard isMine else { continue }
                session.remove(movie)
                _ = movie.finish()
                state.withLock { $0 = .idle }
            case .changing: usleep(20_000)
            }
        }
    }

    /// The next path that is free. The name of a movie that was removed meanwhile does not come again.
    private func newPath() -> String { names.withLock { $0.next().path } }
}

extension MovieOutput {
    /// The name of its file.
    fileprivate var name: String { String(path.split(separator: "/").last ?? "") }
}

extension HTTPResponse {
    fileprivate static func busy(_ words: String, _ hint: String) -> HTTPResponse {
        failure(409, words, code: "movie-state", hint: hint)
    }
}

extension MovieContainer {
    fileprivate var mediaType: String {
        switch "\(self)" {
        case "webm": "video/webm"
        case "mp4": "video/mp4"
        default: "video/x-matroska"
        }
    }
}

extension String {
    /// As a part of a URL's path.
    fileprivate var inPath: String {
        utf8.map { byte in
            let isPlain = byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || (0x30...0x39).contains(byte))
            if isPlain || [0x2D, 0x2E, 0x5F].contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}
