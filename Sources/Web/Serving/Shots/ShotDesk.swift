// SPDX-License-Identifier: MIT
// Shots that pages ask for: taken, followed, and told to all.

import LiveCapture
import LivecapDeveloping
import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapPhotoStorage
import LivecapThreads

/// Takes the shots that clients ask for, and tells all pages what becomes of them.
final class ShotDesk: Sendable {
    private let session: CaptureSession
    private let library: PhotoLibrary
    private let hub: EventHub
    private let tasks: TaskThread
    private let usual: PhotoSettings
    private let effects: @Sendable (PhotoSettings) -> PhotoSettings
    /// Whether the page's frames hide what is behind people now.
    private let hidesRoom: @Sendable () -> Bool
    /// Listens to changes of effects no more.
    private let leaveEffects = Guarded<(@Sendable () -> Void)?>(nil)
    private let counts = Guarded(Counts())
    private let scheduled = Guarded(Scheduled())

    /// The maximum number of shots of future moments at once: a few seconds of every frame, and little memory.
    static let maxScheduled = 64

    /// The shots whose moments had not come when they were asked for, and that are not done.
    private struct Scheduled: Sendable {
        /// How many there are, with those that are just being asked for.
        var count = 0
        var captures: [UInt64: (capture: PhotoCapture, tap: Tap, hides: Bool)] = [:]
    }

    /// For the metrics.
    struct Counts: Sendable {
        var asked = 0
        var taken = 0
        var failed = 0
    }

    init(
        _ session: CaptureSession, library: PhotoLibrary, hub: EventHub, tasks: TaskThread,
        _ settings: ViewfinderSettings
    ) {
        self.session = session
        self.library = library
        self.hub = hub
        self.tasks = tasks
        usual = settings.photos
        effects = settings.photoEffects
        hidesRoom = settings.hidesRoom
        // Pictures that are asked for elsewhere: by a socket, a signal, a key.
        session.photoOutput.listen { [weak self] capture in
            guard let self else { return }
            Task.detached(executorPreference: tasks) { await self.follow(capture) }
        }
        let leave = settings.effects?.onChange { [weak self] _ in self?.giveUpWhatIsHidden() }
        leaveEffects.withLock { $0 = leave }
    }

    deinit { leaveEffects.withLock { $0.take() }?() }

    var statistics: Counts { counts.withLock { $0 } }

    /// `POST /shots`. The frames of a moment that has come are held when this returns.
    func take(_ request: HTTPRequest, _ reply: HTTPReply) {
        let intent: TapIntent
        do throws(IntentFault) { intent = try TapIntent(body: request.body) } catch {
            return reply.send(.failure(error))
        }
        let settings = effects(usual.changed(by: intent)), tap = tap(of: intent)
        if let problem = settings.problem ?? settings.format.lack {
            return reply.send(.failure(400, problem, code: problem.code))
        }
        let isAhead = isAhead(tap)
        if isAhead, let refusal = refusalOfSchedule(tap) { return reply.send(refusal) }
        counts.withLock { $0.asked += 1 }
        let capture = session.photoOutput.captureUnheard(settings, at: tap)
        if isAhead {
            let hides = settings.effects.map { EffectList($0.listForFiles).hidesRoom } ?? false
            scheduled.withLock { $0.captures[capture.id.number] = (capture, tap, hides) }
            giveUpWhatIsHidden()
        }
        let waits = request.argument("wait").map { $0 != "0" } ?? false
        if !waits { reply.send(.json(Self.object(capture.id, intent.tag), status: 202)) }
        // Nobody else waits for it. Once its moment has come, it is a photo that somebody wanted.
        if waits, isAhead { reply.onLeave { [self] in if self.isAhead(tap) { capture.cancel() } } }
        Task.detached(executorPreference: tasks) { [self] in
            await follow(capture, isOwn: true, intent.tag, waits ? reply : nil)
            guard isAhead else { return }
            scheduled.withLock { scheduled in
                scheduled.count -= 1
                scheduled.captures[capture.id.number] = nil
            }
        }
    }

    /// Gives up shots of moments to come that would show what is hidden by now.
    private func giveUpWhatIsHidden() {
        guard hidesRoom() else { return }
        for shot in scheduled.withLock({ Array($0.captures.values) }) where !shot.hides && isAhead(shot.tap) {
            shot.capture.cancel()
        }
    }

    /// The tap that a client asks for, on the source's clock.
    private func tap(of intent: TapIntent) -> Tap {
        if let frame = intent.frame { return .frame(frame) }
        if let moment = intent.at { return .at(moment) }
        guard let ago = intent.ago else { return .now }
        // A moment to come is scheduled, as one that is named is.
        if ago < .zero { return .at((now ?? .zero) - ago) }
        return .offset(.zero - ago)
    }

    /// `DELETE /shots/NUMBER`. Events say what becomes of the shot, whose moment may come meanwhile.
    func giveUp(_ number: Substring, _ request: HTTPRequest, _ reply: HTTPReply) {
        guard request.method == "DELETE" else { return reply.send(.wrongMethod) }
        let shot = UInt64(number).flatMap { number in scheduled.withLock { $0.captures[number] } }
        guard let shot, isAhead(shot.tap) else {
            return reply.send(
                .failure(
                    404, "no such shot waits for its moment", code: "no-such-shot",
                    hint: "only shots of moments to come can be given up"))
        }
        shot.capture.cancel()
        reply.send(HTTPResponse(204))
    }

