// SPDX-License-Identifier: MIT
// The socket: clients with all kinds of behaviour, and the replies to them.

import Dispatch
import Glibc
import LivecapFiles
import LivecapFrames
import LivecapPatience
import LivecapThreads
import Synchronization
import Testing

@testable import Shutter

extension Sources {
    @Suite struct SocketShutterTests {
        private let folder: Folder
        private let path: String
        private let requests = Log<SocketRequest>()

        init() throws {
            folder = try Folder()
            path = "\(folder.path)/s"
        }

        /// Answers each request with the number of the requests so far.
        private func answering() throws -> SocketShutter {
            let requests = requests
            return try SocketShutter(path: path) { request, reply in
                guard request.wish != .left else { return }
                requests.add(request)
                reply.send("{\"number\":\(requests.entries.count)}")
            }
        }

        @Test func aLineIsARequestAndIsAnswered() throws {
            let shutter = try answering()
            let client = try SocketProbe(path)
            let before = Timestamp.now
            client.send("{\"tap\":\"now\",\"id\":1}\n")
            #expect(client.line() == "{\"number\":1}")
            let request = try requests.first(1)[0]
            #expect(request.id == .number(1) && request.received >= before && request.received <= .now)
            shutter.close()
        }

        @Test func piecesAndSeveralLinesAtOnceAreLines() throws {
            let shutter = try answering()
            let client = try SocketProbe(path)
            client.send("{\"press\"")
            client.send(":true}\n\r\n{\"release\":true}\r\n{\"readiness\":")
            #expect(client.line() == "{\"number\":1}" && client.line() == "{\"number\":2}")
            client.send("true}\n")
            #expect(client.line() == "{\"number\":3}")
            #expect(requests.entries.map(\.wish) == [.press, .release, .readiness])
            shutter.close()
        }

        @Test func aWrongLineIsExplainedAndTheClientStays() throws {
            let shutter = try answering()
            let client = try SocketProbe(path)
            client.send("click\n" + String(repeating: "x", count: 10_000) + "\n{\"tap\":\"now\"}\n")
            #expect(client.line()?.contains("\"error\"") == true)
            #expect(client.line()?.contains("longer than") == true)
            #expect(client.line() == "{\"number\":1}")
            shutter.close()
        }

        @Test func aHalfClosedClientIsAnsweredToTheEnd() throws {
            let held = Guarded<[SocketReply]>([])
            let shutter = try SocketShutter(path: path) { _, reply in held.withLock { $0.append(reply) } }
            let client = try SocketProbe(path)
            // Without a line end.
            client.send("{\"tap\":\"now\"}")
            client.closeSendingHalf()
            try eventually("the request") { held.withLock { !$0.isEmpty } }
            for number in 1...2 {
                held.withLock { $0[0].send("\(number)") }
                #expect(client.line() == "\(number)")
            }
            held.withLock { $0 = [] }
            #expect(client.line() == nil)
            shutter.close()
        }

        @Test func whatAClientAskedForThatLeftAtOnceCounts() throws {
            let shutter = try answering()
            do {
                let client = try SocketProbe(path)
                client.send(String(repeating: "{\"tap\":\"now\"}\n", count: 1000))
            }
            #expect(try requests.first(1000).count == 1000)
            shutter.close()
        }

        /// The client leaves before the first reply is written, while its other lines have not been read.
        @Test func whatAClientAskedForCountsWhenItsAnswersCannotBeSent() throws {
            let (requests, hasLeft) = (requests, DispatchSemaphore(value: 0))
            let shutter = try SocketShutter(path: path) { request, reply in
                guard request.wish != .left else { return }
                requests.add(request)
                if requests.entries.count == 1 { hasLeft.wait() }
                reply.send("{}")
            }
            do {
                let client = try SocketProbe(path)
                client.send("{\"tap\":\"now\"}\n")
                _ = try requests.first(1)
                client.send("{\"tap\":\"now\"}\n{\"tap\":\"now\"}\n")
            }
            hasLeft.signal()
            #expect(try requests.first(3).count == 3)
            shutter.close()
        }

        @Test func aClientThatTappedIsReportedWhenItLeaves() throws {
            let requests = requests
            let shutter = try SocketShutter(path: path) { request, _ in requests.add(request) }
            do {
                let client = try SocketProbe(path)
                client.send("{\"tap\":\"now\"}\n")
                _ = try requests.first(1)
            }
            #expect(try requests.first(2)[1].wish == .left)
            shutter.close()
        }

        @Test func aClientThatAskedForFactsIsReportedWhenItLeaves() throws {
            let requests = requests
            let shutter = try SocketShutter(path: path) { request, _ in requests.add(request) }
            do {
                let client = try SocketProbe(path)
                client.send("{\"facts\":{\"follow\":[\"faces\"]}}\n")
                _ = try requests.first(1)
            }
            #expect(try requests.first(2).map(\.wish) == [.facts(FactsIntent(follow: [.faces])), .left])
            shutter.close()
        }

