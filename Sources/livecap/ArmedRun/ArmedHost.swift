// SPDX-License-Identifier: MIT
// Opens everything that an armed run is made of, and closes it in order.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage
import LivecapServing
import Shutter

/// A host that is armed: it has a camera, and shutters.
struct ArmedHost {
    /// How its window is there.
    enum Window {
        /// It is all there is: closing it ends the run.
        case alone
        /// It is one of several ways to see the camera.
        case beside
    }

    let host: Host
    let inbox: RunInbox
    let shutters: RunShutters
    let arguments: Arguments
    let pictures: PictureOptions
    let files: PhotoFiles?
    let latest: LatestFrame?
    let access: ServeAccess?
    /// Told when it is ready. What is said goes into its journal.
    let manager: ServiceManager
    /// Nil without a window.
    let window: Window?
    /// Nil with one camera.
    let companions: RunCompanions?

    /// Takes pictures until there is a reason to end. Returns the exit status.
    func untilTheEnd(_ console: inout Console) throws(Failure) -> Int32 {
        let microphone = try microphone()
        defer { microphone?.close() }
        let staged = try StagedFrames(
            arguments, host, hasPage: arguments[RunOptions.serve], hasWindow: window != nil)
        defer { staged?.close() }
        let board = staged?.board ?? EffectOptions.photoBoard(arguments, host.session)
        let keeper = EffectKeeper(host, board)
        defer { keeper?.close() }
        let movies = try RunMovies(
            arguments, host: host, inbox: inbox, microphone: microphone, by: staged?.stage(of: .movies))
        let recording = try RunRecording(arguments, host, inbox, by: staged)
        defer { recording?.stop() }
        let facts = try RunFacts(arguments, host, inbox)
        defer { facts?.close() }
        let triggers = try RunTriggers(arguments, host, inbox, microphone: microphone)
        defer { triggers?.close() }
        let socketFacts = SocketFacts(host.session)
        defer { socketFacts.close() }
        reportEvents()
        host.interruption.onSignal { [inbox] in inbox.poke() }
        if let signal = host.interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        let places = try SessionPlaces(arguments, host, staged)
        defer { places.close() }
        let page = try page(movies, microphone, staged)
        defer { page?.close() }
        movies?.page = page?.viewfinder
        companions?.show(on: page)
        let window = try window.map { (window) throws(Failure) in
            try RunWindow(
                arguments, host, inbox, staged: staged, hasMovies: movies != nil, isAll: window == .alone)
        }
        defer { window?.close() }
        host.session.begin()
        companions?.reportEvents()
        companions?.begin()
        let hooks = HookRunner(arguments[ShootOptions.hook])
        if let hooks { host.interruption.onEnd(hooks.terminate) }
        defer { hooks?.finish() }
        announce(places, staged, recording, page: page, triggers: triggers, makesMovies: movies != nil)
        manager.tellReady(host.session.source.inWords)
        defer { manager.tellStopping() }
        let run = try ArmedRun(
            host, inbox: inbox, shutters: shutters, pictures: pictures, files: files, latest: latest, hooks: hooks,
            movies: movies, microphone: microphone, recording: recording, window: window,
            effects: RunEffects(board, hasFrames: staged?.board != nil) { [session = host.session] in
                session.presentSource.identity
            },
            facts: socketFacts, triggers: triggers, companions: companions, arguments: arguments)
        return try run.untilTheEnd(&console)
    }

    /// The microphone of movies and triggers, if there are any, and of pictures with sound if viewers may hear it, too:
    /// a device can be opened only once.
    private func microphone() throws(Failure) -> MovieMicrophone? {
        let listens = arguments.all(TriggerOptions.trigger).contains { $0.kind == .sound }
        let isShared =
            arguments[ServeOptions.liveSound] && arguments[ShootOptions.live] && arguments.contains(SoundOptions.sound)
        guard listens || isShared || arguments.contains(RunOptions.movies) else { return nil }
        let microphone = try MovieMicrophone.open(
            arguments, host.session.source, host.session.granted,
            past: max(RunMovies.neededHistory(arguments), LivePhotos.neededHistory))
        if listens, microphone == nil { throw .sound(.noMicrophone) }
        microphone?.follow(host)
        if listens { microphone?.capture.onNotice { [inbox] in inbox.poke() } }
        return microphone
    }

    /// Passes on what the session reports.
    private func reportEvents() {
        let events = host.session.events
        Task.detached(executorPreference: host.tasks) { [inbox] in
            var pressure = PressureNotes()
            for await event in events {
                if case .systemPressureChanged(let now) = event, let words = pressure.words(now) {
                    Console.note("note: \(words)")
                }
                if let words = event.words { Console.note("note: \(words)") }
                if let final = event.final { inbox.put(.final(final)) }
                if event.isEnd { inbox.poke() }
            }
        }
    }

    /// The page for browsers, if there is to be one.
    private func page(
        _ movies: RunMovies?, _ microphone: MovieMicrophone?, _ staged: StagedFrames?
    ) throws(Failure) -> ServedPage? {
        try access.map { (access) throws(Failure) in
            let names = movies?.names ?? LibraryPlace.movies(host.session.library)
            // The microphone of the run's own movies is open all the time; that of the page's only while they are made.
            let own = movies == nil ? try MovieMicrophone.ofPages(arguments) : .none
            let sound = microphone.map { PageSound.shared($0.capture) } ?? own
            return try ServedPage(
                arguments, pictures, host, at: access,
                movies: names.map { ServedPage.movies(arguments, $0, sound, by: staged?.stage(of: .movies)) },
                sound: try LiveSound.ofPages(arguments, sound), by: staged)
        }
    }

    /// Says what can be done now, and where its results appear.
    private func announce(
        _ places: SessionPlaces, _ staged: StagedFrames?, _ recording: RunRecording?, page: ServedPage?,
        triggers: RunTriggers?, makesMovies: Bool
    ) {
        for words in shutters.earlyPresses { Console.note("note: \(words)") }
        Console.note("\(host.session.source.inWords): \(shutters.words)")
        companions?.announce()
        places.announce()
        if let staged { Console.note(staged.words) }
        access?.note(page, isService: manager.isThere)
        if let recording { Console.note("recording to \(recording.path)") }
        if let triggers { Console.note(triggers.words) }
        if makesMovies, window != .alone {
            Console.note("m in the terminal, or {\"movie\":\"start\"} on the socket, starts a movie")
        }
    }
}

extension SessionEvent {
    /// Whether the session may have ended with it.
    fileprivate var isEnd: Bool {
        switch self {
        case .ended, .failed, .stopped: true
        default: false
        }
    }

    /// The outcome of a deferred photo, if the event reports one.
    fileprivate var final: FinalNews? {
        switch self {
        case .photoFinished(let photo): FinalNews(id: photo.id, outcome: .success(photo))
        case .photoUnfinished(let id, let reason):
            FinalNews(id: id, outcome: .failure(.unfinishable(id, reason: reason)))
        default: nil
        }
    }
}
