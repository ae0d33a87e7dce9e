// SPDX-License-Identifier: MIT
// `livecap serve`: a viewfinder with a shutter in every browser.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapMovies
import LivecapPhotoStorage
import LivecapServing
import LivecapThreads

enum ServeCommand {
    static let verb = Verb(
        command: Command(
            "serve", summary: "a viewfinder and a shutter in any browser",
            discussion: """
                Serves a page that shows what the camera sees and takes pictures: of the very frame that was on the screen \
                when the button was pressed, however slow the network is. The last seconds can be slid back to; pictures go \
                into a library, which the page shows.

                Other programs get MJPEG at /stream, a picture at /snapshot, and take pictures with POST /shots; \
                /openapi.json describes all of it, and /metrics has figures for Prometheus.

                Only this machine can connect, unless --listen says otherwise. Then whoever views needs the link that is \
                printed, with its token; over networks that others use, give a certificate, too. Viewers never slow down the \
                camera: one that is slow gets fewer frames, always the newest.
                """,
            groups: ServeOptions.groups,
            exclusive: ShootOptions.exclusive + [
                SourceOptions.exclusive, [ServeOptions.tokenFile, ServeOptions.open],
                [ServeOptions.idleOff, ServeOptions.alwaysOn], MovieOptions.qualities,
            ],
            needs: SourceOptions.needs + [
                Need(ServeOptions.certificate, oneOf: [ServeOptions.key]),
                Need(ServeOptions.key, oneOf: [ServeOptions.certificate]),
                Need(PlaceOptions.strength, oneOf: [PlaceOptions.fuse]),
            ],
            examples: [
                Example("livecap serve", "then open http://localhost:8080"),
                Example("livecap serve --listen 0.0.0.0:8080", "for your phone: scan the code that is printed"),
                Example("livecap serve --synthetic object", "without a camera"),
                Example("ffplay http://localhost:8080/stream", "for other programs"),
            ])
    ) { arguments, console throws(Failure) in
        if arguments[SourceOptions.listDevices] { return try DevicesCommand.list(&console) }
        do throws(Failure) { return try serve(arguments, &console) } catch {
            guard case .interrupted(let signal, isBeforeFrames: true) = error else { throw error }
            throw .unserved(signal: signal)
        }
    }

    private static func serve(_ arguments: Arguments, _ console: inout Console) throws(Failure) -> Int32 {
        let pictures = try PictureOptions(arguments, effects: EffectOptions.ofPhotos(arguments))
        let manager = ServiceManager()
        try SessionPlaces.check(arguments)
        try LiveSound.check(arguments)
        try StagedFrames.check(arguments, hasPage: true)
        try EffectOptions.checkPhotos(arguments, pictures)
        // A folder that cannot take movies is found before the camera is opened.
        let named = try arguments[ServeOptions.movies].map { (folder) throws(Failure) in
            try creating { () throws(FileError) in try MovieNames(in: folder) }
        }
        let sound = try MovieMicrophone.ofPages(arguments)
        let access = try ServeAccess(arguments)
        let interruption = try Interruption()
        let host = try host(arguments, pictures, interruption)
        defer { host.close() }
        let news = News()
        interruption.onSignal { news.arrive() }
        let events = host.session.events
        Task.detached(executorPreference: host.tasks) {
            for await event in events {
                if let words = event.words { Console.note("note: \(words)") }
                news.arrive()
            }
        }
        if let signal = interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        let staged = try StagedFrames(arguments, host, hasPage: true)
        defer { staged?.close() }
        let keeper = EffectKeeper(host, staged?.board ?? EffectOptions.photoBoard(arguments, host.session))
        defer { keeper?.close() }
        let movies = (named ?? LibraryPlace.movies(host.session.library)).map {
            ServedPage.movies(arguments, $0, sound, by: staged?.stage(of: .movies))
        }
        let page = try ServedPage(
            arguments, pictures, host, at: access, movies: movies,
            sound: try LiveSound.ofPages(arguments, sound),
            by: staged)
        defer { page.close() }
        let places = try SessionPlaces(arguments, host, staged)
        defer { places.close() }
        host.session.begin()
        host.reportGrant()
        try access.announce(host.session.source.inWords, of: page, isService: manager.isThere, &console)
        places.announce()
        if let staged { Console.note(staged.words) }
        defer { manager.tellStopping() }
        let end = arguments[RunOptions.duration].map { .now + $0 } ?? .distantFuture
        watch(host, viewfinder: page.viewfinder, manager: manager, news: news, until: end)
        if let failure = host.session.failure { throw .camera(failure) }
        if host.session.hasEnded { Console.note("\(host.session.source.name) has ended") }
        return interruption.exitStatus
    }

    /// The camera, which pages may change and which is off while nobody looks.
    private static func host(
        _ arguments: Arguments, _ pictures: PictureOptions, _ interruption: Interruption
    ) throws(Failure) -> Host {
        let isNamed = (arguments[SourceOptions.device] ?? "auto") != "auto"
        let isFile = arguments.contains(SourceOptions.replay)
        let needs = HostNeeds(
            role: .host, scenePace: .realtime, replayPace: .realtime, unplugPolicy: isNamed ? .wait() : .next(),
            busyPolicy: .wait(limit: nil), canChangeSource: !isFile,
            canSwitchOff: !isFile && !arguments[ServeOptions.alwaysOn], stopsBySignal: false)
        return try Host(arguments, needs, interruption) { (_) throws(Failure) in
            var options = try arguments.sessionOptions(pictures)
            options.library = try LibraryPlace.open(arguments, mayCreate: true)
            ServedPage.adjust(&options, arguments)
            if !isFile, !arguments[ServeOptions.alwaysOn] {
                options.idleOff = arguments[ServeOptions.idleOff] ?? ServeOptions.usualIdleOff
            }
            return options
        }
    }

    /// Wakes the thread that waits for the end, when there is a signal or an event of the session.
    private final class News: Sendable {
        private let bell = Doorbell(spinNanoseconds: 0)

        func arrive() { bell.ring() }
        func wait(until time: Timestamp, for condition: () -> Bool) {
            bell.wait(until: time.nanoseconds, for: condition)
        }
    }

    /// Waits for the end, and shows progress.
    private static func watch(
        _ host: Host, viewfinder: Viewfinder, manager: ServiceManager, news: News, until end: Timestamp
    ) {
        var progress = Progress()
        var viewers = viewfinder.viewerCount
        var isOver: Bool { host.interruption.signal != nil || host.session.hasEnded }
        manager.tellReady(status(host, viewers))
        while !isOver, Timestamp.now < end {
            // Waiting for the ring would wake this thread on every frame. What is shown is looked up five times a
            // second, and what systemd shows every five.
            let look: Duration = progress.isPossible ? .milliseconds(200) : .seconds(5)
            news.wait(until: min(end, .now + look)) { isOver }
            if viewfinder.viewerCount != viewers {
                viewers = viewfinder.viewerCount
                manager.tell(status: status(host, viewers))
            }
            progress.show { "\(host.session.ring.nextCounter) frames, \(counted(viewers, "viewer"))" }
        }
        Progress.clearLine()
    }

    private static func status(_ host: Host, _ viewers: Int) -> String {
        "\(host.session.source.inWords), \(counted(viewers, "viewer"))"
    }
}