        @Test func aClientThatLeavesLetsGoOfTheButton() throws {
            let shutter = try answering()
            do {
                let client = try SocketProbe(path)
                client.send("{\"press\":true}\n")
                _ = client.line()
            }
            #expect(try requests.first(2).map(\.wish) == [.press, .release])
            shutter.close()
        }

        @Test func answersToAClientThatHasLeftGoNowhere() throws {
            let held = Guarded<[SocketReply]>([])
            let shutter = try SocketShutter(path: path) { _, reply in held.withLock { $0.append(reply) } }
            do { try SocketProbe(path).send("{\"tap\":\"now\"}\n") }
            try eventually("the request") { held.withLock { !$0.isEmpty } }
            let reply = held.withLock { $0[0] }
            try eventually("its leaving") { !reply.isConnected }
            reply.send("late")
            shutter.close()
            reply.send("later")
        }

        /// More than the kernel buffers, so that the end of it is still unsent when the shutter is closed.
        @Test func whatAClientWasToldBeforeTheEndReachesIt() throws {
            let words = String(repeating: "x", count: 200_000)
            let shutter = try SocketShutter(path: path) { _, reply in
                reply.send(words)
                reply.send("last")
            }
            let client = try SocketProbe(path)
            client.send("{\"tap\":\"now\"}\n")
            try eventually("an answer") { client.hasUnread }
            let closing = try! SystemThread(name: "close") { shutter.close() }
            #expect(client.line() == words && client.line() == "last" && client.line() == nil)
            closing.join()
        }

        @Test func unreadRepliesDoNotBlockClose() throws {
            let shutter = try SocketShutter(path: path) { _, reply in
                reply.send(String(repeating: "x", count: 250_000))
            }
            let client = try SocketProbe(path)
            client.send("{\"tap\":\"now\"}\n")
            try eventually("an answer") { client.hasUnread }
            shutter.close()
            withExtendedLifetime(client) {}
        }

        @Test func aClientThatDoesNotReadIsDropped() throws {
            let held = Guarded<[SocketReply]>([])
            let shutter = try SocketShutter(path: path) { request, reply in
                if request.wish != .left { held.withLock { $0.append(reply) } }
            }
            let client = try SocketProbe(path)
            client.send("{\"tap\":\"now\"}\n")
            try eventually("the request") { held.withLock { !$0.isEmpty } }
            let reply = held.withLock { $0[0] }
            let line = String(repeating: "x", count: 60_000)
            try eventually("its end") {
                reply.send(line)
                return !reply.isConnected
            }
            // Other clients are still served.
            let other = try SocketProbe(path)
            other.send("{\"readiness\":true}\n")
            try eventually("the other's request") { held.withLock { $0.count == 2 } }
            held.withLock { $0[1].send("here") }
            #expect(other.line() == "here")
            shutter.close()
        }

        @Test func clientsBeyondTheLimitAreRefused() throws {
            let shutter = try answering()
            let clients = try (0..<SocketShutter.maxClients).map { _ in try SocketProbe(path) }
            for client in clients {
                client.send("{\"readiness\":true}\n")
                #expect(client.line() != nil)
            }
            let other = try SocketProbe(path)
            #expect(other.line()?.contains("\"refused\"") == true && other.line() == nil)
            // Without this, Swift may release the clients, which disconnects them, before the last one
            // connects.
            withExtendedLifetime(clients) {}
            shutter.close()
        }

        @Test func closingEndsEveryClientAndTakesTheSocketAway() throws {
            let shutter = try answering()
            let client = try SocketProbe(path)
            client.send("{\"tap\":\"now\"}\n")
            _ = client.line()
            shutter.close()
            #expect(client.line() == nil && access(path, F_OK) < 0)
        }

        @Test func aHandlerMayCloseIt() throws {
            let made = Guarded<SocketShutter?>(nil)
            let closed = Log<Bool>()
            let shutter = try SocketShutter(path: path) { request, _ in
                guard request.wish != .left else { return }
                made.withLock { $0 }?.close()
                closed.add(true)
            }
            made.withLock { $0 = shutter }
            let client = try SocketProbe(path)
            client.send("{\"tap\":\"now\"}\n{\"tap\":\"now\"}\n")
            #expect(client.line() == nil)
            made.withLock { $0 = nil }
            shutter.close()
            #expect(closed.entries.count == 1)
        }

        @Test func onlyTheUserAndRootMayAsk() {
            #expect(SocketLoop.isWelcome(1000, ofUser: 1000) && SocketLoop.isWelcome(0, ofUser: 1000))
            #expect(!SocketLoop.isWelcome(1001, ofUser: 1000) && !SocketLoop.isWelcome(1001, ofUser: 0))
        }
    }
}
