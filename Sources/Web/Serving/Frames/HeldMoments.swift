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
/// A held frame takes its slot out of the history, so all of them together, with that of a window, have at most half of
/// the ring: capture never waits for them, and shots always find frames of now. A moment is released when its page lets
/// go of it or is gone, when the session goes on with another ring, and after `limit`.
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
        /// They are released with the last reference.
        let frames: HeldWindow
        let end: Timestamp
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
        let (now, ring) = (Timestamp.now, session.ring)
        let ended = pages.withLock { pages in
            let ended = pages.compactMapValues { $0 }.filter { $0.value.end <= now || $0.value.frames.ring !== ring }
            for page in ended.keys { pages[page] = .some(nil) }
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    // MARK: Holding

    /// Called by the server's thread alone.
    private func hold(_ text: String?, for page: String) -> HTTPResponse {
        guard let id = text.flatMap({ FrameID($0) }) else {
            return .failure(
                400, "'\(text ?? "")' is not a frame", code: "bad-request", hint: "give frame=EPOCH:COUNTER")
        }
        guard !hidesRoom() else { return .hidden }
        release()
        let ring = session.ring
        guard let lease = ring.lease(id: id) else { return .gone }
        // The frames that the page holds count as free while it stays among them. Those of another moment are let go
        // of first: both together might be all that the ring has.
        var own = pages.withLock { $0[page]??.frames }
        let isWithin = own.map { own in own.metadata.contains { $0.id == id } } ?? false
        if !isWithin {
            own = nil
            set(nil, for: page)
        }
        guard let frames = frames(around: lease.metadata.time, in: ring, insteadOf: own) else {
            let isAlone = pages.withLock { $0.allSatisfy { $0.key == page || $0.value?.frames == nil } }
            return isAlone ? .tooLargeToHold : .tooManyHeld
        }
        // At the end of what is held of a moment that has left the history, the rest of it stays.
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
            last = old
            pages[page] = .some(moment)
            return true
        }
        // Released without the lock.
        withExtendedLifetime(last) {}
        return isThere
    }

    /// The frame of a time and those around it, as many as there is room for; nil if there is none.
    private func frames(around time: Timestamp, in ring: Ring, insteadOf own: HeldWindow?) -> HeldWindow? {
        let room = ring.roomToHold(insteadOf: own).frames
        var (before, after) = (Self.before, Self.after)
        while true {
            guard before + after + 1 <= room else {
                guard before > 0 || after > 0 else { return nil }
                if after > 0 { after -= 1 } else { before -= 1 }
                continue
            }
            guard let window = ring.window(around: time, before: before, after: after) else {
                return nil
            }
            let neighbours = ring.neighbours(of: window.nearest, in: window)
            guard neighbours.count == window.count else {
                // What lies beyond a gap is another moment's.
                let nearest = window.nearest
                before = nearest - neighbours.lowerBound
                after = neighbours.upperBound - 1 - nearest
                continue
            }
            if let frames = HeldWindow(window, of: ring, insteadOf: own) { return frames }
            guard before > 0 else { return nil }
            before /= 2
            after /= 2
        }
    }
}

extension HeldWindow {
    fileprivate var metadata: [FrameMetadata] { (0..<window.count).map { window.metadata($0) } }
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
