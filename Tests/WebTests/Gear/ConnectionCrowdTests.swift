// SPDX-License-Identifier: MIT
// A thousand connections at once: each is seen to open, to be served, to be refused, and to be left alone.

import Glibc
import LivecapWebGear
import Testing

@Suite(.serialized) struct ConnectionCrowdTests {
    @Test func aThousandAreServedAtOnce() throws {
        let listener = try TCPListener()
        let crowd = try ConnectionCrowd(1000, port: listener.port)
        crowd.send([UInt8(ascii: "?")])
        var served: [TCPConnection] = []
        try crowd.run(until: "all connections") { crowd in
            while let next = try? listener.accept(within: .zero) { served.append(next) }
            return served.count == 1000 && crowd.count(.open) == 1000
        }
        for connection in served {
            #expect(try connection.receive() == [UInt8(ascii: "?")])
            try connection.send([1, 2, 3])
        }
        for connection in served[..<300] { connection.close() }
        try crowd.run(until: "their answers") { crowd in
            crowd.members.allSatisfy { $0.received == [1, 2, 3] } && crowd.count(.ended) == 300
        }
        #expect(crowd.count(.open) == 700)
        crowd.reset()
        #expect(throws: WireError.call("read", errno: ECONNRESET)) { try served[999].receive() }
    }

    @Test func refusalsAreCounted() throws {
        let gone = try TCPListener().port
        let crowd = try ConnectionCrowd(10, port: gone)
        try crowd.run(until: "refusals") { $0.count(.failed(errno: ECONNREFUSED)) == 10 }
    }

    @Test func onlyTheFirstBytesAreKept() throws {
        let listener = try TCPListener()
        let crowd = try ConnectionCrowd(1, port: listener.port, keeping: 10)
        let server = try listener.accept()
        try server.send([UInt8](repeating: 5, count: 1000))
        try crowd.run(until: "bytes") { $0.members[0].receivedCount == 1000 }
        #expect(crowd.members[0].received.count == 10)
    }

    @Test func aMemberThatReadsNothingFillsItsSender() throws {
        let listener = try TCPListener()
        let crowd = try ConnectionCrowd(1, port: listener.port, receiveBuffer: 1 << 17)
        crowd.members[0].isReading = false
        let server = try listener.accept()
        var (isFull, sent) = (false, 0)
        try crowd.run(until: "a full connection") { _ in
            let count = (try? server.sendSome([UInt8](repeating: 0, count: 1 << 16)[...])) ?? 0
            (isFull, sent) = (count == 0, sent + count)
            return isFull || sent > 256 << 20
        }
        #expect(isFull && crowd.members[0].receivedCount == 0)
        crowd.members[0].isReading = true
        try crowd.run(until: "all bytes") { $0.members[0].receivedCount == sent }
        server.close()
    }
}
