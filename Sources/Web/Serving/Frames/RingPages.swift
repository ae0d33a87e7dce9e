// SPDX-License-Identifier: MIT
// The ring's history, frame by frame: what the time rail shows.

import FrameRing
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapPictures
import LivecapThreads

/// Answers requests for frames of the last seconds.
final class RingPages: Sendable {
    private let session: CaptureSession
    private let hidesRoom: @Sendable () -> Bool
    private let date: @Sendable () -> PictureDate?
    /// Those that wait keep copies of their frames.
    private let queue = RequestQueue("snapshots", threads: 2, waiting: 16)
    /// The memory of those copies.
    private let copiedBytes = Guarded(0)
    private static let maxCopiedBytes = 32 << 20
    /// Thousands of frames take longer to list than other connections can wait.
    private let lists = RequestQueue("rings", threads: 1, waiting: 100)

    /// The ring has the camera's own frames, which nobody is shown while `hidesRoom`. `date` is drawn into them.
    init(
        _ session: CaptureSession, hidesRoom: @escaping @Sendable () -> Bool = { false },
        date: @escaping @Sendable () -> PictureDate? = { nil }
    ) {
        self.session = session
        self.hidesRoom = hidesRoom
        self.date = date
    }

    /// `GET /ring`: every frame of the history, oldest first.
    func list(_ reply: HTTPReply) { lists.answer(reply) { self.list() } }

    private func list() -> HTTPResponse {
        let frames = session.ring.historyMetadata().map(\.page)
        return .json(
            .object([
                ("now", .string("\(Timestamp.now.nanoseconds)")), ("oldest", frames.first ?? .null),
                ("newest", frames.last ?? .null), ("frames", .array(frames)),
            ]))
    }

    /// `GET /snapshot`: one frame as it is.
    func snapshot(_ request: HTTPRequest, _ reply: HTTPReply) {
        guard !hidesRoom() else { return reply.send(.hidden) }
        let ring = session.ring
        let lease: FrameLease?
        if let text = request.argument("frame") {
            guard let id = FrameID(text) else { return reply.send(.badMoment("frame")) }
            lease = ring.lease(id: id)
        } else if let text = request.argument("at") {
            guard let time = Int64(text) else { return reply.send(.badMoment("at")) }
            lease = near(Timestamp(nanoseconds: time))
        } else if let text = request.argument("ago") {
            guard let milliseconds = Double(text), (0...3_600_000).contains(milliseconds) else {
                return reply.send(.badMoment("ago"))
            }
            let now = session.source.clock == .monotonic ? Timestamp.now : ring.newestTime ?? .now
            lease = near(now - .nanoseconds(Int64(milliseconds * 1e6)))
        } else {
            lease = ring.leaseNewest()
        }
        guard let lease else {
            return reply.send(.gone)
        }
        answer(lease, width: request.argument("width").flatMap { Int($0) }, reply)
    }

    /// The frame at a time, if the ring has it.
    private func near(_ time: Timestamp) -> FrameLease? {
        guard let lease = session.ring.lease(nearest: time) else { return nil }
        let reach = session.frameInterval * 2
        guard (lease.metadata.time - time).magnitude <= reach else { return nil }
        return lease
    }

    private func answer(_ lease: consuming FrameLease, width: Int?, _ reply: HTTPReply) {
        let (frame, format) = (lease.metadata, lease.format)
        let width = width.flatMap { width in FrameFeed.widths.first { $0 >= width } }.flatMap {
            $0 < format.size.width ? $0 : nil
        }
        let date = date()
        if format.pixelFormat.isJPEG, width == nil, date == nil {
            return reply.send(.frame(lease.withBytes { $0.withUnsafeBytes { Array($0) } }, frame))
        }
        let clock = session.source.frameClock
        guard let claim = claim(frame.byteCount) else { return reply.send(.tooBusy) }
        queue.answer(
            reply,
            preparing: {
                // A copy, so that the slot is not kept while the picture is made.
                let bytes = lease.withBytes { $0.withUnsafeBytes { Array($0) } }
                return {
                    defer { withExtendedLifetime(claim) {} }
                    let still = StillFrame(bytes, format, at: frame.time, by: clock)
                    return still.jpeg(width: width, date: date).map { .frame($0, frame) }
                        ?? .failure(500, "the frame cannot be decoded", code: "undecodable", hint: "ask for another")
                }
            })
    }

    /// Memory for the copy of a frame, as long as this exists.
    private final class Claim: Sendable {
        private let pages: RingPages
        private let count: Int

        init(_ count: Int, of pages: RingPages) {
            self.pages = pages
            self.count = count
        }

        deinit { pages.copiedBytes.withLock { $0 -= count } }
    }

    /// Claims memory for the copy of a frame; nil if others have too much. One frame has it in any case.
    private func claim(_ count: Int) -> Claim? {
        let isFree = copiedBytes.withLock { bytes in
            guard bytes == 0 || bytes + count <= Self.maxCopiedBytes else { return false }
            bytes += count
            return true
        }
        return isFree ? Claim(count, of: self) : nil
    }
}

extension HTTPResponse {
    static let hidden = failure(
        409, "what is behind people is hidden now: the camera's own frames are not shown", code: "hidden",
        hint: "view /stream or /frames, where it is hidden, or set effects without portrait and background")

    fileprivate static func badMoment(_ name: String) -> HTTPResponse {
        failure(
            400, "'\(name)' is not a moment", code: "bad-request",
            hint: "give frame=EPOCH:COUNTER, at=NANOSECONDS or ago=MILLISECONDS")
    }

    /// A JPEG of a frame, and which one that is.
    static func frame(_ bytes: [UInt8], _ frame: FrameMetadata) -> HTTPResponse {
        HTTPResponse(type: "image/jpeg", .bytes(bytes)).with("Cache-Control", "private, max-age=60")
            .with("Livecap-Frame", "\(frame.id)").with("Livecap-Time-Ns", "\(frame.time.nanoseconds)")
    }
}
