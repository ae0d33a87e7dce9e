// SPDX-License-Identifier: MIT
// Facts for clients of the socket: who is told what, for how long, and what is said where nobody can be looked for.

import Camera
import Foundation
import Glibc
import LivecapCSystem
import LivecapDetection
import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapThreads
import Testing

@testable import Shutter
@testable import livecap

/// What finds facts, by hand.
private final class Teller: Sendable {
    private struct Follower: Sendable {
        let kinds: Set<FactKind>
        let end: @Sendable (CameraError?) -> Void
        let take: @Sendable (FrameFacts) -> Void
    }
    private let followers = Guarded<[Int: Follower]>([:])
    private let asked = Guarded(0)
    /// Why nobody can be looked for.
    let lack = Guarded<Failure?>(nil)
    /// Called while somebody begins to follow.
    let meanwhile = Guarded<@Sendable () -> Void>({})

    var facts: SocketFacts {
        SocketFacts { [self] (kinds, end, take) throws(Failure) in
            if let failure = lack.withLock({ $0 }) { throw failure }
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            followers.withLock { $0[number] = Follower(kinds: kinds, end: end, take: take) }
            meanwhile.withLock { $0 }()
            return { [self] in followers.withLock { $0[number] = nil } }
        }
    }

    /// What each of those who follow wants.
    var kinds: [Set<FactKind>] { followers.withLock { $0.sorted { $0.key < $1.key }.map(\.value.kinds) } }

    func tell(_ counter: UInt64) {
        let facts = FrameFacts(frame: FrameID(epoch: 0, counter: counter), time: .zero, faces: [])
        for follower in followers.withLock({ Array($0.values) }) { follower.take(facts) }
    }

    func end(_ error: CameraError?) {
        let followers = followers.withLock { followers in
            defer { followers = [:] }
            return Array(followers.values)
        }
        for follower in followers { follower.end(error) }
    }
}

/// A client of the socket, without a socket.
private final class Client {
    private let outbox: Outbox
    private(set) var reply: SocketReply

    init() throws {
        outbox = Outbox(maxBytes: 1 << 16, waking: try StopRequest())
        reply = SocketReply(to: outbox)
    }

