// SPDX-License-Identifier: MIT
// The client reads what servers send, however it is framed and cut, and refuses what is wrong.

import Glibc
import LivecapIntents
import LivecapWebGear
import Testing

@Suite struct HTTPClientTests {
    private let listener: TCPListener

    init() throws { listener = try TCPListener() }

    /// A client, and a server that has received its request.
    private func asked(_ target: String = "/") throws -> (
        client: HTTPConnection, server: TCPConnection, request: String
    ) {
        let client = try HTTPConnection(port: listener.port)
        try client.send(HTTPRequest("GET", target))
        let server = try listener.accept()
        return (client, server, String(decoding: try server.receive(), as: UTF8.self))
    }

    /// The answer that a client reads from a server's bytes, which come one by one if `isSlow`.
    private func answer(_ text: String, isSlow: Bool = false) throws -> HTTPAnswer {
        let (client, server, _) = try asked()
        if isSlow {
            for byte in text.utf8 { try server.send([byte]) }
        } else {
            try server.send(Array(text.utf8))
        }
        server.close()
        return try client.readAnswer()
    }

    @Test func aRequestHasWhatWasAskedFor() throws {
        let (_, _, request) = try asked("/a?b=c")
        #expect(request == "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n")
        let posted = HTTPRequest("POST", "/x", fields: [("host", "evil")], json: .object([("a", 1)]))
        #expect(
            String(decoding: posted.bytes(host: "h"), as: UTF8.self)
                == "POST /x HTTP/1.1\r\nhost: evil\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
        )
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nX-A: 1\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nT: u\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 5\r\n\r\nhello",
    ]) func bodiesOfEveryFramingAreRead(_ text: String) throws {
        for isSlow in [false, true] {
            let answer = try answer(text, isSlow: isSlow)
            #expect(answer.status == 200 && answer.text == "hello" && answer["x-a"] == "1")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "nonsense\r\n\r\n",
        "",
    ]) func brokenAnswersAreRefused(_ text: String) throws {
        #expect(throws: WireError.self) { try answer(text) }
    }

    @Test func answersFollowEachOther() throws {
        let (client, server, _) = try asked()
        try server.send(
            Array("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n[1]\nHTTP/1.1".utf8))
        #expect(try client.readAnswer().status == 204)
        #expect(try client.readAnswer().json?.elements.first?.integer == 1)
    }

    @Test func aServersEndIsSeen() throws {
        let (client, server, _) = try asked()
        try server.send([1, 2, 3])
        server.close()
        #expect(try client.readToEnd() == [1, 2, 3])
    }

    @Test func aServerThatSaysNothingTimesOut() throws {
        let (client, server, _) = try asked()
        client.socket.patience = .milliseconds(20)
        #expect(throws: WireError.timedOut("a status line")) { try client.readAnswer() }
        server.close()
    }

    /// A client that has asked for a stream, and was sent a head and some bytes of it.
    private func streaming(_ type: String, _ bytes: [UInt8]) throws -> HTTPConnection {
        let (client, server, _) = try asked()
        try server.send(Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n".utf8) + bytes)
        server.close()
        return client
    }

    @Test func eventsAreReadAsBrowsersDo() throws {
        let text = """
            : a comment

            event: shot
            data: {"shot":1}
            id: 7

            data:two
            data:  lines
            retry: 5

            event: nothing

            data: {"cut":
            """
        let client = try streaming("text/event-stream; charset=utf-8", Array(text.utf8))
        let stream = try EventStream(reading: client)
        let first = try stream.next()
        #expect(first == ServerSentEvent(name: "shot", data: "{\"shot\":1}", id: "7"))
        #expect(first?.json?["shot"]?.integer == 1)
        #expect(try stream.next() == ServerSentEvent(name: "message", data: "two\n lines", id: "7"))
        // An event without its empty line is none.
        #expect(throws: WireError.self) { try stream.next() }
    }

    @Test func framesAreRead() throws {
        var bytes: [UInt8] = []
        func number(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
        func record(_ counter: UInt64, _ picture: [UInt8]) {
            number(UInt32(0x3146_434C))
            number(UInt32(2))
            number(counter)
            number(Int64(-5))
            number(UInt32(picture.count))
            number(UInt16(picture.isEmpty ? 0 : 640))
            number(UInt16(picture.isEmpty ? 0 : 480))
            number(UInt32(picture.count))
            bytes += picture
        }
        record(1 << 40, [9, 8, 7])
        record(0, [])
        record(3, [1])
        bytes += [1]
        let frames = try FrameRecords(reading: streaming("application/octet-stream", bytes))
        let first = try #require(try frames.next())
        #expect(first.id == "2:1099511627776" && first.jpeg == [9, 8, 7] && first.time.nanoseconds == -5)
        #expect(first.size.width == 640 && first.size.height == 480 && !first.isHeartbeat && first.number == 3)
        #expect(try frames.nextFrame().counter == 3)
        #expect(throws: WireError.self) { try frames.next() }
    }

    @Test func partsAreRead() throws {
        let text =
            "--b\r\nContent-Type: image/jpeg\r\ncontent-length: 3\r\nX-Livecap-Frame: 0:1\r\n\r\nabc\r\n--b--\r\n"
        let type = "multipart/x-mixed-replace; boundary=\"b\""
        let parts = try MultipartParts(reading: streaming(type, Array(text.utf8)))
        let part = try #require(try parts.next())
        #expect(part.bytes == Array("abc".utf8) && part["x-livecap-frame"] == "0:1")
        #expect(try parts.next() == nil)
    }
}
