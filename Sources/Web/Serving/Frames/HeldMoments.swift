// SPDX-License-Identifier: MIT
// Moments that pages have slid back to: their frames stay in the ring until they are released.

import FrameRing
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapThreads

/// Holds the frames around the moments that pages show, one moment for each page, so that its photo can be taken after
/// the history has passed it.
///
/// A held frame takes its slot out of the history, so all of them together have at most half of the ring: capture never
/// waits for them, and shots always find frames of now. A moment is released when its page lets go of it or is gone,
/// when the session goes on with another ring, and after `limit`.
final class HeldMoments: Sendable {
    /// How long a moment is held, if nobody says otherwise.
    static let usualLimit = Duration.seconds(120)
    /// The frames that are held before and after a moment: those that a photo of the highest quality is made of, and a
    /// few by which its moment can be moved.
    private static let before = 15
    private static let after = 2

    private let session: CaptureSession
    private let hidesRoom: @Sendable () -> Bool
    private let limit: Duration
    private let pages = Guarded<[String: Moment?]>([:])

    private struct Moment: Sendable {
        let frames: HeldFrames
        let end: Timestamp
    }

    /// The frames of a moment. They are released with the last reference.
    private final class HeldFrames: Sendable {
        let ring: ObjectIdentifier
        let window: FrameWindow

        init(_ window: consuming FrameWindow, of ring: Ring) {
            self.ring = ObjectIdentifier(ring)
            self.window = window
        }

        var metadata: [FrameMetadata] { (0..<window.count).map { window.metadata($0) } }
        var byteCount: Int { metadata.reduce(0) { $0 + $1.byteCount } }
    }

    /// Moments are held for at most `limit`, and none while `hidesRoom`: their frames are the camera's own.
    init(_ session: CaptureSession, hidesRoom: @escaping @Sendable () -> Bool, limit: Duration) {
        self.session = session
        self.hidesRoom = hidesRoom
        self.limit = limit
    }

    /// A page has come, which may hold a moment.
    func join(_ page: String) { pages.withLock { $0[page] = .some(nil) } }

    /// A page is gone, and what it held with it.
    func leave(_ page: String) {
        let last = pages.withLock { $0.removeValue(forKey: page) }
        withExtendedLifetime(last) {}
    }

    /// `PUT /held/PAGE?frame=ID` and `DELETE /held/PAGE`.
    func answer(_ page: Substring, _ request: HTTPRequest, _ reply: HTTPReply) {
        let page = String(page)
        guard pages.withLock({ $0[page] != nil }) else { return reply.send(.noSuchPage) }
        switch request.method {
        case "PUT": reply.send(hold(request.argument("frame"), for: page))
        case "DELETE":
            set(nil, for: page)
            reply.send(HTTPResponse(204))
        default: reply.send(.wrongMethod)
        }
    }

