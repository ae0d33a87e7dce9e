// SPDX-License-Identifier: MIT
// Listeners at a served scene: one microphone and one encoder for all, open only while they are needed.

import Glibc
import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapSound
import LivecapThreads
import LivecapWebGear
import Testing

@testable import LivecapServing

/// Microphones that count how often they are opened, and how many are open.
private final class CountedMicrophones: SoundDirectory {
    private struct State {
        var isBusy = false
        var isGone = false
        var opened = 0
        var open = 0
    }

    private let state = Guarded(State())

    var opened: Int { state.withLock { $0.opened } }
    var open: Int { state.withLock { $0.open } }
    var isBusy: Bool {
        get { state.withLock { $0.isBusy } }
        set { state.withLock { $0.isBusy = newValue } }
    }
    var isGone: Bool {
        get { state.withLock { $0.isGone } }
        set { state.withLock { $0.isGone = newValue } }
    }

    func microphones() -> [Microphone] { isGone ? [] : [Microphone(id: "desk", name: "Desk", card: "desk")] }

    func open(_ microphone: Microphone) throws(SoundError) -> any SoundSource {
        if isBusy { throw .busy("Desk", user: "another program") }
        state.withLock { state in
            state.opened += 1
            state.open += 1
        }
        return Source(self)
    }

    private final class Source: SoundSource {
        let format = SoundFormat(rate: 48_000, channels: 1)
        private let inner = SyntheticMicrophone()
        private let directory: CountedMicrophones

        init(_ directory: CountedMicrophones) { self.directory = directory }
        deinit { directory.state.withLock { $0.open -= 1 } }

        func start() { inner.start() }

        func read(into samples: UnsafeMutableBufferPointer<Float>, until deadline: Timestamp) -> SoundEvent {
            directory.isGone ? .gone(.disconnected("Desk")) : inner.read(into: samples, until: deadline)
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60)))
struct SoundFeedTests {
    private let microphones = CountedMicrophones()

    /// Runs a test with a scene whose microphone can be heard, also in movies.
    private func withSound(
        token: String? = nil, changed: @escaping @Sendable (Bool) -> Void = { _ in },
        _ body: (ServedScene) async throws -> Void
    ) async throws {
        let sound = PageSound.microphone(PageMicrophone(.automatic, in: microphones))
        try await withServedScene(token: token) { settings in
            settings.sound = sound
            settings.soundChanged = changed
            settings.movies?.sound = sound
        } _: { scene in
            try await body(scene)
        }
    }

    private func sound(_ scene: ServedScene) throws -> JSON {
        try #require(try HTTPConnection.get(port: scene.port, "/status").json?["sound"])
    }

    @Test func nothingIsHeardUnlessItIsOffered() async throws {
        try await withServedScene { scene in
            let answer = try HTTPConnection.get(port: scene.port, "/sound")
            #expect(answer.status == 404 && answer.json?["code"]?.string == "no-sound")
            let status = try sound(scene)
            #expect(status["offered"]?.bool == false && status["listeners"]?.integer == 0)
        }
    }

    @Test func whoHasNoTokenHearsNothing() async throws {
        try await withSound(token: "0123456789abcdef") { scene in
            #expect(try HTTPConnection.get(port: scene.port, "/sound").status == 401)
            let header = (name: "Authorization", value: "Bearer 0123456789abcdef")
            let foreign = HTTPRequest("GET", "/sound", fields: [header, ("Origin", "http://evil.example")])
            #expect(try HTTPConnection.exchange(port: scene.port, foreign).status == 403)
            #expect(microphones.opened == 0)
            let records = try SoundRecords(port: scene.port, HTTPRequest("GET", "/sound", fields: [header]))
            _ = try records.next()
            #expect(microphones.opened == 1)
        }
    }

