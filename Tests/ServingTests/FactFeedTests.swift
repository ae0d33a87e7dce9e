// SPDX-License-Identifier: MIT
// Facts about people on the stream of events: for those who ask, the newest each time, and for nobody else.

import Dispatch
import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapThreads
import LivecapWebGear
import Testing

@testable import LivecapHTTP
@testable import LivecapServing

@Suite(.serialized) struct FactFeedTests {
    private func facts(_ counter: UInt64) -> FrameFacts {
        let box = PictureBox(origin: PicturePoint(x: 0.25, y: 0.5), width: 0.125, height: 0.25)
        return FrameFacts(
            frame: FrameID(epoch: 0, counter: counter), time: Timestamp(nanoseconds: 1_000_000_007),
            faces: [FaceFacts(id: 4, box: box, confidence: 0.75)], hands: [])
    }

    private func events(_ scene: ServedScene, _ query: String = "") throws -> EventStream {
        try EventStream(port: scene.port, LivecapWebGear.HTTPRequest("GET", "/events\(query)"))
    }

    private func nextFacts(_ events: EventStream) throws -> String {
        while let event = try events.next() { if event.name == "facts" { return event.data } }
        throw WireError.malformed("no more events")
    }

    @Test func onlyThoseWhoAskAreTold() async throws {
        let teller = FactTeller()
        try await withServedScene(change: { $0.facts = teller.source() }) { scene in
            let (plain, asking) = (try events(scene), try events(scene, "?facts=faces,hands"))
            // The streams are there once they say how things are.
            #expect(try plain.next()?.name == "status" && asking.next()?.name == "status")
            #expect(teller.asked == [[.faces, .hands]])
            teller.tell(facts(12))
            let text = try nextFacts(asking)
            #expect(
                text == #"{"frame":"0:12","timeNs":"1000000007","faces":[{"id":4,"box":[0.25,0.5,0.125,0.25],"#
                    + #""confidence":0.75,"roll":0.0,"eyesOpen":null,"landmarks":[]}],"hands":[],"reactions":[]}"#)
            let document = try #require(PageFiles()["openapi.json"].flatMap { OpenAPIDocument($0.bytes) })
            let read = try #require(JSON(parsing: Array(text.utf8)))
            #expect(document.fault(read, named: "FactsEvent") == nil)
            // What comes next to the other is something else.
            _ = try HTTPConnection.exchange(
                port: scene.port, LivecapWebGear.HTTPRequest("POST", "/shots", fields: [scene.proof], body: []))
            while let event = try plain.next(), event.name != "shot" { #expect(event.name != "facts") }
        }
    }

    @Test func nobodyLooksForFactsThatNobodyWants() async throws {
        let teller = FactTeller()
        try await withServedScene(change: { $0.facts = teller.source() }) { scene in
            var streams = try ["?facts=faces", "?facts=faces", "?facts=hands"].map { try events(scene, $0) }
            for stream in streams { _ = try stream.next() }
            // Those who want the same share it.
            #expect(teller.asked == [[.faces], [.hands]] && teller.streamCount == 2)
            streams.removeLast()
            try eventually("the end of one") { teller.streamCount == 1 }
            streams.removeLast()
            teller.tell(facts(1))
            #expect(try nextFacts(streams[0]).contains(#""frame":"0:1""#))
            streams.removeLast()
            try eventually("the end of the other") { teller.streamCount == 0 }
            let again = try events(scene, "?facts=faces")
            _ = try again.next()
            #expect(teller.asked.count == 3)
        }
        try eventually("the end of all") { teller.streamCount == 0 }
    }

    @Test func whatIsNotKnownIsRefused() async throws {
        let teller = FactTeller()
        try await withServedScene(change: { $0.facts = teller.source([.faces]) }) { scene in
            for (query, status) in [
                ("facts=ears", 400), ("facts=", 400), ("facts=hands", 409), ("facts=faces,hands", 409),
            ] {
                let answer = try HTTPConnection.get(port: scene.port, "/events?\(query)")
                #expect(answer.status == status && answer.json?["hint"] != nil, "\(query)")
            }
            let effects = try HTTPConnection.get(port: scene.port, "/effects").json
            #expect(effects?["facts"]?.text == #"["faces"]"#)
        }
        try await withServedScene { scene in
            let answer = try HTTPConnection.get(port: scene.port, "/events?facts=faces")
            #expect(answer.status == 409)
        }
        #expect(teller.asked.isEmpty)
    }

    /// What is missing is said by its own words, and only looked at when somebody asks.
    @Test func whatLacksNetsIsRefusedWithTheReason() async throws {
        let teller = FactTeller(), looked = Guarded<[FactKind]>([]), isThere = Guarded(false)
        let source = FactSource(
            [.faces, .hands],
            lack: { kind in
                looked.withLock { $0.append(kind) }
                guard kind == .hands, !isThere.withLock({ $0 }) else { return nil }
                return EffectRefusal("the net of hands is missing", hint: "run make effects", code: "effects-missing")
            }, { teller.stream($0) })
        try await withServedScene(change: { $0.facts = source }) { scene in
            #expect(try HTTPConnection.get(port: scene.port, "/status").status == 200)
            #expect(looked.withLock { $0 }.isEmpty)
            func known() throws -> String? {
                try HTTPConnection.get(port: scene.port, "/effects").json?["facts"]?.text
            }
            #expect(try known() == #"["faces"]"#)
            for query in ["hands", "faces,hands"] {
                let answer = try HTTPConnection.get(port: scene.port, "/events?facts=\(query)")
                #expect(answer.status == 409 && answer.json?["code"]?.string == "effects-missing")
                #expect(answer.json?["hint"]?.string == "run make effects")
            }
            #expect(teller.asked.isEmpty)
            // It can be installed meanwhile. What is there is not looked at again.
            isThere.withLock { $0 = true }
            #expect(try known() == #"["faces","hands"]"#)
            let count = looked.withLock { $0 }.count
            #expect(try known() == #"["faces","hands"]"# && looked.withLock { $0 }.count == count)
            #expect(looked.withLock { $0 }.count { $0 == .faces } == 1)
        }
    }

    /// A page that only listens hears it once it is known, without having waited for it.
    @Test func pagesHearWhatCanBeKnown() async throws {
        let mayGoOn = DispatchSemaphore(value: 0)
        let source = FactSource(
            [.faces],
            lack: { _ in
                mayGoOn.wait()
                return nil
            }, { _ in nil })
        try await withServedScene(change: { $0.facts = source }) { scene in
            let events = try events(scene)
            func next() throws -> String? {
                while let event = try events.next() { if event.name == "effects" { return event.json?["facts"]?.text } }
                return nil
            }
            #expect(try next() == "[]")
            mayGoOn.signal()
            #expect(try next() == #"["faces"]"#)
            // Frames that nobody can be looked for in are another reason.
            let answer = try HTTPConnection.get(port: scene.port, "/events?facts=faces")
            #expect(answer.status == 409 && answer.json?["hint"]?.string?.contains("/effects") == false)
        }
    }

    /// Nets are loaded where nobody else waits for them.
    @Test func othersAreAnsweredWhileAStreamBegins() async throws {
        let teller = FactTeller(), hasBegun = Guarded(false), mayGoOn = DispatchSemaphore(value: 0)
        let source = FactSource([.faces]) { kinds in
            hasBegun.withLock { $0 = true }
            mayGoOn.wait()
            return teller.stream(kinds)
        }
        try await withServedScene(change: { $0.facts = source }) { scene in
            let port = scene.port
            let asking = Task.detached {
                let events = try EventStream(port: port, LivecapWebGear.HTTPRequest("GET", "/events?facts=faces"))
                return try events.next()?.name
            }
            try eventually("the beginning") { hasBegun.withLock { $0 } }
            // On the thread that would have to begin it, and with a stream of other events.
            #expect(try HTTPConnection.get(port: port, "/healthz").status == 200)
            #expect(try events(scene).next()?.name == "status")
            #expect(teller.streamCount == 0)
            mayGoOn.signal()
            #expect(try await asking.value == "status")
            #expect(teller.asked == [[.faces]])
        }
        try eventually("the end of all") { teller.streamCount == 0 }
    }

    /// Two who are first at the same time share one stream, and none begins after the end.
    @Test func onlyOneStreamIsKept() throws {
        let teller = FactTeller(), feeds = Guarded<FactFeed?>(nil)
        func listener() -> EventListener {
            EventListener([]) {
                ([], $0)
            } finished: { _ in
            }
        }
        let first = listener(), second = listener()
        let feed = FactFeed(on: try TaskThread(name: "facts")) {
            // Another one comes while the first waits for its nets.
            if teller.asked.isEmpty {
                let stream = teller.stream([.faces])
                #expect(feeds.withLock { $0 }?.add(second) == true)
                return stream
            }
            return teller.stream([.faces])
        }
        feeds.withLock { $0 = feed }
        #expect(feed.add(first) && teller.asked.count == 2)
        try eventually("the end of the stream that is not needed") { teller.streamCount == 1 }
        feed.remove(first)
        #expect(!feed.isIdle)
        feed.remove(second)
        #expect(feed.isIdle)
        feed.close()
        #expect(!feed.add(first) && feed.isIdle)
        feeds.withLock { $0 = nil }
        for listener in [first, second] { listener.stream.finish() }
        try eventually("the end of all") { teller.streamCount == 0 }
    }

    /// What a slow listener has not taken is replaced, so that it never sees an old picture's facts, and other events
    /// stay.
    @Test func onlyTheNewestCounts() throws {
        let hub = EventHub(), tasks = try TaskThread(name: "facts")
        let feed = FactFeed(on: tasks) { AsyncStream { _ in } }
        let response = hub.response(after: nil, facts: feed) { [("status", 1)] }
        guard case .stream(let stream) = response.content else { throw WireError.malformed("no stream") }
        func take() -> String {
            var taken: [UInt8] = [], block = [UInt8](repeating: 0, count: 16)
            while case .bytes(let count) = block.withUnsafeMutableBytes({ stream.read(into: $0) }) {
                taken += block[..<count]
            }
            return String(decoding: taken, as: UTF8.self)
        }
        #expect(take() == "event: status\ndata: 1\n\n")
        hub.tell("a", 1)
        feed.tell(facts(1))
        hub.tell("b", 2)
        feed.tell(facts(2))
        #expect(
            take()
                == "id: 1\nevent: a\ndata: 1\n\nid: 2\nevent: b\ndata: 2\n\nevent: facts\ndata: \(facts(2).json.text)\n\n"
        )
        #expect(take().isEmpty)
        // They are not kept for those who come back.
        let back = hub.response(after: 0) { [] }
        guard case .stream(let other) = back.content else { throw WireError.malformed("no stream") }
        var block = [UInt8](repeating: 0, count: 4096)
        guard case .bytes(let count) = block.withUnsafeMutableBytes({ other.read(into: $0) }) else { return }
        #expect(!String(decoding: block[..<count], as: UTF8.self).contains("facts"))
        stream.finish()
        #expect(feed.isIdle)
    }
}
