// SPDX-License-Identifier: MIT
// Everybody who views H.264, by the size they view; and whether there is an encoder for it.

import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapMovies
import LivecapStreams
import LivecapThreads

/// Connects viewers with the H.264 of the size they ask for: one encoder for each size, and none while nobody views.
/// FFmpeg's libraries are loaded when somebody first asks.
final class VideoFeed: Sendable {
    private let session: CaptureSession
    private let view: PageView
    private let stage: StageHost?
    private let state = Guarded(State())
    private let whenPassing: @Sendable () -> Void
    /// Loading libraries takes longer than other connections can wait.
    private let queue = RequestQueue("video requests", threads: 1, waiting: 64)

    private struct State: Sendable {
        var channels: [Int?: VideoChannel] = [:]
        var knowledge = Knowledge.untried
        var isClosed = false
    }

    /// What is known of encoders.
    enum Knowledge: Hashable, Sendable {
        /// Nobody has asked yet.
        case untried
        /// This one works.
        case ready(encoder: String)
        /// There is none, or it failed.
        case unavailable(MovieError)
    }

    /// Viewers see the frames that `stage` makes, if there is one. `whenPassing` is called when `isPassing` changes.
    init(
        _ session: CaptureSession, _ view: PageView = PageView(), by stage: StageHost?,
        whenPassing: @escaping @Sendable () -> Void
    ) {
        self.session = session
        self.view = view
        self.stage = stage
        self.whenPassing = whenPassing
    }

    /// How many view now.
    var viewerCount: Int { state.withLock { $0.channels.values.reduce(0) { $0 + $1.viewerCount } } }

    /// Whether viewers of the camera's size get its own H.264 now.
    var isPassing: Bool { state.withLock { $0.channels.values.contains { $0.isPassing } } }

    /// What is known of encoders.
    var knowledge: Knowledge { state.withLock { $0.knowledge } }

    /// Answers somebody who wants to view H.264: frames as they come.
    func answer(_ reply: HTTPReply, width: Int?) {
        queue.answer(reply) { self.response(width: width) }
    }

    private func response(width: Int?) -> HTTPResponse {
        do throws(MovieError) { try look() } catch {
            return .failure(501, error, code: error.code)
        }
        let viewer = VideoViewer()
        let key = width.flatMap { width in FrameFeed.widths.first { $0 >= width } }
        do throws(SystemShortage) {
            // Added before another viewer that leaves could end the channel.
            let stream = try state.withLock { state throws(SystemShortage) in
                let channel = try self.channel(key, &state)
                let stream = HTTPStream({ viewer.supply($0) }, finished: { self.leave(key, channel, viewer) })
                channel.add(viewer, stream)
                // Nothing comes of a channel that was not started.
                if state.isClosed { viewer.cutOff() }
                return stream
            }
            return HTTPResponse(type: FrameWrapping.records.type, .stream(stream)).with("Cache-Control", "no-store")
        } catch {
            return .failure(503, error.message, code: "system-shortage", hint: error.hint)
        }
    }

    /// Makes sure that there is an encoder, and that it can take these frames.
    private func look() throws(MovieError) {
        let format = session.source.format
        guard format.pixelFormat.isReadable else { throw .unsuitable("\(format.pixelFormat)") }
        if case .ready = knowledge { return }
        let size = FrameSize(width: 64, height: 64)
        let settings = LiveEncoder.Settings(
            pictures: FrameFormat(pixelFormat: .i420, size: size, colorimetry: format.colorimetry), rate: nil,
            bitsPerSecond: 300_000)
        do throws(MovieError) {
            let name = try LiveEncoder(settings).name
            state.withLock { $0.knowledge = .ready(encoder: name) }
        } catch {
            state.withLock { $0.knowledge = .unavailable(error) }
            throw error
        }
    }

    private func channel(_ key: Int?, _ state: inout State) throws(SystemShortage) -> VideoChannel {
        if let channel = state.channels[key] { return channel }
        let channel = VideoChannel(session, width: key, view, by: stage, whenPassing: whenPassing) {
            [weak self] channel, error in
            self?.state.withLock { state in
                state.knowledge = .unavailable(error)
                // Whoever asks again gets another try.
                if state.channels[key] === channel { state.channels[key] = nil }
            }
        }
        guard !state.isClosed else { return channel }
        try channel.start()
        state.channels[key] = channel
        return channel
    }

    private func leave(_ key: Int?, _ channel: VideoChannel, _ viewer: VideoViewer) {
        let isUnused = state.withLock { state in
            guard channel.remove(viewer) == 0 else { return false }
            if state.channels[key] === channel { state.channels[key] = nil }
            return true
        }
        if isUnused { channel.stop() }
    }

    /// Ends all channels.
    func close() {
        let channels = state.withLock { state in
            defer { state.channels = [:] }
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.stop() }
    }
}

extension VideoFeed.Knowledge {
    /// For the status.
    var members: [(String, JSON)] {
        switch self {
        case .untried: [("h264", .string("untried"))]
        case .ready(let encoder): [("h264", .string("ready")), ("encoder", .string(encoder))]
        case .unavailable(let error):
            [
                ("h264", .string("unavailable")), ("error", .string(error.message)),
                ("hint", .string(ClientHints.hint(error))),
            ]
        }
    }
}
