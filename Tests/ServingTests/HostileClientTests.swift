// SPDX-License-Identifier: MIT
// Clients that mean harm, or do not know what they do: the server answers others all the same, and capture goes on.

import Foundation
import Glibc
import LivecapFrames
import LivecapHTTP
import LivecapWebGear
import Testing

@testable import LivecapServing

@Suite(.serialized) struct HostileClientTests {
    /// The server still answers.
    private func expectAnswers(_ scene: ServedScene, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let answer = try HTTPConnection.get(port: scene.port, "/healthz")
        #expect(answer.status == 200 && answer.text == "ok\n", sourceLocation: sourceLocation)
    }

    @Test func thoseThatNeverFinishTheirRequestsAreCutOff() async throws {
        var limits = HTTPLimits()
        limits.requestTime = .milliseconds(1500)
        try await withServedScene(limits: limits) { scene in
            let crowd = try ConnectionCrowd(300, port: scene.port)
            crowd.send(Array("GET /status HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".utf8))
            try crowd.run(until: "all connected") { $0.count(.open) == 300 }
            try expectAnswers(scene)
            // A byte now and then must not keep them alive.
            try crowd.run(until: "all cut off") { crowd in
                for index in crowd.members.indices where crowd.members[index].state == .open {
                    crowd.send([0x61], from: index..<index + 1)
                }
                return crowd.count(.open) == 0
            }
            try expectAnswers(scene)
        }
    }

