// SPDX-License-Identifier: MIT
// Heads that two programs could read in two ways: no handler hears of them, and their connections are closed.

import Glibc
import LivecapHTTP
import LivecapThreads
import LivecapWebGear
import Testing

@Suite struct HostileHeadTests {
    /// The paths that a server was asked for.
    private final class Heard: Sendable {
        private let state = Guarded<[String]>([])
        var paths: [String] { state.withLock { $0 } }
        func add(_ path: String) { state.withLock { $0.append(path) } }
    }

    /// A server that keeps the paths it was asked for, and answers each with 200.
    private final class Echo {
        let port: UInt16
        let heard = Heard()
        private let server: HTTPServer

        init() throws {
            guard let address = HTTPAddress("127.0.0.1:0") else { throw WireError.malformed("address") }
            let socket = try address.listen()
            port = HTTPAddress(of: socket)?.port ?? 0
            let heard = heard
            server = try HTTPServer(at: socket) { request, reply in
                heard.add(request.path)
                reply.send(HTTPResponse(type: "text/plain", .bytes(request.body)))
            }
        }
    }

    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

    static let ambiguous = [
        // Two ends of a body.
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 44\r\nContent-Length: 0\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\ncontent-length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0, 44\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +0\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x2c\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{0B}chunked\r\n\r\n0\r\n\r\n" + smuggled,
        "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled,
        // NULs.
        "GET / HTTP/1.1\r\nHost: a\0.evil.example\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\0\r\nX: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX:\0b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX\0Y: b\r\n\r\n",
        "GET /\0/b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /?a\0b HTTP/1.1\r\nHost: a\r\n\r\n", "GET\0X / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\0\r\nHost: a\r\n\r\n", "GET / HTTP/1.0\r\nX: b\0\0\0\0\r\n\r\n",
        // Lines that do not end in CR LF.
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\rEvil: c\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
        "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\rHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n", "GET / HTTP/1.1\r\nHost: a\r\nX: b\n\0Y: c\r\n\r\n",
        // Folded lines, and names with spaces.
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n",
        // Other control characters, and a method that is none.
        "GET / HTTP/1.1\r\nHost: a\r\nX: \u{1B}[2J\r\n\r\n", "GET /\u{1F}\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n",
        "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
        // Headers that decide who may ask.
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nOrigin: http://b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Site: none\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=b\r\nCookie: c=d\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nLivecap-Proof: a\r\nLivecap-Proof: b\r\n\r\n",
    ]

    @Test("A head that can be read in two ways is refused") func ambiguousHeads() throws {
        for text in Self.ambiguous {
            let echo = try Echo()
            let connection = try HTTPConnection(port: echo.port)
            try connection.send(text)
            // The rest that some of them announce never comes.
            connection.socket.finishSending()
            let answer = String(decoding: try connection.readToEnd(), as: UTF8.self)
            let shown = "\(text.debugDescription): \(answer.prefix(80))"
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400"), "\(shown)")
            // libmicrohttpd 0.9.75 writes the head of its own refusals twice.
            #expect(answer.ranges(of: "HTTP/1.1").count == answer.ranges(of: "HTTP/1.1 400").count, "\(shown)")
            #expect(echo.heard.paths.isEmpty, "\(shown)")
        }
    }

    static let plain = [
        "GET /a%20b?x=1&y=%41%00 HTTP/1.1\r\nHost:localhost:8080\r\nX: \t padded\r\nEmpty:\r\nX: again\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nAccept: a\r\nAccept: b\r\nX: \u{E9}\r\nCookie: a=b; c=d\r\nY: d\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "b", count: 11_000))\r\nY: c\r\n\r\n",
        "GET /\(String(repeating: "c", count: 9000))?d=e&f=g HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    @Test("A plain head is answered, in whatever pieces it comes") func plainHeads() throws {
        let echo = try Echo()
        for text in Self.plain {
            let bytes = Array(text.utf8)
            for size in [bytes.count, bytes.count / 2 + 1, 1] where bytes.count / size < 200 {
                let connection = try HTTPConnection(port: echo.port)
                for start in stride(from: 0, to: bytes.count, by: size) {
                    try connection.send(Array(bytes[start..<min(start + size, bytes.count)]))
                }
                #expect(try connection.readAnswer().status == 200, "\(text.prefix(100).debugDescription)")
            }
        }
    }

    /// The library takes an LF alone for the end of a chunk's line, which a server in front may not.
    @Test("A body in chunks is refused, and what follows it not read") func chunks() throws {
        for end in ["\r\n", "\n"] {
            let echo = try Echo()
            let connection = try HTTPConnection(port: echo.port)
            let chunks = ["3", "abc", "0", ""].map { $0 + end }.joined()
            try connection.send(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)\(Self.smuggled)")
            connection.socket.finishSending()
            #expect(try connection.readAnswer().status == 411)
            #expect(try connection.readToEnd().isEmpty)
            #expect(echo.heard.paths.isEmpty)
        }
    }

    @Test("Requests that follow each other on a connection are each checked") func oneAfterAnother() throws {
        let echo = try Echo()
        let connection = try HTTPConnection(port: echo.port)
        let plain = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        try connection.send(plain + plain + "GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n" + plain)
        #expect(try connection.readAnswer().text == "abc")
        #expect(try connection.readAnswer().text == "abc")
        #expect(try connection.readAnswer().status == 400)
        #expect(try connection.readToEnd().isEmpty)
        #expect(echo.heard.paths.count == 2)
    }
}
