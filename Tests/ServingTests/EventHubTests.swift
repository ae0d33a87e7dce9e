// SPDX-License-Identifier: MIT
// What listeners are told.

import LivecapIntents
import Testing

@testable import LivecapHTTP
@testable import LivecapServing

@Suite struct EventHubTests {
    /// A listener's bytes so far.
    private func take(_ response: HTTPResponse, blocks: Int = 4096) throws -> String {
        guard case .stream(let stream) = response.content else { throw NoStream() }
        var (taken, block) = ([UInt8](), [UInt8](repeating: 0, count: blocks))
        while case .bytes(let count) = block.withUnsafeMutableBytes({ stream.read(into: $0) }) {
            taken += block[..<count]
        }
        return String(decoding: taken, as: UTF8.self)
    }

    private struct NoStream: Error {}

    @Test func thePresentComesFirstAndThenWhatHappens() throws {
        let hub = EventHub()
        hub.tell("old", 0)
        let listener = hub.response(after: nil) { [("status", "now")] }
        #expect(try take(listener) == "event: status\ndata: \"now\"\n\n")
        hub.tell("a", 1)
        hub.tell("b", .object([("line", "1\n2")]))
        #expect(
            try take(listener, blocks: 5)
                == "id: 2\nevent: a\ndata: 1\n\nid: 3\nevent: b\ndata: {\"line\":\"1\\n2\"}\n\n")
        #expect(try take(listener).isEmpty)
    }

    @Test func anEventDuringTheSnapshotIsNotLost() throws {
        let hub = EventHub()
        hub.tell("readiness", "starting")
        let listener = hub.response(after: nil) {
            // The state changes after the snapshot read it and before the listener is registered.
            defer { hub.tell("readiness", "ready") }
            return [("readiness", "not yet")]
        }
        #expect(
            try take(listener)
                == "event: readiness\ndata: \"not yet\"\n\nid: 2\nevent: readiness\ndata: \"ready\"\n\n")
    }

    @Test func aListenerThatComesBackGetsWhatItHasMissed() throws {
        let hub = EventHub()
        for number in 1...4 { hub.tell("n", JSON(number)) }
        let text = try take(hub.response(after: 2) { [] })
        #expect(text == "id: 3\nevent: n\ndata: 3\n\nid: 4\nevent: n\ndata: 4\n\n")
    }

    @Test func aNumberOfAnotherServerMeansNothing() throws {
        let hub = EventHub()
        hub.tell("n", 1)
        #expect(try take(hub.response(after: 77) { [] }).isEmpty)
    }

    @Test func memoryOfEventsHasALimit() throws {
        let hub = EventHub()
        for number in 1...1000 { hub.tell("n", JSON(number)) }
        let text = try take(hub.response(after: 0) { [] })
        #expect(text.split(separator: "\n\n").count == 256 && text.hasPrefix("id: 745\n"))
    }

    @Test func aBeatIsAComment() throws {
        let hub = EventHub()
        let listener = hub.response(after: nil) { [] }
        hub.beat()
        #expect(try take(listener) == ":\n\n")
        #expect(try take(listener).isEmpty)
    }

    @Test func aListenerThatLeavesIsForgotten() throws {
        let hub = EventHub()
        let responses = (0..<3).map { _ in hub.response(after: nil) { [] } }
        #expect(hub.listenerCount == 3)
        guard case .stream(let stream) = responses[1].content else { throw NoStream() }
        stream.finish()
        #expect(hub.listenerCount == 2)
    }

    @Test func thereIsALimitOfListeners() {
        let hub = EventHub()
        let responses = (0..<EventHub.maxListeners).map { _ in hub.response(after: nil) { [] } }
        #expect(responses.allSatisfy { $0.status == 200 })
        #expect(hub.response(after: nil) { [] }.status == 503)
    }
}
