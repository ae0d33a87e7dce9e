// SPDX-License-Identifier: MIT
// One connection through the proxy: a socket on each side, and a line in each direction.

import Glibc
import LivecapFrames

/// A client's connection and the one to the server that belongs to it. Used by the proxy's thread.
final class ProxyLink {
    private var toServer: Lane
    private var toClient: Lane
    private let client: TCPConnection
    private let server: TCPConnection
    private var isBroken = false

    init(client: TCPConnection, server: TCPConnection) {
        (self.client, self.server) = (client, server)
        (toServer, toClient) = (Lane(from: client, to: server), Lane(from: server, to: client))
    }

    /// Whether there is nothing more to pass.
    var isDone: Bool { isBroken || (toServer.isDone && toClient.isDone) }

    /// When the next bytes are due; nil if there are none, or if their receiver takes none.
    var nextDue: Timestamp? {
        [toServer, toClient].compactMap { $0.unsent.isEmpty ? $0.line.nextDue : nil }.min()
    }

    /// What to poll.
    var polled: [pollfd] {
        [(client, toServer, toClient), (server, toClient, toServer)].compactMap { socket, away, back in
            let events = (away.isReading ? POLLIN : 0) | (back.isSending ? POLLOUT : 0)
            // Hang-ups are reported even if nobody asks, so a socket that has nothing to do is left out.
            return events == 0 ? nil : pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
        }
    }

    /// Reads what has come, and sends what is due.
    func step(_ state: ProxyBoard.State) {
        (toServer.line.pace, toClient.line.pace) = (state.toServer, state.toClient)
        let goesOn = toServer.step() && toClient.step()
        if !goesOn { breakOff() }
    }

    /// Breaks both sides off.
    func breakOff() {
        client.reset()
        server.reset()
        isBroken = true
    }

    /// How many bytes have left since the last call.
    func takePassed() -> (toServer: Int, toClient: Int) {
        defer { (toServer.passed, toClient.passed) = (0, 0) }
        return (toServer.passed, toClient.passed)
    }
}

/// One direction of a link.
private struct Lane {
    private let source: TCPConnection
    private let target: TCPConnection
    var line = DelayLine(DelayLine.Pace())
    /// Bytes that are due and that the receiver has not taken yet.
    var unsent: ArraySlice<UInt8> = []
    /// How many bytes have left since somebody asked.
    var passed = 0
    private var hasRead = false
    private(set) var isDone = false

    init(from source: TCPConnection, to target: TCPConnection) { (self.source, self.target) = (source, target) }

    /// Whether the sender's bytes are read: not after its last, nor while too many are on the way.
    var isReading: Bool { !hasRead && line.isTaking }

    /// Whether bytes wait for their receiver to take them.
    var isSending: Bool { !unsent.isEmpty && !line.pace.isStalled }

    /// Returns false once the connection is to be broken off.
    mutating func step() -> Bool {
        while isReading {
            do {
                guard let bytes = try source.receiveNow() else { break }
                hasRead = bytes.isEmpty
                line.put(bytes.isEmpty ? .end : .bytes(bytes), at: .now)
            } catch {
                // ENOTCONN: the connection to the server is not established yet.
                if case WireError.call(_, errno: ENOTCONN) = error { break }
                hasRead = true
                line.put(.reset, at: .now)
            }
        }
        return send()
    }

    private mutating func send() -> Bool {
        let now = Timestamp.now
        while true {
            if !unsent.isEmpty {
                guard !line.pace.isStalled else { return true }
                // A connection that is not established yet takes nothing: EAGAIN.
                guard let count = try? target.sendSome(unsent) else { return false }
                unsent = unsent.dropFirst(count)
                passed += count
                if !unsent.isEmpty { return true }
            }
            switch line.take(at: now) {
            case .bytes(let bytes): unsent = bytes[...]
            case .end:
                target.finishSending()
                isDone = true
            case .reset: return false
            case nil: return true
            }
        }
    }
}