    /// What has arrived since the last time.
    func lines() throws -> [String] {
        var bytes: [UInt8] = []
        outbox.drain { waiting in
            bytes += waiting
            return waiting.count
        }
        try checkSocketLines(bytes)
        return bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The next line, and what came with it.
    func answer() throws -> [String] {
        try eventually("an answer") { outbox.isWaiting }
        return try lines()
    }

    func leave() { outbox.shut() }

    func ask(_ facts: SocketFacts, _ kinds: Set<FactKind>, id: Int64? = nil) {
        facts.obey(
            FactsIntent(follow: kinds), of: reply.client, telling: SocketReplies(reply, id.map { .number($0) }))
    }
}

@Suite(.timeLimit(.usual)) struct SocketFactsTests {
    private let teller = Teller()
    private let client: Client

    init() throws { client = try Client() }

    private static let nobody = #""faces":[],"hands":null,"reactions":[]}"#

    @Test func factsAreToldUntilNoMoreAreWanted() throws {
        let facts = teller.facts
        client.ask(facts, [.faces, .hands], id: 7)
        #expect(try client.answer() == [#"{"event":"following","id":7,"follow":["faces","hands"]}"#])
        #expect(teller.kinds == [[.faces, .hands]])
        teller.tell(1)
        #expect(
            try client.lines() == [#"{"event":"facts","id":7,"frame":"0:1","timeNs":"0","# + Self.nobody])
        // Whoever does not read gets the newest.
        for counter in 2...5 { teller.tell(UInt64(counter)) }
        #expect(
            try client.lines() == [#"{"event":"facts","id":7,"frame":"0:5","timeNs":"0","# + Self.nobody])
        // What has not been sent by then is left out.
        teller.tell(6)
        client.ask(facts, [], id: 8)
        try eventually("the end") { teller.kinds.isEmpty }
        facts.close()
        #expect(try client.lines() == [#"{"event":"following","id":8,"follow":[]}"#])
    }

    @Test func otherKindsTakeThePlaceOfTheFirst() throws {
        let facts = teller.facts
        client.ask(facts, [.faces])
        _ = try client.answer()
        client.ask(facts, [.hands], id: 2)
        #expect(try client.answer() == [#"{"event":"following","id":2,"follow":["hands"]}"#])
        #expect(teller.kinds == [[.hands]])
        teller.tell(1)
        #expect(try client.lines().count == 1)
        facts.close()
        #expect(teller.kinds.isEmpty)
    }

    @Test func eachClientHasItsOwn() throws {
        let facts = teller.facts, other = try Client()
        client.ask(facts, [.faces])
        other.ask(facts, [.hands])
        _ = try client.answer()
        _ = try other.answer()
        #expect(Set(teller.kinds) == [[.faces], [.hands]])
        other.ask(facts, [])
        _ = try other.answer()
        teller.tell(1)
        #expect(try client.lines().count == 1 && other.lines().isEmpty)
        facts.close()
    }

    @Test func aClientThatLeavesIsToldNothingMore() throws {
        let facts = teller.facts
        client.ask(facts, [.faces])
        _ = try client.answer()
        client.leave()
        facts.forget(client.reply)
        try eventually("the end") { teller.kinds.isEmpty }
        // One that left before its turn is not looked for.
        client.ask(facts, [.faces])
        facts.close()
        #expect(teller.kinds.isEmpty)
    }

    @Test func aClientThatIsGoneIsNoticedWithoutAWord() throws {
        let facts = teller.facts
        client.ask(facts, [.faces])
        _ = try client.answer()
        client.leave()
        teller.tell(1)
        #expect(teller.kinds.isEmpty)
        facts.close()
    }

    @Test func whatIsMissingIsSaid() throws {
        let facts = teller.facts
        teller.lack.withLock { $0 = .effects(.nets(.noRuntime(folders: ["/nets"]))) }
        client.ask(facts, [.faces], id: 1)
        let refusal = try client.answer()
        #expect(refusal.count == 1 && refusal[0].hasPrefix(#"{"event":"failed","id":1,"#), "\(refusal)")
        #expect(refusal[0].contains(#""code":"effects-missing""#) && refusal[0].contains("/nets"), "\(refusal)")
        // Once it is there, it can be asked for again.
        teller.lack.withLock { $0 = nil }
        client.ask(facts, [.faces])
        #expect(try client.answer() == [#"{"event":"following","follow":["faces"]}"#])
        facts.close()
    }

    @Test func framesInWhichNobodyCanBeLookedForEndIt() throws {
        let facts = teller.facts
        client.ask(facts, [.faces], id: 1)
        _ = try client.answer()
        teller.tell(1)
        teller.end(.badSettings("people cannot be looked for", hint: "choose another format"))
        let refusal = try client.lines()
        #expect(refusal.count == 1 && refusal[0].contains(#""code":"bad-settings","hint":"choose another format""#))
        client.ask(facts, [.faces])
        #expect(try client.answer() == [#"{"event":"following","follow":["faces"]}"#])
        facts.close()
    }

    /// The end of the session is said by the end of the connection, unless somebody waits for an answer.
    @Test func theEndOfTheSessionEndsIt() throws {
        let facts = teller.facts
        client.ask(facts, [.faces])
        _ = try client.answer()
        teller.end(nil)
        #expect(try client.lines().isEmpty)
        teller.meanwhile.withLock { $0 = { [teller] in teller.end(nil) } }
        client.ask(facts, [.faces])
        let refusal = try client.answer()
        #expect(refusal.count == 1 && refusal[0].contains(#""code":"not-running""#), "\(refusal)")
        facts.close()
    }

    /// Facts that are known before it is said that they are told are left out.
    @Test func theAnswerComesFirst() throws {
        let facts = teller.facts
        teller.meanwhile.withLock { $0 = { [teller] in teller.tell(1) } }
        client.ask(facts, [.faces])
        #expect(try client.answer() == [#"{"event":"following","follow":["faces"]}"#])
        teller.tell(2)
        #expect(try client.lines().count == 1)
        facts.close()
    }

    @Test func requestsThatPileUpAreRefused() throws {
        let facts = teller.facts
        let gate = DispatchSemaphore(value: 0)
        teller.meanwhile.withLock { $0 = { gate.wait() } }
        for _ in 0..<SocketFacts.maxWaiting { client.ask(facts, [.faces]) }
        client.ask(facts, [.faces], id: 9)
        let refusal = try client.answer()
        #expect(refusal.count == 1 && refusal[0].hasPrefix(#"{"event":"failed","id":9,"#), "\(refusal)")
        for _ in 0..<SocketFacts.maxWaiting { gate.signal() }
        var answers = 0
        while answers < SocketFacts.maxWaiting { answers += try client.answer().count }
        #expect(answers == SocketFacts.maxWaiting && teller.kinds.count == 1)
        facts.close()
        // Afterwards, nothing is begun.
        client.ask(facts, [.faces])
        let late = try client.answer()
        #expect(late.count == 1 && late[0].contains(#""code":"not-running""#) && teller.kinds.isEmpty, "\(late)")
    }
}

/// The same in a whole run.
@Suite(.timeLimit(.long)) struct RunningSocketFactsTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private func run(_ arguments: String..., folder: String? = nil) throws -> RunningLivecap {
        let variable = folder.map { "LIVECAP_EFFECTS='\($0)' " } ?? ""
        let program = try RunningLivecap(
            [
                "run", "--synthetic", "tripod", "--size", "64x48", "--format", "YUYV", "--quality", "single", "--json",
                "--socket", files.path("s"), "-o", files.path("out") + "/",
            ] + arguments, shell: "\(variable)exec \"$@\" </dev/null")
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        return program
    }

    /// A program that is connected to the run.
    private final class Connection {
        private let descriptor = lc_unix_socket()
        private var splitter = LineSplitter(maxBytes: 1 << 20)
        private var waiting: [LineSplitter.Line] = []
        /// The events of the lines that came before the last one.
        private(set) var passed: [String?] = []

        init(_ path: String) throws { try #require(lc_unix_connect(descriptor, path) == 0) }

        func send(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            #expect(lc_send(descriptor, bytes, bytes.count) == Int64(bytes.count))
        }

        /// The next line of which this is the event.
        func line(_ event: SocketEvent) throws -> JSON {
            passed = []
            while true {
                while !waiting.isEmpty {
                    guard case .whole(let bytes) = waiting.removeFirst() else { continue }
                    try checkSocketLines(bytes + [10])
                    let json = try #require(JSON(parsing: bytes, depth: 8))
                    if json["event"]?.asString == event.rawValue { return json }
                    passed.append(json["event"]?.asString)
                }
                var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                try #require(poll(&polled, 1, Patience.milliseconds) == 1, "no \(event.rawValue) came")
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor, &bytes, bytes.count)
                try #require(count > 0, "the run has gone")
                waiting += splitter.lines(in: bytes[..<count])
            }
        }

        deinit { close(descriptor) }
    }

    @Test func withoutNetsTheRunGoesOn() throws {
        let folder = files.path("nets")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let program = try run(folder: folder)
        let client = try Connection(files.path("s"))
        client.send(#"{"facts":{"follow":["faces"]},"id":"a"}"#)
        let refusal = try client.line(.failed)
        #expect(refusal["code"]?.asString == "effects-missing" && refusal["id"]?.asString == "a", "\(refusal.text)")
        #expect(refusal["hint"]?.asString?.isEmpty == false)
        client.send(#"{"facts":{"follow":["ears"]}}"#)
        #expect(try client.line(.failed)["code"]?.asString == "bad-request")
        // Nothing has to be there to end what was never begun.
        client.send(#"{"facts":{"follow":[]}}"#)
        #expect(try client.line(.following)["follow"]?.text == "[]")
        client.send(#"{"tap":{}}"#)
        _ = try client.line(.photo)
        program.signal(SIGTERM)
        #expect(program.finish().status == 143)
    }

    @Test(.enabled(if: (try? Nets().open(.hand)) != nil, "'make effects' fetches the nets"))
    func framesAreLookedAtWhileAClientFollows() throws {
        let program = try run()
        let client = try Connection(files.path("s"))
        client.send(#"{"facts":{"follow":["hands"]},"id":1}"#)
        #expect(try client.line(.following)["follow"]?.text == #"["hands"]"#)
        let first = try client.line(.facts), second = try client.line(.facts)
        #expect(first["hands"]?.text == "[]" && first["faces"]?.text == "null" && first["id"]?.text == "1")
        #expect(first["frame"]?.asString != second["frame"]?.asString)
        client.send(#"{"tap":{}}"#)
        _ = try client.line(.photo)
        client.send(#"{"facts":{"follow":[]}}"#)
        _ = try client.line(.following)
        // Whatever was looked at before has come before.
        for _ in 0..<3 {
            client.send(#"{"tap":{}}"#)
            _ = try client.line(.photo)
            #expect(!client.passed.contains("facts"))
        }
        program.signal(SIGTERM)
        let outcome = program.finish()
        #expect(outcome.status == 143)
        // What a client asks for is not printed.
        #expect(!outcome.output.contains(#""facts""#))
    }
}
