// SPDX-License-Identifier: MIT
// A session's viewfinder for browsers: what is asked of it, and who answers.

import Camera
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapMovies
import LivecapPhotoStorage
import LivecapSound
import LivecapThreads

/// Serves a session to browsers and programs: its frames, its shutter, its photos.
package final class Viewfinder: Sendable {
    private let session: CaptureSession
    private let settings: ViewfinderSettings
    package let gatekeeper: Gatekeeper
    private let pages = PageFiles()
    private let hub = EventHub()
    private let feed: FrameFeed
    private let sound: SoundFeed
    private let ring: RingPages
    private let moments: HeldMoments
    private let shots: ShotDesk
    private let photos: PhotoPages
    private let cameras: CameraPages
    private let effects: EffectPages
    private let facts: FactFeeds
    private let movies: MovieDesk?
    private let tasks: TaskThread
    private let pulse: Pulse
    /// The camera's state as pages last heard it. A page that connects later hears it first.
    private let camera = Guarded<JSON?>(nil)
    /// Names this start of the server, in all its answers: frames of every start have the same names.
    private let run = String(Gatekeeper.secret().prefix(16))

    /// Creates the viewfinder of a session whose photos go into a library.
    package init(
        _ session: CaptureSession, _ library: PhotoLibrary, _ settings: ViewfinderSettings
    ) throws(SystemShortage) {
        self.session = session
        self.settings = settings
        gatekeeper = Gatekeeper(token: settings.token, names: settings.names)
        tasks = try TaskThread(name: "web tasks")
        let view = PageView(settings.photos)
        feed = FrameFeed(session, view, by: settings.stage)
        let soundNews = SoundNews(settings.soundChanged)
        sound = SoundFeed(session, settings.sound) { soundNews.tell() }
        ring = RingPages(
            session, hidesRoom: settings.hidesRoom,
            date: { view.pictures(of: session, areUpright: false).date })
        moments = HeldMoments(session, hidesRoom: settings.hidesRoom, limit: settings.momentLimit)
        shots = ShotDesk(session, library: library, hub: hub, tasks: tasks, settings)
        photos = PhotoPages(library, hub, settings.photos)
        cameras = CameraPages(session, settings.cameraHistory)
        facts = FactFeeds(settings.facts, on: tasks)
        effects = EffectPages(settings, facts: facts, hub)
        movies = MovieDesk(session, hub: hub, tasks: tasks, settings: settings)
        pulse = try Pulse { [hub, moments] in
            hub.beat()
            moments.release()
        }
        soundNews.follow(
            SoundNews.Follower(isHeard: { [weak self] in self?.sound.listenerCount ?? 0 > 0 }) { [weak self] in
                guard let self else { return }
                self.hub.tell("status", self.status())
            })
        follow(library)
    }

    /// Answers a request. Called by the server's thread, and does not wait.
    package func answer(_ request: HTTPRequest, _ reply: HTTPReply) {
        let plain = reply
        let run = run
        let reply = HTTPReply(reply) { $0.hardened.with("Livecap-Run", run) }
        if request.path == "/", gatekeeper.isInvited(request), let token = settings.token {
            let cookie =
                "\(Gatekeeper.cookie(for: request))=\(token); HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000"
                + (settings.isEncrypted ? "; Secure" : "")
            return plain.send(
                HTTPResponse(303).with("Location", "/").with("Set-Cookie", cookie).with(
                    "Referrer-Policy", "no-referrer"))
        }
        if request.path == "/healthz" {
            return reply.send(HTTPResponse(type: "text/plain", .bytes(Array("ok\n".utf8))))
        }
        if let refusal = gatekeeper.refusal(of: request) {
            if refusal == .noToken, let page = deniedPage(request) { return reply.send(page) }
            return reply.send(refusal.response)
        }
        route(request, reply)
    }

    /// What people without the token are shown, and what it looks like. There is nothing private in either.
    private func deniedPage(_ request: HTTPRequest) -> HTTPResponse? {
        switch request.path {
        case "/" where request.argument("action") == nil:
            // The address that is shown does not keep what was taken for a token.
            request.argument("token") != nil
                ? HTTPResponse(303).with("Location", "/?wrong")
                : pages[request.argument("wrong") == nil ? "denied.html" : "wrong.html"]?
                    .response(to: request, status: 401)
        case "/page.css", "/icon.svg": pages[String(request.path.dropFirst())]?.response(to: request)
        default: nil
        }
    }

    private func route(_ request: HTTPRequest, _ reply: HTTPReply) {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: true)
        let isReading = request.method == "GET" || request.isHead
        if let file = pages[String(request.path.dropFirst())] {
            return reply.send(isReading ? file.response(to: request) : .wrongMethod)
        }
        switch (parts.first, parts.count) {
        case (nil, _): isReading ? root(request, reply) : reply.send(.wrongMethod)
        case ("photos"?, 1): isReading ? photos.list(request, reply) : reply.send(.wrongMethod)
        case ("photos"?, 2...3):
            guard let id = PhotoID(parts[1]) else { return reply.send(.notFound) }
            photos.photo(id, what: parts.count == 3 ? parts[2] : nil, request: request, reply: reply)
        case ("shots"?, 2): shots.giveUp(parts[1], request, reply)
        case ("held"?, 2): moments.answer(parts[1], request, reply)
        case ("movies"?, 2):
            guard let movies else { return reply.send(.noMovies) }
            movies.movie(parts[1], request, reply)
        case (let name?, 1): route(to: name, request, reply)
        default: reply.send(.notFound)
        }
    }

    /// Answers at a path of one part.
    private func route(to name: Substring, _ request: HTTPRequest, _ reply: HTTPReply) {
        switch (name, request.method) {
        case ("frames", "GET"): feed.answer(request, width: request.width, reply)
        case ("sound", "GET"): sound.answer(reply)
        case ("stream", "GET"): reply.send(feed.response(.parts, width: request.width))
        case ("snapshot", "GET"): ring.snapshot(request, reply)
        case ("ring", "GET"): ring.list(reply)
        case ("status", "GET"): reply.send(.json(status(isSecret: true)))
        case ("events", "GET"): events(request, reply)
        case ("shots", "POST") where request.header("livecap-run").map { $0 != run } ?? false: reply.send(.otherRun)
        case ("shots", "POST"): shots.take(request, reply)
        case ("cameras", "GET"): cameras.list(reply)
        case ("cameras", "POST"): cameras.change(request, reply) { .json(self.status()) }
        case ("controls", "GET"): cameras.controls(reply)
        case ("controls", "POST"): cameras.set(request, reply)
        case ("effects", "GET"): effects.list(reply)
        case ("effects", "PUT"): effects.set(request, reply)
        case ("reactions", "POST"): effects.react(request, reply)
        case ("movies", "GET"):
            guard let movies else { return reply.send(.noMovies) }
            movies.list(reply)
        case ("movies", "POST"):
            guard let movies else { return reply.send(.noMovies) }
            movies.change(request, reply)
        case ("archive", "GET"): photos.archive(request, reply)
        case ("metrics", "GET"): reply.send(metrics)
        case ("frames", _), ("sound", _), ("stream", _), ("snapshot", _), ("ring", _), ("status", _), ("events", _),
            ("shots", _),
            ("cameras", _), ("controls", _), ("effects", _), ("reactions", _), ("movies", _), ("archive", _),
            ("metrics", _):
            reply.send(.wrongMethod)
        default: reply.send(.notFound)
        }
    }

    /// The page, or what other programs ask of cameras at `/`.
    private func root(_ request: HTTPRequest, _ reply: HTTPReply) {
        switch request.argument("action") {
        case "stream"?: reply.send(feed.response(.parts, width: request.width))
        case "snapshot"?: ring.snapshot(request, reply)
        case nil: reply.send(pages["index.html"]?.response(to: request) ?? .notFound)
        default: reply.send(.notFound)
        }
    }

    private func events(_ request: HTTPRequest, _ reply: HTTPReply) {
        let last = request.header("last-event-id").flatMap { UInt64($0) }
        effects.look()
        // The page by which a moment is held, as long as it listens.
        let page = String(Gatekeeper.secret().prefix(16))
        facts.answer(request, reply) { [self] feed in
            moments.join(page)
            let response = hub.response(
                after: last, facts: feed, present: { present() + [("page", .object([("id", .string(page))]))] },
                left: { [moments] in moments.leave(page) })
            if case .stream = response.content { return response }
            moments.leave(page)
            return response
        }
    }

    /// The current state, as events.
    private func present() -> [(String, JSON)] {
        var present: [(String, JSON)] = [
            ("status", status()), ("readiness", session.photoOutput.readiness.current.page),
        ]
        if let movies { present.append(("movie", movies.present)) }
        present.append(("effects", effects.present))
        if let camera = camera.withLock({ $0 }) { present.append(("camera", camera)) }
        return present
    }

    /// Ends everything that goes on.
    package func close() {
        pulse.stop()
        movies?.close()
        effects.close()
        facts.close()
        sound.close()
        feed.close()
    }

    /// Pages show a movie that the program makes from now on. `end` has it ended, if one of them asks.
    package func show(_ movie: MovieOutput, sound: SoundCapture?, _ end: @escaping @Sendable () -> Void) {
        movies?.show(movie, sound: sound, end)
    }

    /// A movie that the program made has ended.
    package func hide(_ movie: MovieOutput, _ error: MovieError?) { movies?.hide(movie, error) }

    /// The movie of a page that is being completed, also by `close`; nil if there is none.
    package var completing: MovieOutput? { movies?.completing.withLock { $0 } }

    /// Pages show the photos, too, that another camera's session takes into the same library. Called before it begins.
    package func showPhotos(of other: CaptureSession) { shots.tellPhotos(of: other) }

    /// How many people watch.
    package var viewerCount: Int { feed.viewerCount }
    /// How many hear the microphone.
    package var hearerCount: Int { sound.listenerCount }
    /// How many pages listen to events.
    package var listenerCount: Int { hub.listenerCount }

    // MARK: What happens

    private func follow(_ library: PhotoLibrary) {
        let (events, hub) = (session.events, hub)
        feed.onNewSource { [weak self] in self.map { hub.tell("status", $0.status()) } }
        Task.detached(executorPreference: tasks) { [weak self] in
            for await event in events {
                guard let self else { return }
                if let (name, news) = await event.page(library) {
                    if name == "camera" {
                        self.camera.withLock { $0 = event.beginsAbsence ? news : .object([("state", "running")]) }
                    }
                    hub.tell(name, news)
                }
                if event.changesStatus { hub.tell("status", self.status()) }
            }
        }
        let changes = session.photoOutput.readiness.changes()
        Task.detached(executorPreference: tasks) {
            for await readiness in changes { hub.tell("readiness", readiness.page) }
        }
    }

    // MARK: Status

    private func status(isSecret: Bool = false) -> JSON {
        // As photos are turned, so that the page shows them as they will be.
        let (source, mount) = (session.presentSource, settings.photos.mount ?? session.rotation?.mount ?? .upright)
        let qualities: [PhotoQuality] = [.single, .speed, .balanced, .quality]
        let formats = StillFormat.allCases.filter { $0.lack == nil }
        var members: [(String, JSON)] = [
            ("name", "livecap"), ("version", .string(settings.version)),
            ("camera", .object([("name", .string(source.name)), ("id", .string(source.identity))])),
            (
                "format",
                .object([
                    ("pixelFormat", .string("\(source.format.pixelFormat)")),
                    ("width", JSON(source.format.size.width)), ("height", JSON(source.format.size.height)),
                    ("fps", JSON(source.rate?.framesPerSecond)),
                ])
            ),
            ("readiness", session.photoOutput.readiness.current.page),
            ("ring", .object([("seconds", .number(session.granted.usualDuration.seconds))])),
            ("qualities", .array(qualities.map { .string($0.rawValue) })),
            ("formats", .array(formats.map { .string($0.rawValue) })),
            ("quality", .string(settings.photos.quality.rawValue)),
            ("photoFormat", .string(settings.photos.format.rawValue)),
            ("mount", .object([("angle", JSON(mount.angle.degrees)), ("mirrored", .bool(mount.isMirrored))])),
            ("previewMirrored", .bool(session.rotation?.isPreviewMirrored ?? false)),
            ("mayDefer", .bool(session.photoOutput.isAutoDeferredPhotoDeliverySupported)),
            ("movies", .bool(movies != nil)), ("moviePastMs", JSON(milliseconds: settings.movies?.past ?? .zero)),
            ("library", JSON(session.library?.path)), ("canSwitch", .bool(session.rotation != nil)),
            ("nowNs", .string("\(Timestamp.now.nanoseconds)")),
            ("pressure", .string(session.systemPressure.level.rawValue)), ("video", feed.present),
            ("sound", sound.present),
        ]
        if let zoom = settings.photos.zoom {
            let part = [("factor", zoom.factor), ("x", zoom.centerX), ("y", zoom.centerY)]
            members.append(("zoom", .object(part.map { ($0.0, .number($0.1)) })))
        }
        if isSecret { members.append(("proof", .string(gatekeeper.proof))) }
        return .object(members)
    }

    private var metrics: HTTPResponse {
        let (ring, shots) = (session.statistics, shots.statistics)
        return Metrics([
            ("livecap_frames_total", "counter", "Frames published.", Double(ring.published)),
            (
                "livecap_frames_dropped_total", "counter", "Frames dropped because all slots were in use.",
                Double(ring.dropped)
            ),
            ("livecap_frames_lost_total", "counter", "Frames that the camera or its driver lost.", Double(ring.lost)),
            ("livecap_frames_damaged_total", "counter", "Frames that arrived damaged.", Double(ring.damaged)),
            ("livecap_shots_total", "counter", "Shots asked for in browsers.", Double(shots.asked)),
            ("livecap_shots_taken_total", "counter", "Shots that became photos.", Double(shots.taken)),
            ("livecap_shots_failed_total", "counter", "Shots that failed.", Double(shots.failed)),
            ("livecap_viewers", "gauge", "Viewers of frames.", Double(viewerCount)),
            ("livecap_sound_listeners", "gauge", "Listeners to the microphone.", Double(hearerCount)),
            ("livecap_listeners", "gauge", "Listeners to events.", Double(listenerCount)),
        ]).response
    }
}

