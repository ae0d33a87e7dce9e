// SPDX-License-Identifier: MIT
// Turns taps into pictures for as long as livecap is armed.

import LiveCapture
import LivecapCommandTable
import LivecapEffects
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage
import Shutter

/// The main thread of `livecap run`: passes taps to the session, and reports the photos.
/// A class, because the compiler took minutes to check it as a struct that cannot be copied, with all that it holds.
final class ArmedRun {
    let host: Host
    let inbox: RunInbox
    private let shutters: RunShutters
    private let settings: PhotoSettings
    let threads: Int
    let isVerbose: Bool
    let files: PhotoFiles?
    private var latest: LatestFrame?
    let hooks: HookRunner?
    let live: LivePhotos?
    let movies: RunMovies?
    let recording: RunRecording?
    let window: RunWindow?
    private let camera: RunCamera
    private let effects: RunEffects
    private let facts: SocketFacts
    let triggers: RunTriggers?
    /// The other cameras; nil if there are none.
    let companions: RunCompanions?
    /// What has taken pictures that are not reported yet.
    var causes: [ShotID: TriggerCause.Kind] = [:]
    /// Who decides what is drawn into pictures; nil if they get no effects.
    private let photoBoard: EffectBoard?
    /// Whether memory is planned for pictures of every format, as a page needs.
    private let takesFormats: Bool
    private let maxPhotos: Int
    private let deadline: Timestamp
    private var hold: HoldBurst
    /// The replies to clients whose presses are held, by the number of the hold.
    private var holders: [Int: SocketReplies] = [:]
    private var progress = Progress()
    var (asked, taken, failed, forgotten) = (0, 0, 0, 0)
    /// The number of pictures whose moments had not come when the run ended. They are not reported one by one.
    var untaken = 0
    private var notedDropped = 0
    var isEnding = false, hasCancelled = false
    var firstFailure: Failure?
    /// How long the last picture took, from its tap to its file.
    var lastTook: Duration?
    var reported: Set<String> = []
    /// What was said last of the people who are seen.
    var seen: String?
    /// Deferred photos of this run, with the replies to the client that asked for each, if one did.
    var unfinished: [PhotoID: SocketReplies?] = [:]
    /// Finals of photos whose movies are still being made, so that their proxies are not reported yet.
    var early: [PhotoID: FinalNews] = [:]
    /// Pictures of future moments that clients asked for.
    private var scheduled = ScheduledTaps<ObjectIdentifier>()
    private var captures: [ShotID: (tap: Tap, capture: PhotoCapture)] = [:]
    /// Shots cancelled because the client that asked for them has left: these are not failures.
    var givenUp: Set<ShotID> = []

    private static let movieKeys = "mpc"
    /// Keys that do something other than take a picture.
    static let keys = movieKeys + "qQ?h"

    init(
        _ host: Host, inbox: RunInbox, shutters: RunShutters, pictures: PictureOptions,
        files: PhotoFiles?, latest: LatestFrame?, hooks: HookRunner?, movies: RunMovies?, microphone: MovieMicrophone?,
        recording: RunRecording?, window: RunWindow?, effects: RunEffects, facts: SocketFacts, triggers: RunTriggers?,
        companions: RunCompanions?, arguments: Arguments
    ) throws(Failure) {
        self.host = host
        self.inbox = inbox
        self.shutters = shutters
        self.files = files
        self.latest = latest
        self.hooks = hooks
        self.movies = movies
        self.recording = recording
        self.window = window
        camera = RunCamera(host.session)
        self.effects = effects
        self.facts = facts
        self.triggers = triggers
        self.companions = companions
        photoBoard = EffectOptions.photoBoard(arguments, host.session)
        takesFormats = arguments[RunOptions.serve]
        live = try LivePhotos(arguments, host, sharing: microphone?.capture)
        settings = pictures.settings
        threads = pictures.threads
        isVerbose = pictures.isVerbose
        maxPhotos = arguments[RunOptions.count] ?? .max
        deadline = arguments[RunOptions.duration].map { .now + $0 } ?? .distantFuture
        hold = HoldBurst(interval: arguments[RunOptions.burst] ?? host.session.frameInterval)
    }

