// SPDX-License-Identifier: MIT
// The proxy between a client and a server: nothing is lost, late bytes are late, and it breaks off when it is told to.

import Glibc
import LivecapFrames
import LivecapPatience
import LivecapSeededRandom
import LivecapWebGear
import Testing

@Suite struct DelayProxyTests {
    private let listener: TCPListener

    init() throws { listener = try TCPListener() }

    /// A client and the server's end of its connection, through a proxy.
    private func connect(_ proxy: DelayProxy) throws -> (client: TCPConnection, server: TCPConnection) {
        let client = try TCPConnection(port: proxy.port)
        return (client, try listener.accept())
    }

    /// Sends bytes on one side while the other receives them, without a second thread.
    private func pass(_ bytes: [UInt8], from sender: TCPConnection, to receiver: TCPConnection) throws -> [UInt8] {
        var (unsent, received): (ArraySlice<UInt8>, [UInt8]) = (bytes[...], [])
        try eventually("all bytes") {
            while !unsent.isEmpty {
                let count = try sender.sendSome(unsent)
                unsent = unsent.dropFirst(count)
                if count == 0 { break }
            }
            while let more = try receiver.receiveNow(), !more.isEmpty { received += more }
            return received.count == bytes.count
        }
        return received
    }

    @Test(arguments: [DelayLine.Pace(), .init(delay: .milliseconds(30)), .init(capacity: 1000)])
    func allBytesArriveInOrder(_ pace: DelayLine.Pace) throws {
        let proxy = try DelayProxy(to: listener.port, pace: pace)
        defer { proxy.close() }
        let (client, server) = try connect(proxy)
        var random = SeededRandom(seed: 11)
        let bytes = (0..<(pace.capacity < 1 << 20 ? 1 << 18 : 1 << 22)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        #expect(try pass(bytes, from: client, to: server) == bytes)
        #expect(try pass(bytes, from: server, to: client) == bytes)
        #expect(proxy.connections.ever == 1)
        try eventually("the count") {
            proxy.bytesPassed(.toServer) == bytes.count && proxy.bytesPassed(.toClient) == bytes.count
        }
    }

    @Test(arguments: DelayProxy.Direction.allCases) func bytesAreNeverEarly(_ direction: DelayProxy.Direction) throws {
        let proxy = try DelayProxy(to: listener.port)
        defer { proxy.close() }
        proxy.change(direction) { $0.delay = .milliseconds(200) }
        let (client, server) = try connect(proxy)
        let (sender, receiver) = direction == .toServer ? (client, server) : (server, client)
        let sent = Timestamp.now
        try sender.send([1])
        #expect(try receiver.receive() == [1])
        #expect(sent.duration(to: .now) >= .milliseconds(200))
    }

    @Test func aStalledDirectionPassesNothingAndTheOtherGoesOn() throws {
        let proxy = try DelayProxy(to: listener.port)
        defer { proxy.close() }
        let (client, server) = try connect(proxy)
        proxy.stall(.toClient)
        try server.send([1])
        try client.send([2])
        #expect(try server.receive() == [2])
        #expect(try client.receiveNow() == nil)
        proxy.resume(.toClient)
        #expect(try client.receive() == [1])
    }

    @Test func aStalledReceiverIsFeltByTheSender() throws {
        let proxy = try DelayProxy(to: listener.port, pace: .init(capacity: 1 << 16))
        defer { proxy.close() }
        let (client, server) = try connect(proxy)
        proxy.stall(.toClient)
        // What the kernel and the proxy keep is limited, so at some time no more is taken.
        var (isFull, sent) = (false, 0)
        let piece = [UInt8](repeating: 0, count: 1 << 16)
        while !isFull, sent < 256 << 20 {
            let count = try server.sendSome(piece[...])
            (isFull, sent) = (count == 0, sent + count)
        }
        #expect(isFull)
        _ = client
    }

    @Test(arguments: DelayProxy.Direction.allCases) func oneSidesEndIsPassedOn(_ direction: DelayProxy.Direction) throws
    {
        let proxy = try DelayProxy(to: listener.port, eachWay: .milliseconds(20))
        defer { proxy.close() }
        let (client, server) = try connect(proxy)
        let (sender, receiver) = direction == .toServer ? (client, server) : (server, client)
        try sender.send([1, 2])
        sender.finishSending()
        #expect(try receiver.receive() == [1, 2])
        #expect(try receiver.receive() == [])
        // The other half still works.
        try receiver.send([3])
        #expect(try sender.receive() == [3])
    }

    @Test func brokenConnectionsAreResetOnBothSides() throws {
        let proxy = try DelayProxy(to: listener.port)
        defer { proxy.close() }
        let (client, server) = try connect(proxy)
        try proxy.breakAll()
        #expect(throws: WireError.call("read", errno: ECONNRESET)) { try client.receive() }
        #expect(throws: WireError.call("read", errno: ECONNRESET)) { try server.receive() }
        #expect(proxy.connections.now == 0)
        let (again, _) = try connect(proxy)
        try again.send([1])
    }

    @Test func aResetIsPassedOn() throws {
        let proxy = try DelayProxy(to: listener.port)
        defer { proxy.close() }
        let (client, server) = try connect(proxy)
        try client.send([1])
        #expect(try server.receive() == [1])
        client.reset()
        #expect(throws: WireError.call("read", errno: ECONNRESET)) { try server.receive() }
    }

    @Test func aServerThatIsAwayBreaksTheConnection() throws {
        let gone = try TCPListener().port
        let proxy = try DelayProxy(to: gone)
        defer { proxy.close() }
        expectReset(proxy)
    }

    @Test func aRefusingProxyBreaksNewConnectionsOnly() throws {
        let proxy = try DelayProxy(to: listener.port)
        defer { proxy.close() }
        let (old, server) = try connect(proxy)
        proxy.isRefusing = true
        expectReset(proxy)
        try old.send([4])
        #expect(try server.receive() == [4])
    }

    /// Expects that a new connection is broken; it may be while it is still being made.
    private func expectReset(_ proxy: DelayProxy) {
        let fault = #expect(throws: WireError.self) { _ = try TCPConnection(port: proxy.port).receive() }
        let resets = ["connect", "read"].map { WireError.call($0, errno: ECONNRESET) }
        #expect(fault.map { resets.contains($0) } == true, "\(String(describing: fault))")
    }
}