    // MARK: Future moments

    /// The present moment on the source's clock; nil if it has none yet.
    private var now: Timestamp? { session.source.clock == .monotonic ? .now : session.ring.newestTime }

    /// Whether the moment of a tap has not come.
    private func isAhead(_ tap: Tap) -> Bool {
        guard case .at(let moment) = tap else { return false }
        return now.map { moment > $0 } ?? true
    }

    /// Why a shot of a future moment cannot be taken. If it can, its place is taken.
    private func refusalOfSchedule(_ tap: Tap) -> HTTPResponse? {
        if case .at(let moment) = tap, let now, moment > now + TapIntent.horizon {
            return .failure(
                400, "\"at\" is more than an hour ahead", code: "bad-request", hint: "ask for the picture later")
        }
        let isFree = scheduled.withLock { scheduled in
            guard scheduled.count < Self.maxScheduled else { return false }
            scheduled.count += 1
            return true
        }
        guard !isFree else { return nil }
        let error = PhotoError.tooManyScheduled(limit: Self.maxScheduled)
        return .failure(503, error, code: error.code).with("Retry-After", "1")
    }

    private static func object(_ shot: ShotID, _ tag: String?, _ more: [(String, JSON)] = []) -> JSON {
        .object([("shot", JSON(shot.number)), ("tag", JSON(tag))] + more)
    }

    /// Tells pages what becomes of a shot, and who asked for it, if that is one of them.
    private func follow(
        _ capture: PhotoCapture, isOwn: Bool = false, _ tag: String? = nil, _ reply: HTTPReply? = nil
    ) async {
        for await event in capture {
            switch event {
            case .willBeginCapture: tell(capture.id, tag: tag, state: "begun")
            case .didFinishCapture(let frames):
                tell(
                    capture.id, tag: tag, state: "captured",
                    more: [("frame", .string("\(frames.nearest.id)")), ("waitMs", JSON(milliseconds: frames.wait))])
            // The photo's account says so.
            case .framesNotKept: break
            case .photo(let photo):
                if isOwn { counts.withLock { $0.taken += 1 } }
                await tell(photo, shot: capture.id, tag: tag, state: "photo", reply: reply)
            case .proxy(let proxy):
                if isOwn { counts.withLock { $0.taken += 1 } }
                await tell(proxy.photo, shot: capture.id, tag: tag, state: "proxy", reply: reply)
            case .failed(let error):
                // One that was given up has not failed.
                if isOwn, error != .cancelled { counts.withLock { $0.failed += 1 } }
                tell(
                    capture.id, tag: tag, state: "failed",
                    more: [
                        ("error", .string(error.message)), ("code", .string(error.code)),
                        ("hint", .string(ClientHints.hint(error))),
                    ])
                reply?.send(.failure(error.isGone ? 410 : 503, error, code: error.code))
            }
        }
    }

    private func tell(_ shot: ShotID, tag: String?, state: String, more: [(String, JSON)] = []) {
        hub.tell("shot", Self.object(shot, tag, [("state", .string(state))] + more))
    }

    private func tell(_ photo: Photo, shot: ShotID, tag: String?, state: String, reply: HTTPReply?) async {
        guard let object = await object(photo, shot: shot.number) else {
            reply?.send(.failure(410, "the photo was removed", code: "gone", hint: "take another"))
            return
        }
        tell(shot, tag: tag, state: state, more: [("lagMs", JSON(milliseconds: photo.lag)), ("photo", object)])
        reply?.send(.json(object, status: 201))
    }

    /// A photo as pages get to know it; nil if it is no longer in the library.
    private func object(_ photo: Photo, shot: UInt64? = nil) async -> JSON? {
        guard let id = photo.libraryID, let stored = try? await library.photo(id) else { return nil }
        let account = try? await library.account(of: id)
        return stored.object(
            frame: photo.reference.id, framesUsed: photo.used.count, hidesRoom: account?.hidesRoom ?? true,
            lag: photo.lag, lagBound: photo.lagBound, shot: shot)
    }

    // MARK: Other cameras

    /// Tells pages of the photos that another camera's session takes into the same library. They hear nothing else of
    /// its shots, whose numbers mean other shots here.
    func tellPhotos(of other: CaptureSession) {
        let name = other.source.name
        other.photoOutput.listen { [weak self] capture in
            guard let self else { return }
            Task.detached(executorPreference: tasks) { await self.tellPhoto(of: capture, by: name) }
        }
    }

    private func tellPhoto(of capture: PhotoCapture, by camera: String) async {
        for await event in capture {
            switch event {
            case .photo(let photo): await object(photo).map { hub.tell("photo", $0) }
            case .proxy(let proxy): await object(proxy.photo).map { hub.tell("photo", $0) }
            case .failed(let error) where error != .cancelled:
                hub.tell("notice", .object([("words", .string("\(camera): no picture: \(error.message)"))]))
            case .failed, .willBeginCapture, .didFinishCapture, .framesNotKept: break
            }
        }
    }
}

extension PhotoError {
    /// Whether the moment that was asked for has left the history.
    var isGone: Bool {
        switch self {
        case .tooOld, .noSuchFrame: true
        default: false
        }
    }
}
