// SPDX-License-Identifier: MIT
// A client of HTTP/1.1 that sends any bytes and reads answers strictly.

/// A connection to a server on this machine. Several exchanges may follow each other on it.
package final class HTTPConnection {
    /// The socket, for what is not HTTP.
    package let socket: TCPConnection
    private let host: String
    private var input: ByteInput

    /// Connects to a server.
    /// - Throws: `WireError`.
    package init(port: UInt16) throws {
        socket = try TCPConnection(port: port)
        host = "127.0.0.1:\(port)"
        input = ByteInput(socket)
    }

    /// Sends bytes as they are.
    /// - Throws: `WireError`.
    package func send(_ bytes: [UInt8]) throws { try socket.send(bytes) }

    /// Sends text as it is.
    /// - Throws: `WireError`.
    package func send(_ text: String) throws { try socket.send(Array(text.utf8)) }

    /// Sends a request.
    /// - Throws: `WireError`.
    package func send(_ request: HTTPRequest) throws { try socket.send(request.bytes(host: host)) }

    /// Reads the head of the next answer that is not an interim one.
    /// - Throws: `WireError`; `ended` if the server closed the connection instead.
    package func readHead() throws -> HTTPHead {
        while true {
            var lines: [String] = []
            while true {
                guard let line = try input.line("a status line") else { throw WireError.ended("an answer") }
                if line.isEmpty { break }
                lines.append(line)
            }
            let head = try HTTPHead(lines)
            if head.status >= 200 { return head }
        }
    }

    /// The body that follows a head. Read it to its end before the next exchange.
    /// - Throws: `WireError.malformed` if the head does not say how long it is in a way that can be understood.
    package func body(after head: HTTPHead, of method: String = "GET") throws -> HTTPBody {
        HTTPBody(input, try HTTPBody.Framing(head, of: method))
    }

    /// Reads the next answer and its whole body.
    /// - Throws: `WireError`.
    package func readAnswer(to method: String = "GET") throws -> HTTPAnswer {
        let head = try readHead()
        let body = try body(after: head, of: method)
        var bytes: [UInt8] = []
        while let piece = try body.piece() { bytes += piece }
        return HTTPAnswer(head: head, body: bytes)
    }

    /// Sends a request and reads its whole answer.
    /// - Throws: `WireError`.
    package func exchange(_ request: HTTPRequest) throws -> HTTPAnswer {
        try send(request)
        return try readAnswer(to: request.method)
    }

    /// Waits until the server closes the connection, and returns what it sent before that.
    /// - Throws: `WireError`; a reset counts as an end.
    package func readToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            while let piece = try input.some("the end of the connection") { bytes += piece }
        } catch WireError.call("read", errno: 104) {}
        return bytes
    }

    /// Sends a request on a connection of its own and reads its whole answer.
    /// - Throws: `WireError`.
    package static func exchange(port: UInt16, _ request: HTTPRequest) throws -> HTTPAnswer {
        let connection = try HTTPConnection(port: port)
        return try connection.exchange(request)
    }

    /// Gets a target on a connection of its own.
    /// - Throws: `WireError`.
    package static func get(port: UInt16, _ target: String) throws -> HTTPAnswer {
        try exchange(port: port, HTTPRequest("GET", target))
    }
}