    @Test func allListenersHaveOneMicrophoneAndOneEncoder() async throws {
        let changes = Guarded<[Bool]>([])
        try await withSound(changed: { isHeard in changes.withLock { $0.append(isHeard) } }) { scene in
            #expect(try sound(scene)["offered"]?.bool == true && microphones.opened == 0)
            var first: SoundRecords? = try SoundRecords(port: scene.port)
            for _ in 0..<5 { _ = try first?.next() }
            var second: SoundRecords? = try SoundRecords(port: scene.port)
            var one = try #require(try first?.next())
            var other = try #require(try second?.next())
            while one.number != other.number {
                if one.number < other.number {
                    one = try #require(try first?.next())
                } else {
                    other = try #require(try second?.next())
                }
            }
            #expect(one == other)
            let status = try sound(scene)
            #expect(status["listeners"]?.integer == 2 && status["microphone"]?.string == "Desk")
            #expect(microphones.opened == 1 && microphones.open == 1)
            first = nil
            try eventually("one listener") { scene.viewfinder.hearerCount == 1 }
            #expect(microphones.open == 1)
            second = nil
            try eventually("a microphone that is closed") { microphones.open == 0 }
            try eventually("word of it") { changes.withLock { $0 } == [true, false] }
            #expect(try sound(scene)["listeners"]?.integer == 0)
            // Whoever comes later has it opened anew.
            _ = try SoundRecords(port: scene.port).next()
            #expect(microphones.opened == 2)
        }
    }

    @Test func aMovieAndListenersShareTheMicrophone() async throws {
        try await withSound { scene in
            var records: SoundRecords? = try SoundRecords(port: scene.port)
            _ = try records?.next()
            func change(_ action: String) throws -> JSON? {
                let body = Array(#"{"do":"\#(action)"}"#.utf8)
                let request = HTTPRequest("POST", "/movies", fields: [scene.proof], body: body)
                return try HTTPConnection.exchange(port: scene.port, request).json
            }
            #expect(try change("start")?["sound"]?.string == "Desk")
            #expect(microphones.opened == 1)
            records = nil
            try eventually("no listener") { scene.viewfinder.hearerCount == 0 }
            #expect(microphones.open == 1)
            _ = try change("stop")
            try eventually("a microphone that is closed") { microphones.open == 0 }
            #expect(microphones.opened == 1)
        }
    }

    @Test func aMicrophoneThatIsLostComesBack() async throws {
        try await withSound { scene in
            let records = try SoundRecords(port: scene.port)
            var last = try records.next()
            microphones.isGone = true
            try eventually("no microphone") { try sound(scene)["microphone"]?.string == nil }
            microphones.isGone = false
            try eventually("a microphone") { try sound(scene)["microphone"]?.string == "Desk" }
            // The stream went on, without a hole but for what a busy machine was too slow for.
            for _ in 0..<5 {
                let next = try records.next()
                let packets = Int64(next.number) - Int64(last.number)
                #expect(packets > 0 && abs((next.time - last.time).nanoseconds - packets * 20_000_000) <= packets)
                last = next
            }
            #expect(microphones.opened == 2)
        }
    }

    @Test func aMicrophoneInUseIsRefusedInWords() async throws {
        microphones.isBusy = true
        try await withSound { scene in
            let answer = try HTTPConnection.get(port: scene.port, "/sound")
            #expect(answer.status == 409 && answer.json?["code"]?.string == "microphone-busy")
            #expect(answer.json?["hint"]?.string?.isEmpty == false)
            microphones.isBusy = false
            _ = try SoundRecords(port: scene.port).next()
        }
    }

    /// Of a listener that takes nothing, others notice nothing.
    @Test func listenersThatTakeNothingDelayNobody() async throws {
        try await withSound { scene in
            let crowd = try ConnectionCrowd(20, port: scene.port, receiveBuffer: 4096)
            for index in crowd.members.indices { crowd.members[index].isReading = false }
            crowd.send(Array("GET /sound HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            try crowd.run(until: "twenty listeners") { _ in scene.viewfinder.hearerCount == 20 }
            let records = try SoundRecords(port: scene.port)
            var last = try records.next().number
            for _ in 0..<40 {
                let number = try records.next().number
                #expect(number > last)
                last = number
            }
            #expect(scene.viewfinder.hearerCount == 21 && microphones.opened == 1)
        }
    }
}