    /// Takes pictures until there is a reason to end, then waits for those in progress. Returns the exit status.
    func untilTheEnd(_ console: inout Console) throws(Failure) -> Int32 {
        while true {
            let now = Timestamp.now
            if !isEnding && (now >= deadline || host.interruption.signal != nil || host.session.hasEnded) {
                isEnding = true
            }
            // Moments that have not come yet are not waited for.
            if isEnding && !hasCancelled {
                host.output.cancelScheduled()
                companions?.cancelScheduled()
            }
            hasCancelled = isEnding
            if isEnding || !takesTaps { movies?.stop() } else { movies?.look() }
            if movies == nil { triggers?.reportNotices() }
            // At the end of the stream, it ends by itself, with the last frame.
            if !takesTaps && !host.session.hasEnded { recording?.stop() }
            let isIdle = movies?.isIdle != false && recording?.isIdle != false && companions?.isIdle != false
            if !takesTaps && taken + failed == asked - forgotten && isIdle { break }
            if !isEnding { latest?.keep(host, at: now) }
            // A release may be among the inputs that wait.
            if takesTaps && inbox.isEmpty { take(hold.takeTaps(until: now), within: RunShutters.wakeUp) }
            if inbox.isEmpty { noteDroppedPresses() }
            // Everything else that has to be looked at wakes this thread.
            let look = isWatched ? now + .milliseconds(100) : .distantFuture
            let next = min(hold.nextTap ?? .distantFuture, look, max(deadline, now + .milliseconds(1)))
            if let input = inbox.next(until: next) { try handle(input, &console) }
            let status = status
            window?.show(status)
            progress.show { status.words }
        }
        isEnding = true
        noteDroppedPresses()
        // Clients that still ask are told that it is too late.
        while let input = inbox.next(until: .now) {
            if case .request(let request, let reply) = input { serve(request, reply) }
        }
        if let failure = host.session.failure { throw .camera(failure) }
        if asked == 0, let interrupted = host.interruptedBeforeFrames { throw interrupted }
        let words = failed > untaken ? ", \(failed - untaken) failed" : ""
        Console.note("\(counted(taken, "picture"))\(words)")
        if untaken > 0 { Console.note("\(counted(untaken, "picture")) of future moments not taken") }
        if asked > 0, let kept = firstFailure?.wordsOfKept(taken) { Console.note("note: \(kept)") }
        let left = try consulting { () throws(LibraryError) in
            try host.session.library?.countDeferred(among: unfinished.keys) ?? 0
        }
        if left > 0 { Console.note(DeferredWords.leftForLater(left)) }
        return firstFailure?.exitStatus ?? host.interruption.exitStatus
    }

    /// Whether something changes with time: the line that is shown, the picture that is kept current, a movie.
    private var isWatched: Bool {
        progress.isPossible || window != nil || latest != nil || movies?.changesWithTime == true
    }

    private func handle(_ input: RunInput, _ console: inout Console) throws(Failure) {
        switch input {
        case .button(let button, let event):
            guard takesTaps else { return }
            take(hold.handle(event, button: button), within: RunShutters.tapError(of: button))
        case .click(let button, let time):
            guard takesTaps else { return }
            for event in [ShutterEvent.pressed(at: time), .released(at: time)] {
                take(hold.handle(event, button: button), within: RunShutters.tapError(of: button))
            }
        case .key(let key): obey(key)
        case .shown(let frame, let time):
            let tap: Tap = frame.map { .at($0) } ?? (host.clock == .own ? .now : .at(time))
            take(tap, within: frame == nil ? RunShutters.wakeUp : .zero, window?.settings(settings))
        case .request(let request, let reply): serve(request, reply)
        case .ended(.endOfInput): isEnding = true
        case .ended(.unplugged(let path)):
            Console.note("note: the input device \(path) was disconnected; the other ways to take pictures remain")
        case .ended(.failed(let error)): Console.note("note: \(error.message)")
        case .photo(let shot, .success(let photo), let replies, let movie):
            noteEnd(of: shot)
            try report(photo, of: shot, telling: replies, with: movie, &console)
        case .photo(let shot, .failure(let error), _, _):
            noteEnd(of: shot)
            try report(error, of: shot, &console)
        case .group(let photo): try report(photo, &console)
        case .movie(let news): try report(news, &console)
        case .endMovie(let number): movies?.end(number: number)
        case .recording(let record): try report(record, &console)
        case .final(let news): try report(news, &console)
        case .facts(let facts): try report(facts, &console)
        case .trigger(let event, let number):
            guard takesTaps else { return }
            try report(event, &console)
            obey(event, number)
        }
    }

