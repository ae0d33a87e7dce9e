// SPDX-License-Identifier: MIT
// Everybody who listens to the microphone, and whether that is offered.

import LiveCapture
import LivecapHTTP
import LivecapIntents
import LivecapMovies
import LivecapSound
import LivecapThreads

/// Connects listeners with the sound of the microphone, if it is offered: one encoder for all, and the microphone is
/// open only while somebody listens, or a movie is made.
final class SoundFeed: Sendable {
    private let session: CaptureSession
    private let sound: PageSound
    /// Called when something is new in `present`. Must not wait.
    private let whenChanged: @Sendable () -> Void
    private let state = Guarded(State())
    /// Opening a device takes longer than other connections can wait.
    private let queue = RequestQueue("sound requests", threads: 1, waiting: 64)

    private struct State: Sendable {
        var channel: SoundChannel?
        var isClosed = false
    }

    /// The maximum number of listeners at once.
    static let maxListeners = 256

    /// Nothing can be heard of `.none`.
    init(_ session: CaptureSession, _ sound: PageSound, whenChanged: @escaping @Sendable () -> Void) {
        self.session = session
        self.sound = sound
        self.whenChanged = whenChanged
    }

    /// How many listen now.
    var listenerCount: Int { state.withLock { $0.channel?.listenerCount ?? 0 } }

    /// Whether the microphone can be heard here.
    private var isOffered: Bool { if case .none = sound { false } else { true } }

    /// What is heard, for the status.
    var present: JSON {
        let channel = state.withLock { $0.channel }
        return .object([
            ("offered", .bool(isOffered)), ("listeners", JSON(channel?.listenerCount ?? 0)),
            ("microphone", JSON(channel?.microphone)),
        ])
    }

    /// `GET /sound`: the sound of the microphone from now on.
    func answer(_ reply: HTTPReply) {
        guard isOffered else { return reply.send(.noSound) }
        queue.answer(reply) { self.response() }
    }

    /// Called by one thread at a time.
    private func response() -> HTTPResponse {
        guard listenerCount < Self.maxListeners else { return .tooManyListeners }
        let stream: HTTPStream
        do throws(HeardNothing) { stream = try join(SoundListener()) } catch { return error.response }
        whenChanged()
        return HTTPResponse(type: SoundChunk.type, .stream(stream)).with("Cache-Control", "no-store")
    }

    /// Adds a listener to the channel that there is, or to a new one.
    private func join(_ listener: SoundListener) throws(HeardNothing) -> HTTPStream {
        // With the lock, so that another one that leaves does not end the channel.
        if let stream = state.withLock({ $0.channel.map { add(listener, to: $0) } }) { return stream }
        // Nobody else can come meanwhile, and so nobody leave.
        return add(listener, to: try begin())
    }

    private func add(_ listener: SoundListener, to channel: SoundChannel) -> HTTPStream {
        let stream = HTTPStream({ listener.supply($0) }, finished: { self.leave(channel, listener) })
        channel.add(listener, stream)
        return stream
    }

    private func begin() throws(HeardNothing) -> SoundChannel {
        // Before the microphone is opened, which others in the room may notice.
        do throws(MovieError) { _ = try LiveSoundEncoder(channels: 1) } catch { throw .encoder(error) }
        let opened: SoundCapture?
        do throws(SoundError) { opened = try sound.openNow(session) } catch { throw .microphone(error) }
        guard let capture = opened else { throw .microphone(.noMicrophone) }
        let channel = SoundChannel(capture) { [whenChanged] in
            whenChanged()
        } whenOver: { [weak self, sound] channel, error in
            // Before the microphone is closed: who comes now opens it anew.
            self?.forget(channel)
            sound.closeNow(capture)
        }
        do throws(SystemShortage) { try channel.start() } catch {
            sound.closeNow(capture)
            throw .shortage(error)
        }
        let isClosed = state.withLock { state in
            if !state.isClosed { state.channel = channel }
            return state.isClosed
        }
        if isClosed { channel.stop() }
        return channel
    }

    private func leave(_ channel: SoundChannel, _ listener: SoundListener) {
        let isUnused = state.withLock { state in
            guard channel.remove(listener) == 0 else { return false }
            if state.channel === channel { state.channel = nil }
            return true
        }
        if isUnused { channel.stop() }
        whenChanged()
    }

    private func forget(_ channel: SoundChannel) {
        let isNews = state.withLock { state in
            guard state.channel === channel else { return false }
            state.channel = nil
            return true
        }
        if isNews { whenChanged() }
    }

    /// Ends all that is heard.
    func close() {
        let channel = state.withLock { state in
            state.isClosed = true
            return state.channel.take()
        }
        channel?.stop()
    }
}

/// Why nothing can be heard.
private enum HeardNothing: Error {
    case microphone(SoundError)
    case encoder(MovieError)
    case shortage(SystemShortage)

    var response: HTTPResponse {
        switch self {
        case .microphone(let error): .failure(409, error, code: error.code)
        case .encoder(let error):
            .failure(
                501, error.message, code: error.code,
                hint: "sound needs the libraries of FFmpeg 5 to 9 with libopus: 'sudo apt install ffmpeg'")
        case .shortage(let error): .failure(503, error.message, code: "system-shortage", hint: error.hint)
        }
    }
}

extension HTTPResponse {
    fileprivate static let noSound = failure(
        404, "this server does not let anybody hear its microphone", code: "no-sound",
        hint: "start it so that viewers may hear the microphone; 'sound' of GET /status says whether they may")

    fileprivate static let tooManyListeners = failure(
        503, "\(SoundFeed.maxListeners) listen to the microphone, which is the limit", code: "too-many-listeners",
        hint: "try again when some have left")
}