    /// Lets go of moments whose time is over, and of those in rings that no frames come into any more.
    func release() {
        let (now, ring) = (Timestamp.now, ObjectIdentifier(session.ring))
        let ended = pages.withLock { pages in
            let ended = pages.compactMapValues { $0 }.filter { $0.value.end <= now || $0.value.frames.ring != ring }
            for page in ended.keys { pages[page] = .some(nil) }
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    // MARK: Holding

    /// Called by the server's thread alone, so nobody else takes the room meanwhile.
    private func hold(_ text: String?, for page: String) -> HTTPResponse {
        guard let id = text.flatMap({ FrameID($0) }) else {
            return .failure(
                400, "'\(text ?? "")' is not a frame", code: "bad-request", hint: "give frame=EPOCH:COUNTER")
        }
        guard !hidesRoom() else { return .hidden }
        release()
        let ring = session.ring
        // The page's own frames count as free: those of the new moment take their places.
        let (own, others) = pages.withLock { pages in
            let moments = pages.compactMapValues { $0?.frames }
            return (moments[page], moments.filter { $0.key != page }.map(\.value))
        }
        let room = ring.room(beside: others.map { ($0.window.count, $0.byteCount) })
        guard let frames = frames(around: id, in: ring, room) else {
            return ring.lease(id: id) == nil ? .gone : others.isEmpty ? .tooLargeToHold : .tooManyHeld
        }
        // At the end of what is held of a moment that has left the history, the rest of it stays.
        let isWithin = own.map { own in own.metadata.contains { $0.id == id } } ?? false
        let kept = isWithin ? own.map { $0.window.count > frames.window.count ? $0 : frames } ?? frames : frames
        let moment = Moment(frames: kept, end: .now + limit)
        guard set(moment, for: page) else { return .noSuchPage }
        return .json(
            .object([
                ("leftMs", JSON(milliseconds: limit)), ("frames", .array(kept.metadata.map(\.page))),
            ]))
    }

    /// Returns whether the page is there.
    @discardableResult
    private func set(_ moment: Moment?, for page: String) -> Bool {
        var last: Moment?
        let isThere = pages.withLock { pages in
            guard let old = pages[page] else { return false }
            (last, pages[page]) = (old, .some(moment))
            return true
        }
        // Released without the lock.
        withExtendedLifetime(last) {}
        return isThere
    }

    /// The frame and those around it, as many as there is room for; nil if the frame is gone or there is no room.
    private func frames(around id: FrameID, in ring: Ring, _ room: (frames: Int, bytes: Int)) -> HeldFrames? {
        guard let lease = ring.lease(id: id) else { return nil }
        var (before, after) = (Self.before, Self.after)
        while true {
            guard before + after + 1 <= room.frames else {
                guard before > 0 || after > 0 else { return nil }
                if after > 0 { after -= 1 } else { before -= 1 }
                continue
            }
            guard let window = ring.window(around: lease.metadata.time, before: before, after: after) else {
                return nil
            }
            let neighbours = ring.neighbours(of: window.nearest, in: window)
            guard neighbours.count == window.count else {
                // What lies beyond a gap is another moment's.
                let nearest = window.nearest
                (before, after) = (nearest - neighbours.lowerBound, neighbours.upperBound - 1 - nearest)
                continue
            }
            let frames = HeldFrames(window, of: ring)
            if frames.byteCount <= room.bytes { return frames }
            guard before > 0 else { return nil }
            (before, after) = (before / 2, after / 2)
        }
    }
}

extension Ring {
    /// How many frames and bytes can be held beside others, so that half of the ring remains for the history.
    fileprivate func room(beside others: [(frames: Int, bytes: Int)]) -> (frames: Int, bytes: Int) {
        let frames = others.reduce(0) { $0 + $1.frames }, bytes = others.reduce(0) { $0 + $1.bytes }
        // Frames of fixed slots take no more than those.
        guard isCompact else { return (historyLimit / 2 - frames, .max) }
        return (historyLimit / 2 - frames, memory.regions[0].count / 2 - bytes)
    }
}

extension FrameMetadata {
    /// Which frame it is, for pages.
    var page: JSON { .object([("id", .string("\(id)")), ("timeNs", .string("\(time.nanoseconds)"))]) }
}

extension HTTPResponse {
    /// The frame that is asked for is not in memory.
    static let gone = failure(404, "that moment is not in memory", code: "gone", hint: "GET /ring tells what is")

    fileprivate static let noSuchPage = failure(
        404, "no page has that name", code: "no-such-page", hint: "use the one in the event 'page' of GET /events")

    fileprivate static let tooManyHeld = failure(
        503, "other viewers hold all the frames that may be held", code: "too-many-held",
        hint: "take the photo before the moment leaves memory, or start the server with a longer history"
    ).with("Retry-After", "5")

    fileprivate static let tooLargeToHold = failure(
        503, "the moment does not fit in the half of memory that may be held", code: "too-many-held",
        hint: "take the photo before the moment leaves memory, or start the server with a longer history")
}
