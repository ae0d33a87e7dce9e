// SPDX-License-Identifier: MIT
// The movies of a run: a key or a request starts one, and the next ends it, while pictures go on.

import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrames
import LivecapMovies
import LivecapServing
import LivecapSound
import LivecapStabilization
import LivecapStreams
import LivecapThreads
import Shutter

/// What became of a movie that was asked for.
enum MovieNews: Sendable {
    case begun(RunMovie)
    case ended(RunMovie, MovieResult)
    /// There is none.
    case failed(number: Int, Failure, SocketReplies?)
}

/// A movie of a run.
struct RunMovie: Sendable {
    let number: Int
    let movie: MovieOutput
    /// When it was asked for.
    let asked: Timestamp
    /// To the client that asked for it, if one did.
    let replies: SocketReplies?
}

/// Starts and ends movies, one at a time. Used by the run's thread; what takes long is done by others, which report it
/// to the inbox.
final class RunMovies {
    private let host: Host
    private let inbox: RunInbox
    /// Also for the movies that pages start.
    let names: MovieNames
    private let kind: MovieContainer
    private let past: Duration
    private let settings: MovieSettings
    private let microphone: MovieMicrophone?
    /// Makes the frames of movies; nil if those are the session's own.
    private let stage: StageHost?
    /// Shows them to browsers.
    var page: Viewfinder?
    /// The sound that movies have.
    var sound: SoundCapture? { microphone?.capture }
    private var state = State.idle
    /// The movie that is being completed.
    private let ending = Ending()
    private final class Ending: Sendable {
        let movie = Guarded<MovieOutput?>(nil)
    }

    private enum State {
        case idle
        /// Its file and encoder are being opened.
        case opening
        /// The same, and it ends as soon as that is done, which is said to the client that asked for it.
        case abandoned(SocketReplies?)
        case filming(RunMovie)
        case ending
    }

    /// Nil unless `--movies` asks for movies.
    init?(
        _ arguments: Arguments, host: Host, inbox: RunInbox, microphone: MovieMicrophone?,
        by stage: StageHost?
    ) throws(Failure) {
        guard let folder = arguments[RunOptions.movies] else { return nil }
        if stage == nil { try host.requireHistory(Self.past(arguments), for: "the beginning of a movie") }
        names = try creating { () throws(FileError) in try MovieNames(in: folder) }
        kind = arguments[RunOptions.movieKind] ?? .mkv
        past = Self.past(arguments)
        var settings = MovieSettings(canvas: arguments[MovieOptions.canvas])
        settings.software = BuildInformation.program
        settings.split = arguments[MovieOptions.split]
        settings.quality = arguments.movieQuality
        settings.stabilization = arguments[StabilizationOptions.stabilise] ?? .off
        settings.changesCameras = arguments.asksForNextCamera
        settings.hostMount = arguments.mount
        settings.zoom = arguments[ViewOptions.zoom]
        settings.date = arguments.date
        self.settings = settings
        self.stage = stage
        self.host = host
        self.inbox = inbox
        self.microphone = microphone
        host.interruption.offer(.index { [ending] in ending.movie.withLock { $0 } })
    }

    /// How long before they are asked for movies begin. Those of triggers show what was noticed.
    private static func past(_ arguments: Arguments) -> Duration {
        arguments[RunOptions.moviePast] ?? (TriggerOptions.filmsMovies(arguments) ? .seconds(1) : .zero)
    }

    /// Refuses what cannot be, before a camera is opened.
    static func check(_ arguments: Arguments) throws(Failure) {
        guard let past = arguments[RunOptions.moviePast] else { return }
        if arguments[SourceOptions.pace] == .fast {
            throw .pictures(
                "--pre: a movie that begins in the past needs frames at their own pace", hint: "leave out --pace fast")
        }
        // Stages keep the past of their own frames.
        let isStaged = StagedFrames.areAsked(for: .movies, arguments)
        if let ring = arguments.askedHistory, ring < past, !isStaged {
            throw .pictures(
                "--ring \(fixed(ring.seconds, 1))s keeps less than --pre \(fixed(past.seconds, 1))s",
                hint: "leave out --ring, or make it longer")
        }
    }

    /// The history that the ring must keep: what is read while a movie is opened must not leave it.
    static func neededHistory(_ arguments: Arguments) -> Duration {
        // A page makes movies without --movies.
        guard arguments.contains(RunOptions.movies) || arguments.contains(RunOptions.moviePast) else { return .zero }
        let isStaged = StagedFrames.areAsked(for: .movies, arguments)
        return (isStaged ? .zero : past(arguments)) + .seconds(2)
    }

    /// Whether nothing is filmed, opened or completed.
    var isIdle: Bool { if case .idle = state { true } else { false } }

    /// Whether the last movie is being completed, so that none can begin.
    var isCompleting: Bool {
        switch state {
        case .ending, .abandoned: true
        case .idle, .opening, .filming: false
        }
    }

    /// Whether movies show something of the time before they are asked for.
    var beginInThePast: Bool { past > .zero }

    /// Whether something is to be looked at from time to time.
    var changesWithTime: Bool { !isIdle || microphone != nil }