    /// Does what a key of the terminal is for.
    private func obey(_ key: Character) {
        if key == "q" || key == "Q" { isEnding = true }
        if key == "?" || key == "h" {
            Console.note(
                "Enter or space takes a picture"
                    + (movies == nil ? "" : "; m starts or ends a movie, p pauses it, c marks a chapter")
                    + (effects.keysInWords.map { "; \($0)" } ?? "") + "; q ends")
        }
        guard takesTaps else { return }
        if let words = effects.obey(key) { return say(words) }
        guard Self.movieKeys.contains(key) else { return }
        guard let movies else { return say("note: movies need a place: --movies DIR") }
        let action: MovieIntent.Action = key == "m" ? .toggle : key == "c" ? .mark : movies.pauseKey
        if let refusal = movies.obey(MovieIntent(action), at: .now) {
            say("note: \(refusal.message)")
        } else if action == .mark {
            say(MovieKeys.chapter)
        }
    }

    /// Says what became of a key, where it may have been pressed.
    func say(_ words: String) {
        Console.note(words)
        window?.say(words)
    }

    /// Whether more taps are accepted. Shots already begun are still waited for. Cancelled shots of clients that left
    /// do not count.
    var takesTaps: Bool { !isEnding && asked - forgotten < maxPhotos }

    /// Takes a picture, unless enough were taken. Returns the shot.
    @discardableResult
    func take(
        _ tap: Tap, within error: Duration, _ settings: PhotoSettings? = nil,
        telling replies: SocketReplies? = nil
    ) -> PhotoCapture? {
        guard takesTaps else { return nil }
        asked += 1
        let settings = (settings ?? self.settings).withEffects(of: photoBoard)
        let capture = capture(settings, at: tap, within: error)
        let inbox = inbox
        let movie = live?.follow(capture)
        Task.detached(executorPreference: host.tasks) {
            for await event in capture {
                replies?.send(event)
                switch event {
                case .photo(let photo): inbox.put(.photo(capture.id, .success(photo), movie: await movie?.value ?? nil))
                case .proxy(let proxy):
                    inbox.put(.photo(capture.id, .success(proxy.photo), replies, movie: await movie?.value ?? nil))
                case .failed(let error): inbox.put(.photo(capture.id, .failure(error)))
                case .willBeginCapture, .didFinishCapture, .framesNotKept: break
                }
            }
        }
        return capture
    }

    /// Takes the pictures of presses. A client is sent the replies to all taps of its own press.
    private func take(_ taps: [HoldBurst.Tap], within error: Duration) {
        for tap in taps { take(press(tap), within: error, telling: holders[tap.hold]) }
        if !hold.isHeld { holders = [:] }
    }

    /// Cancels the future shots of a client that has left, and its reports of facts.
    private func forget(_ reply: SocketReply) {
        facts.forget(reply)
        for shot in scheduled.removeAll(of: reply.client) {
            guard let (tap, capture) = captures.removeValue(forKey: shot), isToCome(tap) else { continue }
            givenUp.insert(shot)
            capture.cancel()
        }
    }

    /// Reports presses that were dropped since the last report, once none is waiting any more.
    private func noteDroppedPresses() {
        let dropped = inbox.droppedPresses + shutters.droppedPresses
        guard dropped > notedDropped else { return }
        let count = dropped - notedDropped
        notedDropped = dropped
        Progress.clearLine()
        Console.note("note: presses came too fast: \(count) of them were dropped")
    }

