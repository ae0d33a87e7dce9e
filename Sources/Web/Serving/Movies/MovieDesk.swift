// SPDX-License-Identifier: MIT
// Movies that pages start and end, and the folder they are in.

import FrameRing
import Glibc
import LiveCapture
import LivecapFiles
import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapMovies
import LivecapSound
import LivecapStreams
import LivecapThreads

/// Makes one movie at a time, and shows those that are there.
final class MovieDesk: Sendable {
    private let session: CaptureSession
    private let hub: EventHub
    private let tasks: TaskThread
    private let movies: PageMovies
    private let software: String
    private let state = Guarded(State.idle)
    /// The movie that the program makes besides.
    private let program = Guarded<ProgramMovie?>(nil)
    private let isClosed = Guarded(false)
    /// Whether the page's frames hide what is behind people now.
    private let hidesRoom: @Sendable () -> Bool
    /// The movie that is being completed.
    let completing = Guarded<MovieOutput?>(nil)
    /// Notified when a change is over.
    private let settled = OwnedSignal()
    /// Lists the folder, and removes from it.
    private let queue = RequestQueue("movies", threads: 1, waiting: 100)

    private enum State: Sendable {
        case idle
        case changing
        case filming(Filming)
    }

    /// The current movie.
    private struct Filming: Sendable {
        let movie: MovieOutput
        let microphone: SoundCapture?
    }

    /// A movie that no page has begun.
    private struct ProgramMovie: Sendable {
        let filming: Filming
        /// Has it ended.
        let end: @Sendable () -> Void
        var isEnding = false
    }

    init?(_ session: CaptureSession, hub: EventHub, tasks: TaskThread, settings: ViewfinderSettings) {
        guard let movies = settings.movies else { return nil }
        self.session = session
        self.hub = hub
        self.tasks = tasks
        self.movies = movies
        software = settings.software
        hidesRoom = settings.hidesRoom
    }

