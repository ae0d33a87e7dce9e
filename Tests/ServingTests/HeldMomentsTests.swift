// SPDX-License-Identifier: MIT
// Moments that pages hold: their photos can be taken after the history has passed them, and capture suffers nothing.

import FrameRing
import Glibc
import LiveCapture
import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapThreads
import LivecapWebGear
import Testing

@testable import LivecapHTTP
@testable import LivecapServing

@Suite(.serialized, .timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct HeldMomentsTests {
    /// A page that listens, by the name that it has to hold moments with.
    private static func page(_ scene: ServedScene) throws -> (events: EventStream, name: String) {
        let events = try EventStream(port: scene.port)
        while let event = try events.next() {
            if event.name == "page", let id = event.json?["id"]?.string { return (events, id) }
        }
        throw WireError.malformed("no event 'page'")
    }

    private static func ask(_ scene: ServedScene, _ method: String, _ path: String, _ body: String = "{}") throws
        -> HTTPAnswer
    {
        try HTTPConnection.exchange(
            port: scene.port, LivecapWebGear.HTTPRequest(method, path, fields: [scene.proof], body: Array(body.utf8)))
    }

    /// The newest frames of the history. They cannot leave it before this object is gone, however long a test takes.
    private final class Leased: Sendable {
        let window: FrameWindow
        /// One with frames before and after it.
        let frame: FrameMetadata
        let bytes: [UInt8]

        init(_ scene: ServedScene) throws {
            let ring = scene.session.ring
            try eventually("a history") { ring.nextCounter > 20 }
            guard let newest = ring.newestTime, let window = ring.window(around: newest, before: 19),
                window.count == 20
            else { throw WireError.malformed("no history") }
            frame = window.metadata(16)
            bytes = window.withBytes(16) { $0.withUnsafeBytes { Array($0) } }
            self.window = window
        }
    }

    /// Waits until no frame of these is in the history any more.
    private static func pass(_ counter: UInt64, _ scene: ServedScene) throws {
        let ring = scene.session.ring
        try eventually("newer frames") { ring.nextCounter > counter + UInt64(ring.historyLimit) + 5 }
    }

    private static func isThere(_ id: String, _ scene: ServedScene) -> Bool {
        FrameID(id).map { scene.session.ring.lease(id: $0) != nil } ?? false
    }

    /// Asks without a network.
    private static func ask(_ moments: HeldMoments, _ page: String, frame: String) -> (status: Int, code: String?) {
        var request = LivecapHTTP.HTTPRequest("PUT", "/held/\(page)")
        request.query = [("frame", frame)]
        let answer = Guarded<HTTPResponse?>(nil)
        moments.answer(
            Substring(page), request, HTTPReply(number: 0) { _, response in answer.withLock { $0 = response } })
        let response = answer.withLock { $0 }
        guard case .bytes(let bytes)? = response?.content else { return (response?.status ?? 0, nil) }
        return (response?.status ?? 0, JSON(parsing: bytes, depth: 8)?["code"]?.string)
    }

    @Test func aHeldMomentCanBeTakenAfterTheHistoryHasPassedIt() async throws {
        try await withServedScene { scene in
            let page = try Self.page(scene)
            var leased: Leased? = try Leased(scene)
            let (record, jpeg) = (try #require(leased?.frame), try #require(leased?.bytes))
            let held = try Self.ask(scene, "PUT", "/held/\(page.name)?frame=\(record.id)")
            #expect(held.status == 200)
            leased = nil
            let file = try #require(PageFiles()["openapi.json"])
            let document = try #require(OpenAPIDocument(file.bytes))
            #expect(document.fault(try #require(held.json), named: "Held") == nil)
            let frames = (held.json?["frames"]?.elements ?? []).compactMap { $0["id"]?.string }
            #expect(frames.count >= 16 && frames.contains("\(record.id)"))
            try Self.pass(record.id.counter, scene)
            #expect(frames.allSatisfy { Self.isThere($0, scene) })
            // Others are not shown it as a part of their history.
            let listed = try HTTPConnection.get(port: scene.port, "/ring").json?["frames"]?.elements ?? []
            #expect(!listed.isEmpty && !listed.contains { $0["id"]?.string.map(frames.contains) ?? true })
            #expect(try HTTPConnection.get(port: scene.port, "/snapshot?frame=\(record.id)").body == jpeg)
            let body = #"{"frame":"\#(record.id)","quality":"quality"}"#
            let photo = try Self.ask(scene, "POST", "/shots?wait=1", body)
            #expect(photo.status == 201 && photo.json?["frame"]?.string == "\(record.id)")
            // On a busy machine it is a proxy at first, of fewer frames.
            if photo.json?["isProxy"]?.bool == false { #expect(photo.json?["framesUsed"]?.integer ?? 0 > 8) }
            #expect(try Self.ask(scene, "DELETE", "/held/\(page.name)").status == 204)
            try eventually("its end") { !frames.contains { Self.isThere($0, scene) } }
            withExtendedLifetime(page.events) {}
        }
    }

    @Test func aPageThatIsGoneHoldsNothing() async throws {
        try await withServedScene { scene in
            var leased: Leased? = try Leased(scene)
            let id = try #require(leased?.frame.id)
            var page: (events: EventStream, name: String)? = try Self.page(scene)
            let name = try #require(page?.name)
            #expect(try Self.ask(scene, "PUT", "/held/\(name)?frame=\(id)").status == 200)
            leased = nil
            try Self.pass(id.counter, scene)
            #expect(Self.isThere("\(id)", scene))
            page = nil
            try eventually("its end") { !Self.isThere("\(id)", scene) }
            let late = try Self.ask(scene, "PUT", "/held/\(name)?frame=\(id)")
            #expect(late.status == 404 && late.json?["code"]?.string == "no-such-page")
        }
    }

    @Test func pagesTogetherHoldNoMoreThanHalfOfTheRing() async throws {
        try await withServedScene { scene in
            let (ring, moments) = (
                scene.session.ring, HeldMoments(scene.session, hidesRoom: { false }, limit: .seconds(600))
            )
            try eventually("a full history") { ring.nextCounter > UInt64(ring.historyLimit) }
            var refused = 0
            for number in 0..<20 {
                let page = "page \(number)"
                moments.join(page)
                // Each of another moment.
                let frame = ring.leaseNewest()?.metadata.id
                let answer = Self.ask(moments, page, frame: "\(try #require(frame))")
                if answer.status != 200 { refused += 1 }
                #expect(answer.status == 200 || (answer.status == 503 && answer.code == "too-many-held"))
                let next = ring.nextCounter
                try eventually("other frames") { ring.nextCounter > next + 4 }
            }
            #expect(refused > 10)
            let last = ring.nextCounter
            try Self.pass(last, scene)
            #expect(ring.historyMetadata().count >= ring.historyLimit / 3)
            for number in 0..<20 { moments.leave("page \(number)") }
            try Self.pass(ring.nextCounter, scene)
            #expect(ring.historyMetadata().count > ring.historyLimit / 2)
        }
    }

    @Test func aMomentIsReleasedWhenItsTimeIsOver() async throws {
        try await withServedScene { scene in
            let moments = HeldMoments(scene.session, hidesRoom: { false }, limit: .zero)
            moments.join("a")
            _ = scene.session.ring.wait(forCounter: 1, until: .now + .seconds(60))
            let lease = scene.session.ring.leaseNewest()?.metadata
            let frame = try #require(lease)
            #expect(Self.ask(moments, "a", frame: "\(frame.id)").status == 200)
            try Self.pass(frame.id.counter, scene)
            #expect(Self.isThere("\(frame.id)", scene))
            moments.release()
            try eventually("its end") { !Self.isThere("\(frame.id)", scene) }
        }
    }

    @Test func framesThatAreHiddenOrGoneAreNotHeld() async throws {
        try await withServedScene { scene in
            let hidden = HeldMoments(scene.session, hidesRoom: { true }, limit: .seconds(1))
            hidden.join("a")
            let refusal = Self.ask(hidden, "a", frame: "0:0")
            #expect(refusal.status == 409 && refusal.code == "hidden")
            let page = try Self.page(scene)
            #expect(try Self.ask(scene, "PUT", "/held/\(page.name)?frame=7:1").status == 404)
            #expect(try Self.ask(scene, "PUT", "/held/\(page.name)?frame=x").status == 400)
            #expect(try Self.ask(scene, "PUT", "/held/nobody?frame=0:1").status == 404)
            #expect(try Self.ask(scene, "POST", "/held/\(page.name)").status == 405)
            #expect(
                try HTTPConnection.exchange(
                    port: scene.port, LivecapWebGear.HTTPRequest("PUT", "/held/\(page.name)?frame=0:1")
                ).status == 403)
            withExtendedLifetime(page.events) {}
        }
    }
}