extension PhotoSettings {
    /// How pictures are turned, if that was asked for instead of following the camera.
    var mount: CameraMount? {
        guard !followsRotation else { return nil }
        return CameraMount(metadata.orientation)
    }
}

extension HTTPRequest {
    /// The width that is asked for.
    fileprivate var width: Int? { argument("width").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
}

extension HTTPResponse {
    fileprivate static let otherRun = failure(
        410, "the frame is one of an earlier start of this server", code: "other-run", hint: "choose a moment again")

    fileprivate static let noMovies = failure(
        404, "this server makes no movies", code: "no-movies", hint: "start it with a folder for movies")

    /// With the headers that every answer has: no other site may show, read or load it.
    fileprivate var hardened: HTTPResponse {
        with("X-Content-Type-Options", "nosniff").with("Referrer-Policy", "no-referrer")
            .with("Cross-Origin-Resource-Policy", "same-origin").with("X-Frame-Options", "DENY")
    }
}

extension Gatekeeper.Refusal {
    fileprivate var response: HTTPResponse {
        switch self {
        case .foreignHost:
            .failure(
                421, "this server does not answer to that name", code: "foreign-host",
                hint: "use the machine's address, or start the server with that name")
        case .foreignOrigin:
            .failure(
                403, "pages of other sites may not ask this server", code: "foreign-origin",
                hint: "open this server's own page")
        case .noToken:
            .failure(
                401, "this server needs its token", code: "no-token",
                hint: "open the link that the server has printed, or send 'Authorization: Bearer TOKEN'")
        case .noProof:
            .failure(
                403, "the request lacks its proof", code: "no-proof",
                hint: "send the header 'Livecap-Proof' with the \"proof\" of GET /status")
        }
    }
}

extension Readiness {
    /// For pages.
    var page: JSON {
        .object([
            ("state", .string(state.rawValue)), ("waitMs", JSON(milliseconds: estimatedWait)),
        ])
    }
}