    @Test func aBodyThatNeverComesIsNotWaitedForForEver() async throws {
        var limits = HTTPLimits()
        limits.requestTime = .milliseconds(500)
        try await withServedScene(limits: limits) { scene in
            let connection = try HTTPConnection(port: scene.port)
            try connection.send("POST /shots HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            #expect(try connection.readToEnd().isEmpty)
        }
    }

    @Test func aThousandAtOnceAreAnswered() async throws {
        try await withServedScene { scene in
            let crowd = try ConnectionCrowd(1000, port: scene.port)
            crowd.send(Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
            try crowd.run(until: "a thousand answers") { crowd in
                crowd.members.allSatisfy { $0.state != .connecting && $0.state != .open }
            }
            let answered = crowd.members.count { String(decoding: $0.received, as: UTF8.self).hasSuffix("ok\n") }
            #expect(answered == 1000)
        }
    }

    @Test func aNewcomerIsServedThoughAllPlacesAreTaken() async throws {
        var limits = HTTPLimits()
        limits.connections = 100
        limits.requestTime = .seconds(3600)
        try await withServedScene(limits: limits) { scene in
            let crowd = try ConnectionCrowd(100, port: scene.port)
            try crowd.run(until: "all connected") { $0.count(.connecting) == 0 }
            for _ in 0..<20 { try expectAnswers(scene) }
        }
    }

    /// Requests that are none.
    static let malformed = [
        "\r\n\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost localhost\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "POST /shots HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST /shots HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /shots HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
        "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /\u{1F}\u{7F} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n", "GET / HTTP/1.1\nHost: localhost\nHost: evil\n\n",
    ]

    @Test(arguments: malformed) func whatIsNoRequestHarmsNobody(_ text: String) async throws {
        var limits = HTTPLimits()
        limits.requestTime = .milliseconds(500)
        try await withServedScene(limits: limits) { scene in
            let connection = try HTTPConnection(port: scene.port)
            try connection.send(text)
            connection.socket.finishSending()
            let answer = String(decoding: try connection.readToEnd(), as: UTF8.self)
            #expect(!text.contains("evil") || answer.hasPrefix("HTTP/1.1 400"), "\(answer.prefix(200))")
            #expect(!answer.contains("proof"))
            try expectAnswers(scene)
        }
    }

    @Test func oversizedHeadsAreRefused() async throws {
        try await withServedScene { scene in
            let connection = try HTTPConnection(port: scene.port)
            let long = String(repeating: "a", count: 100_000)
            try? connection.send("GET /status HTTP/1.1\r\nHost: localhost\r\nX-Long: \(long)\r\n\r\n")
            let answer = String(decoding: try connection.readToEnd(), as: UTF8.self)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(100))")
            try expectAnswers(scene)
        }
    }

    @Test func oversizedBodiesAreRefused() async throws {
        try await withServedScene { scene in
            let connection = try HTTPConnection(port: scene.port)
            let body = [UInt8](repeating: 0x20, count: 200_000)
            try connection.send(
                "POST /shots HTTP/1.1\r\nHost: localhost\r\n\(scene.proof.name): \(scene.proof.value)\r\n")
            try connection.send("Content-Length: \(body.count)\r\n\r\n")
            try connection.send(body)
            #expect(try connection.readAnswer().status == 413)
        }
    }

    @Test(arguments: [
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/movies/../../../etc/passwd",
        "/movies/..%2f..%2fetc%2fpasswd",
        "/movies/%2e%2e%2f%2e%2e%2fetc%2fpasswd.mkv", "/movies/.hidden.mkv", "/movies/..%2fsecret.mkv",
        "/movies/%2e%2e/secret.mkv", "/movies/../secret.mkv", "/movies/link.mkv/../x", "//etc/passwd",
        "/photos/../../etc/passwd", "/photos/1/../../x", "/photos/-1", "/photos/1e3", "/photos/99999999999999999999",
        "/js/../CPage.c", "/page.css/", "/frames/extra/parts", "/photos%00", "/status%00x", "/page.css%00.mkv",
    ])
    func noPathLeadsOut(_ path: String) async throws {
        try await withServedScene { scene in
            try Data("secret".utf8).write(to: scene.folder.appending(path: "secret.mkv"))
            try Data("hidden".utf8).write(to: URL(filePath: scene.movieFolder).appending(path: ".hidden.mkv"))
            let connection = try HTTPConnection(port: scene.port)
            try connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            // Frames would come without end.
            let head = try connection.readHead()
            try #require([400, 404].contains(head.status), "\(head.status)")
            let answer = String(decoding: try connection.readToEnd(), as: UTF8.self)
            #expect(!answer.contains("secret") && !answer.contains("root:") && !answer.contains("hidden"))
        }
    }

    @Test(
        arguments: [
            ("GET", "/status", [("Host", "evil.example")], 421), ("GET", "/frames", [("Host", "evil.example:80")], 421),
            ("GET", "/", [("Host", "rebound.example")], 421),
            ("GET", "/status", [("Origin", "http://evil.example")], 403),
            ("POST", "/shots", [("Origin", "http://evil.example")], 403),
            ("POST", "/shots", [("Sec-Fetch-Site", "cross-site")], 403), ("POST", "/shots", [], 403),
            ("POST", "/shots", [("Content-Type", "text/plain")], 403), ("DELETE", "/photos/1", [], 403),
            ("POST", "/controls", [("Livecap-Proof", "0")], 403), ("OPTIONS", "/shots", [], 403),
        ] as [(String, String, [(String, String)], Int)])
    func otherSitesGetNothing(
        _ method: String, _ path: String, _ fields: [(String, String)], _ status: Int
    ) async throws {
        try await withServedScene { scene in
            let host = fields.contains { $0.0 == "Host" } ? "" : "Host: localhost\r\n"
            let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
            let connection = try HTTPConnection(port: scene.port)
            try connection.send(
                "\(method) \(path) HTTP/1.1\r\n\(host)\(lines)Content-Length: 2\r\nConnection: close\r\n\r\n{}")
            let answer = try connection.readAnswer(to: method)
            #expect(answer.status == status)
            #expect(!answer.text.contains("proof\":\"") && answer["Access-Control-Allow-Origin"] == nil)
            #expect(scene.session.photoOutput.shotsInProgress == 0)
        }
    }

    @Test func withoutTheTokenNothingIsSaid() async throws {
        let token = "0123456789abcdef0123456789abcdef"
        try await withServedScene(token: token) { scene in
            let paths = [
                "/", "/status", "/frames", "/stream", "/snapshot", "/?action=stream", "/?action=snapshot", "/ring",
                "/events", "/photos", "/photos/1", "/photos/1/image", "/cameras", "/controls", "/movies", "/metrics",
                "/effects", "/openapi.json", "/js/main.js", "/nowhere",
            ]
            for path in paths {
                let answer = try HTTPConnection.get(port: scene.port, path)
                #expect(answer.status == 401, "\(path)")
                #expect(!answer.text.contains("synthetic") && answer.body.count < 4096, "\(path)")
            }
            let link = try HTTPConnection.get(port: scene.port, "/?token=\(token)")
            #expect(link.status == 303 && link["Location"] == "/")
            let cookie = try #require(link["Set-Cookie"])
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
            let wrong = try HTTPConnection.get(port: scene.port, "/?token=0123456789abcdef0123456789abcdee")
            #expect(wrong.status == 303 && wrong["Location"] == "/?wrong" && wrong["Set-Cookie"] == nil)
            #expect(try HTTPConnection.get(port: scene.port, "/?wrong").status == 401)
            let connection = try HTTPConnection(port: scene.port)
            let value = cookie.prefix { $0 != ";" }
            try connection.send("GET /status HTTP/1.1\r\nHost: localhost:\(scene.port)\r\nCookie: \(value)\r\n\r\n")
            #expect(try connection.readAnswer().status == 200)
        }
    }

    @Test func hostileNamesOfMoviesArePlainText() async throws {
        try await withServedScene { scene in
            let names = ["\"><script>alert(1)<&.mkv", "a b?c#d%.mkv", "new\nline.mkv", "\u{202E}evil.mkv"]
            for name in names {
                try Data(name.utf8).write(to: URL(filePath: scene.movieFolder).appending(path: name))
            }
            let answer = try HTTPConnection.get(port: scene.port, "/movies")
            let movies = try #require(answer.json?["movies"])
            guard case .array(let listed) = movies else { throw WireError.malformed("\(answer.text)") }
            #expect(Set(listed.compactMap { $0["name"]?.asString }) == Set(names))
            for movie in listed {
                let url = try #require(movie["url"]?.asString)
                #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && ![0x22, 0x3C, 0x3E].contains($0) }, "\(url)")
                let file = try HTTPConnection.get(port: scene.port, url)
                #expect(file.text == movie["name"]?.asString)
                #expect(file["Content-Type"] == "video/x-matroska" && file["X-Content-Type-Options"] == "nosniff")
            }
        }
    }
}