    /// Does what a key or a client asks for. Returns why it cannot be.
    func obey(
        _ intent: MovieIntent, at time: Timestamp, telling replies: SocketReplies? = nil
    ) -> Failure? {
        switch (intent.action, state) {
        case (.start, .idle), (.toggle, .idle):
            if let asked = intent.past, asked > past {
                return .movie(
                    "this run keeps \(fixed(past.seconds, 1)) s for the beginning of a movie",
                    hint: "ask for less, or start it with a longer --pre")
            }
            begin(at: time, past: intent.past ?? past, replies)
        case (.stop, .filming(let movie)), (.toggle, .filming(let movie)): end(movie, replies)
        case (.stop, .opening), (.toggle, .opening): state = .abandoned(replies)
        case (.start, .filming), (.start, .opening): return .movie("a movie is being made", hint: "end it first")
        case (.start, .ending), (.toggle, .ending), (.start, .abandoned), (.toggle, .abandoned):
            completeSoon()
            return .movie("the last movie is being completed", hint: "try again in a moment")
        case (.pause, .filming(let movie)):
            movie.movie.pause()
            replies?.send(movie, .moviePaused)
        case (.resume, .filming(let movie)):
            movie.movie.resume()
            replies?.send(movie, .movieResumed)
        case (.mark, .filming(let movie)):
            do throws(MovieError) { try movie.movie.mark(intent.chapter) } catch { return error.failure }
            replies?.send(movie, .movieMarked)
        case (.pause, .opening), (.resume, .opening), (.mark, .opening):
            return .movie("the movie is just starting", hint: "try again in a moment")
        case (_, .idle), (_, .ending), (_, .abandoned): return .movie("no movie is being made", hint: "start one first")
        }
        return nil
    }

    /// What the key for pauses means now.
    var pauseKey: MovieIntent.Action {
        if case .filming(let movie) = state, movie.movie.isPaused { .resume } else { .pause }
    }

    /// Notes what the inbox has reported.
    func note(_ news: MovieNews) {
        switch news {
        case .begun(let movie):
            if case .abandoned(let replies) = state { return end(movie, replies) }
            state = .filming(movie)
            page?.show(movie.movie, sound: sound) { [inbox] in
                inbox.put(.endMovie(number: movie.number))
            }
        case .ended(let movie, let result):
            state = .idle
            ending.movie.withLock { $0 = nil }
            page?.hide(movie.movie, result.failure)
        case .failed: state = .idle
        }
    }

    /// Ends the movie of a number, if it is being made.
    func end(number: Int) {
        if case .filming(let movie) = state, movie.number == number { end(movie, nil) }
    }

    /// Gives up what is only done to have the index of the last movie first: another movie is to begin.
    func completeSoon() { ending.movie.withLock { $0 }?.limitIndexing(to: .zero) }

    /// Ends the movie of now, if there is one, because the run ends.
    func stop() {
        switch state {
        case .filming(let movie): end(movie, nil)
        case .opening: state = .abandoned(nil)
        case .idle, .ending, .abandoned: break
        }
        // A file in fragments can be played, too: nobody has to wait for a long copy.
        ending.movie.withLock { $0 }?.limitIndexing(to: MovieIndexProgress.patience)
    }

    /// Completes a movie that has ended by itself, as on a full disk, and reports on the microphone.
    func look() {
        microphone?.reportNotices()
        if case .filming(let movie) = state, movie.movie.hasEnded { end(movie, nil) }
    }

    /// Such as "filming 12.3 s"; nil if no movie is made.
    var status: String? {
        switch state {
        case .idle: nil
        case .opening: "beginning a movie"
        case .filming(let movie):
            "\(movie.movie.isPaused ? "movie paused" : "filming") \(fixed(movie.movie.length.seconds, 1)) s, \(movie.movie.byteCount / 1_000_000) MB"
        case .ending, .abandoned: "completing a movie"
        }
    }

    private func begin(at time: Timestamp, past: Duration, _ replies: SocketReplies?) {
        let (number, path) = names.next(kind)
        let movie = MovieOutput(to: path, settings, past: past, sound: microphone?.capture.history)
        let begun = RunMovie(number: number, movie: movie, asked: time, replies: replies)
        state = .opening
        let (host, inbox, stage) = (host.session, inbox, stage)
        Task.detached(executorPreference: self.host.tasks) {
            do throws(MovieError) {
                try await onThread(named: "open") { () throws(MovieError) in
                    if let stage {
                        try stage.add(movie, asked: past > .zero ? time : nil)
                        guard stage.keptPast < past else { return }
                        let (kept, done) = (fixed(stage.keptPast.seconds, 1), stage.treatment.words ?? "kept")
                        Console.note(
                            "note: the movie begins \(kept) s back: --memory has no room for more frames that are \(done)"
                        )
                    } else {
                        try host.add(movie, asked: past > .zero ? time : nil)
                    }
                }
                inbox.put(.movie(.begun(begun)))
            } catch { inbox.put(.movie(.failed(number: number, error.failure, replies))) }
        }
    }

    private func end(_ movie: RunMovie, _ replies: SocketReplies?) {
        state = .ending
        ending.movie.withLock { $0 = movie.movie }
        // Before any wait: what comes later is not part of it.
        host.session.remove(movie.movie)
        let inbox = inbox
        let ended = RunMovie(
            number: movie.number, movie: movie.movie, asked: movie.asked, replies: replies ?? movie.replies)
        Task.detached(executorPreference: host.tasks) {
            inbox.put(.movie(.ended(ended, await movie.movie.finish())))
        }
    }
}

extension Failure {
    /// A request for a movie that cannot be served now.
    static func movie(_ message: String, hint: String) -> Failure { .pictures(message, hint: hint) }
}
