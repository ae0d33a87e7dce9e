// SPDX-License-Identifier: MIT
// Everybody who views frames, by the size they view.

import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapStreams
import LivecapThreads

/// Connects viewers with the frames of the size they ask for. Nothing is made that nobody views.
final class FrameFeed: Sendable {
    private let session: CaptureSession
    private let view: PageView
    private let stage: StageHost?
    private let channels = Guarded<[Key: FrameChannel]>([:])
    private let video: VideoFeed
    private let listener: Listener

    private struct Key: Hashable, Sendable {
        var width: Int?
        var wrapping: FrameWrapping
    }

    /// The widths that are made besides the frames' own: few, so that viewers share them.
    static let widths = [320, 640, 960, 1280, 1920]
    /// The maximum number of viewers at once.
    static let maxViewers = 256

    /// Viewers see the frames that `stage` makes, if there is one.
    init(_ session: CaptureSession, _ view: PageView = PageView(), by stage: StageHost? = nil) {
        self.session = session
        self.view = view
        self.stage = stage
        let listener = Listener()
        self.listener = listener
        video = VideoFeed(session, view, by: stage) { listener.hear() }
    }

    /// How many view frames now.
    var viewerCount: Int { jpegViewerCount + video.viewerCount }

    private var jpegViewerCount: Int { channels.withLock { $0.values.reduce(0) { $0 + $1.viewerCount } } }

    /// What viewers are sent, for the status.
    var present: JSON {
        let viewers = JSON.object([("jpeg", JSON(jpegViewerCount)), ("h264", JSON(video.viewerCount))])
        let source = video.isPassing ? [("source", JSON.string("the camera's own H.264"))] : []
        return .object(video.knowledge.members + source + [("viewers", viewers)])
    }

    /// Has `body` called when `present` has another source.
    func onNewSource(_ body: @escaping @Sendable () -> Void) {
        listener.body.withLock { $0 = Listener.Body(call: body) }
    }

    /// Who hears of another source.
    private final class Listener: Sendable {
        /// A closure that is read as it is would be wrapped once more each time.
        struct Body: Sendable {
            let call: @Sendable () -> Void
        }
        let body = Guarded<Body?>(nil)
        func hear() { body.withLock { $0 }?.call() }
    }

    /// Answers a page that wants to view: frames in records as they come, in the codec it asks for.
    func answer(_ request: HTTPRequest, width: Int?, _ reply: HTTPReply) {
        switch request.argument("codec") ?? "jpeg" {
        case "jpeg":
            guard let text = request.argument("fps") else { return reply.send(response(.records, width: width)) }
            guard let fps = UInt32(text), (1...1000).contains(fps) else {
                return reply.send(
                    .failure(
                        400, "'\(text)' is not a rate of frames", code: "bad-request", hint: "give fps=1 to fps=1000"))
            }
            reply.send(response(.records, width: width, rate: FrameRate(fps)))
        case "h264" where viewerCount >= Self.maxViewers: reply.send(Self.tooManyViewers)
        case "h264": video.answer(reply, width: width)
        case let codec:
            reply.send(
                .failure(
                    400, "'\(codec)' is not a codec of frames", code: "bad-request",
                    hint: "give codec=jpeg or codec=h264"))
        }
    }

    private static var tooManyViewers: HTTPResponse {
        .failure(
            503, "\(maxViewers) viewers are connected, which is the limit", code: "too-many-viewers",
            hint: "try again when some have left")
    }

    /// The answer to somebody who wants to view: JPEGs of the frames as they come.
    func response(_ wrapping: FrameWrapping, width: Int?, rate: FrameRate? = nil) -> HTTPResponse {
        guard viewerCount < Self.maxViewers else { return Self.tooManyViewers }
        let key = Key(width: width.flatMap { width in Self.widths.first { $0 >= width } }, wrapping: wrapping)
        let channel: FrameChannel
        do throws(SystemShortage) { channel = try self.channel(key) } catch {
            return .failure(503, error.message, code: "system-shortage", hint: error.hint)
        }
        let viewer = FrameViewer(wrapping, rate: rate) { channel.newest }
        let stream = HTTPStream({ viewer.supply($0) }, finished: { self.leave(key, channel, viewer) })
        channel.add(viewer, stream)
        return HTTPResponse(type: wrapping.type, .stream(stream)).with("Cache-Control", "no-store")
    }

    private func channel(_ key: Key) throws(SystemShortage) -> FrameChannel {
        try channels.withLock { channels throws(SystemShortage) in
            if let channel = channels[key] { return channel }
            let channel = FrameChannel(session, key.wrapping, width: key.width, view, by: stage)
            try channel.start()
            channels[key] = channel
            return channel
        }
    }

    private func leave(_ key: Key, _ channel: FrameChannel, _ viewer: FrameViewer) {
        let isUnused = channels.withLock { channels in
            guard channel.remove(viewer) == 0 else { return false }
            if channels[key] === channel { channels[key] = nil }
            return true
        }
        if isUnused { channel.stop() }
    }

    /// Ends all channels.
    func close() {
        video.close()
        for channel in channels.withLock({ channels in
            defer { channels = [:] }
            return Array(channels.values)
        }) { channel.stop() }
    }
}