    private func noteEnd(of shot: ShotID) {
        scheduled.remove(shot)
        captures[shot] = nil
    }

    /// Has `body` do what a client asks for, unless it is too late.
    private func answer(_ request: SocketRequest, _ reply: SocketReply, _ body: (SocketReplies) -> Void) {
        let replies = SocketReplies(reply, request.id, of: host.kind)
        if takesTaps { body(replies) } else { replies.refuse(.notRunning) }
    }

    private func serve(_ request: SocketRequest, _ reply: SocketReply) {
        switch request.wish {
        case .left: forget(reply)
        case .readiness:
            let readiness = takesTaps ? host.output.readiness.current : Readiness(.notRunning)
            reply.send(readiness.json(id: request.id))
        case .movie(let intent):
            let replies = SocketReplies(reply, request.id, of: host.kind)
            guard takesTaps else { return replies.refuse(.notRunning) }
            guard let movies else {
                return replies.refuse(Failure.movie("this run makes no movies", hint: "start it with --movies DIR"))
            }
            if let refusal = movies.obey(intent, at: request.received, telling: replies) { replies.refuse(refusal) }
        case .camera(let intent): answer(request, reply) { camera.obey(intent, telling: $0) }
        case .control(let intent): answer(request, reply) { camera.obey(intent, telling: $0) }
        case .effects(let intent): answer(request, reply) { effects.obey(intent, telling: $0) }
        case .reaction(let intent): answer(request, reply) { effects.obey(intent, telling: $0) }
        case .facts(let intent): answer(request, reply) { facts.obey(intent, of: reply.client, telling: $0) }
        case .press, .release:
            guard takesTaps else { return SocketReplies(reply, request.id, of: host.kind).refuse(.notRunning) }
            let event: ShutterEvent =
                request.wish == .press ? .pressed(at: request.received) : .released(at: request.received)
            let taps = hold.handle(event, button: RunShutters.socketButton)
            // The press itself is the last one.
            if request.wish == .press, let press = taps.last {
                holders[press.hold] = SocketReplies(reply, request.id, of: host.kind)
            }
            take(taps, within: RunShutters.wakeUp)
        case .tap(let intent):
            let replies = SocketReplies(reply, request.id, tag: intent.tag, of: host.kind)
            guard takesTaps else { return replies.refuse(.notRunning) }
            if let format = intent.format, format != settings.format, files != nil || !takesFormats {
                return replies.refuse(
                    Failure.pictures(
                        "this run makes \(settings.format.rawValue) pictures only",
                        hint: "leave \"format\" out, or start the run with --library and --serve"))
            }
            do throws(PhotoError) {
                let settings = settings.changed(by: intent)
                if let lack = settings.format.lack { throw lack }
                let error: Duration = intent.frame == nil && intent.at == nil ? RunShutters.wakeUp : .zero
                let tap = tap(of: intent, received: request.received)
                guard !isTooFarAhead(tap) else {
                    return replies.refuse(
                        Failure.pictures(
                            "the moment is more than an hour ahead", hint: "ask for the picture later"))
                }
                guard isToCome(tap) else {
                    take(tap, within: error, settings, telling: replies)
                    break
                }
                guard scheduled.hasRoom(for: reply.client) else {
                    throw .tooManyScheduled(limit: ScheduledTaps<ObjectIdentifier>.maxPerClient)
                }
                if let capture = take(tap, within: error, settings, telling: replies) {
                    scheduled.add(capture.id, of: reply.client)
                    captures[capture.id] = (tap, capture)
                }
            } catch { replies.refuse(error) }
        }
    }

    private var status: RunStatus {
        // Without frames the session waits for its camera, as long as the stream has not ended.
        let readiness = host.output.readiness.current
        return RunStatus(
            readiness: readiness, isAway: readiness.state == .notRunning && !host.session.hasEnded, taken: taken,
            movie: movies?.status, inProgress: asked - taken - failed - forgotten, lastTook: lastTook,
            dropped: Int(clamping: host.session.statistics.dropped))
    }
}