    private var folder: String { movies.names.folder }

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
            case .filming(let filming):
                // Some file systems take large letters for small ones.
                filming.movie.name.lowercased() == name.lowercased()
                    ? .busy("the movie is being made", "end it first") : nil
            }
        }
        if let refusal { return reply.send(refusal) }
        queue.answer(reply) { self.remove(name) }
    }

    private func remove(_ name: String) -> HTTPResponse {
        // Only what the list has.
        guard let file = HTTPFile(name, in: folder) else { return .notFound }
        // By the socket, the terminal or another program.
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            return .busy("the movie is being made", "end it first")
        }
        if unlink("\(folder)/\(name)") != 0, errno != ENOENT {
            let words = "the movie cannot be removed: \(String(cString: strerror(errno)))"
            return .failure(500, words, code: "not-removed", hint: "see who may write in the folder of movies")
        }
        hub.tell("movieRemoved", .object([("name", .string(name))]))
        return HTTPResponse(204)
    }

    /// `POST /movies`.
    func change(_ request: HTTPRequest, _ reply: HTTPReply) {
        let intent: MovieIntent
        do throws(IntentFault) { intent = try MovieIntent(body: request.body) } catch {
            return reply.send(.failure(error))
        }
        switch intent.action {
        case .start: start(intent.past ?? movies.past, reply)
        case .stop: stop(reply)
        case .toggle:
            let isNoneMade = isIdle && program.withLock { $0 == nil }
            let isLastCompleted = completing.withLock { $0 != nil }
            if isNoneMade || isLastCompleted { start(intent.past ?? movies.past, reply) } else { stop(reply) }
        case .pause: change(reply) { $0.pause() }
        case .resume: change(reply) { $0.resume() }
        case .mark: change(reply) { (movie) throws(MovieError) in try movie.mark(intent.chapter) }
        }
    }

    private var isIdle: Bool { if case .idle = state.withLock({ $0 }) { true } else { false } }

    /// What is made now, for pages.
    var present: JSON {
        switch state.withLock({ $0 }) {
        case .idle: presentOfProgram ?? Self.object("idle")
        case .changing: Self.object("changing")
        case .filming(let filming): Self.object(filming)
        }
    }

    private var presentOfProgram: JSON? {
        program.withLock { $0 }.map { program in
            program.isEnding ? Self.object("changing", file: program.filming.movie.name) : Self.object(program.filming)
        }
    }

    private static func object(_ filming: Filming) -> JSON {
        .object([
            ("state", filming.movie.isPaused ? "paused" : "recording"),
            ("seconds", .number(filming.movie.length.seconds)),
            ("file", .string(filming.movie.name)), ("bytes", JSON(filming.movie.byteCount)), ("error", .null),
            ("sound", JSON(filming.microphone?.figures.microphone?.name)),
        ])
    }

    private static func object(_ state: String, file: String? = nil, error: String? = nil) -> JSON {
        .object([
            ("state", .string(state)), ("seconds", .integer(0)), ("file", JSON(file)), ("bytes", .integer(0)),
            ("error", JSON(error)), ("sound", .null),
        ])
    }

    // MARK: The program's movies

    /// Pages show a movie that the program makes, while they make none. `end` has it ended, if one of them asks.
    func show(_ movie: MovieOutput, sound: SoundCapture?, _ end: @escaping @Sendable () -> Void) {
        program.withLock {
            $0 = ProgramMovie(filming: Filming(movie: movie, microphone: sound), end: end)
        }
        if isIdle { hub.tell("movie", present) }
    }

    /// A movie that the program made has ended.
    func hide(_ movie: MovieOutput, _ error: MovieError?) {
        program.withLock { if $0?.filming.movie === movie { $0 = nil } }
        if isIdle { hub.tell("movie", Self.object("idle", file: movie.name, error: error?.message)) }
    }

    /// The movie that the program makes, if pages may change it.
    private var changeable: ProgramMovie? { program.withLock { $0?.isEnding == true ? nil : $0 } }

    // MARK: Movies of pages

    private func start(_ past: Duration, _ reply: HTTPReply) {
        // Frames with effects hide what the page's frames hide.
        guard movies.stage?.treatment.contains(.withEffects) == true || !hidesRoom() else {
            return reply.send(
                .failure(
                    409, "what is behind people is hidden now, and movies would show it", code: "hidden",
                    hint: "have effects drawn into movies, too, or set effects without portrait and background"))
        }
        // Before a name is taken.
        if let refusal = movies.stage?.refusal(past: past) {
            return reply.send(.failure(409, refusal, code: "no-movie"))
        }
        let isFree = state.withLock { state in
            guard case .idle = state, !isClosed.withLock({ $0 }) else { return false }
            state = .changing
            return true
        }
        guard isFree else { return reply.send(refusalOfStart()) }
        Task.detached(executorPreference: tasks) { [self] in
            let microphone = await openMicrophone()
            var settings = MovieSettings()
            settings.software = software
            settings.changesCameras = movies.changeCameras
            settings.quality = movies.quality
            settings.hostMount = movies.mount
            settings.zoom = movies.zoom
            settings.date = movies.date
            let path = movies.names.next(movies.kind).path
            let movie = MovieOutput(to: path, settings, past: past, sound: microphone?.history, microphone)
            do throws(MovieError) {
                try await add(movie)
            } catch {
                await movies.sound.close(microphone)
                settle(.idle)
                hub.tell("movie", Self.object("idle", error: error.message))
                return reply.send(.failure(409, error, code: "no-movie"))
            }
            settle(.filming(Filming(movie: movie, microphone: microphone)))
            hub.tell("movie", present)
            reply.send(.json(present, status: 201))
            // It ends by itself on a full disk.
            await onThread(named: "movie end") { movie.waitForEnd() }
            await complete(movie, nil)
        }
    }

    /// Why no movie can begin now. One that is only to get its index first is completed soon.
    private func refusalOfStart() -> HTTPResponse {
        if let last = completing.withLock({ $0 }) {
            last.limitIndexing(to: .zero)
            return .busy("the last movie is being completed", "try again in a moment")
        }
        if case .filming = state.withLock({ $0 }) { return .busy("a movie is being made", "end it first") }
        return .busy("a movie is being begun or completed", "try again in a moment")
    }

    /// Adds a movie to the host whose frames movies show.
    private func add(_ movie: MovieOutput) async throws(MovieError) {
        guard let stage = movies.stage else { return try await session.add(movie) }
        let asked: Timestamp? = movie.past > .zero ? .now : nil
        try await onThread(named: "open") { () throws(MovieError) in try stage.add(movie, asked: asked) }
    }

    /// The microphone for a movie. Without one, the movie is silent, and pages learn why.
    private func openMicrophone() async -> SoundCapture? {
        do throws(SoundError) { return try await movies.sound.open(session) } catch {
            hub.tell("notice", .object([("words", .string("\(error.message), so the movie has no sound"))]))
            return nil
        }
    }

    /// Ends a change.
    private func settle(_ next: State) {
        state.withLock { $0 = next }
        settled.notify()
    }

    private func stop(_ reply: HTTPReply?) {
        guard case .filming(let filming) = state.withLock({ $0 }) else {
            if isIdle, let movie = changeable {
                program.withLock { $0?.isEnding = true }
                movie.end()
                // An event says when it has ended.
                reply?.send(.json(present, status: 202))
                hub.tell("movie", present)
                return
            }
            reply?.send(
                isIdle
                    ? .busy("no movie is being made", "start one first")
                    : .busy("the movie is being begun or completed", "try again in a moment"))
            return
        }
        Task.detached(executorPreference: tasks) { [self] in await complete(filming.movie, reply) }
    }

    /// Claims the current movie for completion; nil if it is another one, or is being completed.
    private func claim(_ movie: MovieOutput) -> Filming? {
        state.withLock { state in
            guard case .filming(let filming) = state, filming.movie === movie else { return nil }
            state = .changing
            return filming
        }
    }

    private func complete(_ movie: MovieOutput, _ reply: HTTPReply?) async {
        guard let filming = claim(movie) else {
            reply?.send(.busy("the movie is being completed", "wait for it"))
            return
        }
        session.remove(movie)
        completing.withLock { $0 = movie }
        if isClosed.withLock({ $0 }) { movie.limitIndexing(to: MovieIndexProgress.patience) }
        let result = await movie.finish()
        completing.withLock { $0 = nil }
        await movies.sound.close(filming.microphone)
        settle(.idle)
        let object = Self.object("idle", file: movie.name, error: result.failure?.message)
        hub.tell("movie", object)
        reply?.send(.json(object))
        if let program = presentOfProgram { hub.tell("movie", program) }
    }

    private func change(_ reply: HTTPReply, _ body: (MovieOutput) throws(MovieError) -> Void) {
        let own: MovieOutput? = if case .filming(let filming) = state.withLock({ $0 }) { filming.movie } else { nil }
        guard let movie = own ?? (isIdle ? changeable?.filming.movie : nil) else {
            return reply.send(.busy("no movie is being made", "start one first"))
        }
        do throws(MovieError) { try body(movie) } catch {
            let isOfRequest = if case .markTooLong = error { true } else { false }
            return reply.send(.failure(isOfRequest ? 400 : 409, error, code: error.code))
        }
        hub.tell("movie", present)
        reply.send(.json(present))
    }

    /// Finishes the current movie, and accepts no more. Blocks.
    func close() {
        isClosed.withLock { $0 = true }
        while true {
            switch state.withLock({ $0 }) {
            case .idle: return
            case .filming(let filming):
                guard claim(filming.movie) != nil else { continue }
                session.remove(filming.movie)
                completing.withLock { $0 = filming.movie }
                filming.movie.limitIndexing(to: MovieIndexProgress.patience)
                _ = filming.movie.finish()
                completing.withLock { $0 = nil }
                movies.sound.closeNow(filming.microphone)
                settle(.idle)
            case .changing:
                completing.withLock { $0 }?.limitIndexing(to: MovieIndexProgress.patience)
                _ = settled.wait(until: .distantFuture) {
                    if case .changing = state.withLock({ $0 }) { false } else { true }
                }
            }
        }
    }
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
