// SPDX-License-Identifier: MIT
// /openapi.json says what the server does: it answers as documented, and everything that it serves is in the document.

import Foundation
import LiveCapture
import LivecapFrames
import LivecapIntents
import LivecapMovies
import LivecapPhotoStorage
import LivecapThreads
import Testing

@testable import LivecapHTTP
@testable import LivecapServing

@Suite struct OpenAPITests {
    private let document: OpenAPIDocument

    init() throws {
        let file = try #require(PageFiles()["openapi.json"])
        document = try #require(OpenAPIDocument(file.bytes))
    }

    /// A viewfinder of a scene, asked without a network.
    private final class Scene {
        let session: CaptureSession
        let library: PhotoLibrary
        let viewfinder: Viewfinder
        private let folder: URL

        init(token: String? = nil, hasMovies: Bool = true) async throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "livecap-openapi-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            library = try await PhotoLibrary.open(folder.appending(path: "library").path)
            var scene = try SyntheticSettings("tripod")
            scene.prerenderedFrames = 2
            let options = SessionOptions(library: library, history: .seconds(2), threads: 1, isRealTime: false)
            let size = FrameSize(width: 64, height: 48)
            session = try await CaptureSession(
                source: .synthetic(scene, pixelFormat: .mjpeg, size: size, .realtime), options: options)
            let photos = PhotoSettings(quality: .speed, keepsFrames: true)
            var settings = ViewfinderSettings(photos: photos, software: "tests", version: "0")
            settings.token = token
            if hasMovies { settings.movies = PageMovies(try MovieNames(in: folder.appending(path: "movies").path)) }
            viewfinder = try Viewfinder(session, library, settings)
            try await session.start()
            // A snapshot of now needs a frame.
            _ = session.ring.wait(forCounter: 1, until: .now + .seconds(60))
        }

        /// Puts a file with the name of a movie into the folder of movies.
        func addMovie(_ name: String, changed seconds: Int) throws {
            let file = folder.appending(path: "movies/\(name)")
            let parent = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try Data("movie".utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: TimeInterval(seconds))], ofItemAtPath: file.path)
        }

        /// What is in the folder of movies.
        func movieFiles() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "movies").path).sorted()
        }

        func close() async {
            viewfinder.close()
            await session.stop(.cancellingShots)
            try? FileManager.default.removeItem(at: folder)
        }

        /// Asks as a page of the server does, or as one of another site.
        func ask(
            _ method: String, _ target: String, _ body: String = "", headers: [(name: String, value: String)]? = nil
        ) async -> HTTPResponse {
            let parts = target.split(separator: "?", maxSplits: 1)
            var request = HTTPRequest(method, String(parts[0]))
            for pair in parts.dropFirst().joined().split(separator: "&") {
                let words = pair.split(separator: "=", maxSplits: 1)
                request.query.append((String(words[0]), words.dropFirst().joined()))
            }
            request.headers = headers ?? [("host", "localhost"), ("livecap-proof", viewfinder.gatekeeper.proof)]
            request.body = Array(body.utf8)
            let asked = request
            return await withCheckedContinuation { continuation in
                let isFirst = Guarded(true)
                viewfinder.answer(
                    asked,
                    HTTPReply(number: 0) { _, response in
                        // As in the server, the first answer counts.
                        let counts = isFirst.withLock { isFirst in
                            defer { isFirst = false }
                            return isFirst
                        }
                        if counts { continuation.resume(returning: response) }
                    })
            }
        }
    }

    /// Runs a test with a scene.
    private func withScene(
        token: String? = nil, hasMovies: Bool = true, _ body: (Scene) async throws -> Void
    ) async throws {
        let scene = try await Scene(token: token, hasMovies: hasMovies)
        do { try await body(scene) } catch {
            await scene.close()
            throw error
        }
        await scene.close()
    }

    /// Checks an answer to a request for something below a documented path, and returns it.
    @discardableResult private func check(
        _ scene: Scene, _ method: String, _ path: String, _ target: String? = nil, _ body: String = "",
        headers: [(name: String, value: String)]? = nil, expecting status: Int
    ) async throws -> JSON? {
        let operation = try #require(document.operation(method, path), "\(method) \(path)")
        let response = await scene.ask(method, target ?? path, body, headers: headers)
        #expect(response.status == status, "\(method) \(target ?? path) \(body): \(text(response))")
        let type = response.headers.first { $0.name == "Content-Type" }?.value
        let json = type == "application/json" ? JSON(parsing: Array(text(response).utf8), depth: 32) : nil
        let fault = document.fault(operation, status: response.status, type: type, body: json)
        #expect(fault == nil, "\(method) \(target ?? path): \(fault ?? "")")
        return json
    }

    private func text(_ response: HTTPResponse) -> String {
        if case .bytes(let bytes) = response.content { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    private func integer(_ value: JSON?) throws -> Int64 {
        guard case .integer(let number)? = value else { throw Unexpected() }
        return number
    }

    private struct Unexpected: Error {}

    // MARK: The document by itself

    @Test func theDocumentHangsTogether() throws {
        guard case .string("3.1.0")? = document.root["openapi"] else { throw Unexpected() }
        #expect(document.brokenReferences == [])
        // Events are described in words, which name these.
        let events: Set = [
            "ShotEvent", "PhotoEvent", "CameraEvent", "PressureEvent", "MovieRemovedEvent", "NoticeEvent",
            "ReactionEvent", "FactsEvent", "PageEvent",
        ]
        #expect(Set(document.unusedSchemas) == events)
        #expect(document.operations.count > 30)
    }

    @Test func aWrongAnswerIsNoticed() throws {
        let wrong: [(String, JSON)] = [
            ("Shot", .object([("shot", 1)])), ("Shot", .object([("shot", "1"), ("tag", .null)])),
            ("Shot", .object([("shot", 1), ("tag", .null), ("more", 1)])),
            ("Frame", .object([("id", "x"), ("timeNs", "1")])),
            ("PressureEvent", .object([("level", "none"), ("words", "")])),
        ]
        for (name, value) in wrong { #expect(document.fault(value, named: name) != nil, "\(value.text)") }
        #expect(document.fault(.object([("shot", 1), ("tag", .null)]), named: "Shot") == nil)
        let status = try #require(document.operation("GET", "/status"))
        #expect(document.fault(status, status: 418, type: nil, body: nil) != nil)
        #expect(document.fault(status, status: 200, type: "text/plain", body: nil) != nil)
    }

    /// The routes are read in the source, so that none is left out here.
    @Test func everyRouteIsInTheDocument() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Web/Serving")
        let routes = try String(contentsOf: sources.appending(path: "Viewfinder.swift"), encoding: .utf8)
        let found = routes.matches(of: /case \("(?<name>[a-z]+)", "(?<method>[A-Z]+)"\)/)
        let others = routes.matches(of: /case \("(?<name>[a-z]+)"\?, (?<parts>[0-9])/)
        #expect(found.count >= 12 && others.count >= 4)
        for route in found {
            #expect(document.operation(String(route.method), "/\(route.name)") != nil, "\(route.method) /\(route.name)")
        }
        for route in others {
            let slashes = Int(route.parts)!
            #expect(
                document.operations.contains {
                    $0.path.hasPrefix("/\(route.name)") && $0.path.count { $0 == "/" } == slashes
                }, "/\(route.name), \(slashes) parts")
        }
        let photos = try String(contentsOf: sources.appending(path: "Photos/PhotoPages.swift"), encoding: .utf8)
        let parts =
            photos.matches(of: /\n            case "(?<name>[a-z]+)":/).map { ("GET", String($0.name)) }
            + photos.matches(of: /case \("(?<method>[A-Z]+)", "(?<name>[a-z]+)"\?\)/).map {
                (String($0.method), String($0.name))
            }
        #expect(parts.count >= 7)
        for (method, name) in parts {
            #expect(document.operation(method, "/photos/{id}/\(name)") != nil, "\(method) \(name)")
        }
        #expect(document.operation("GET", "/photos/{id}") != nil && document.operation("DELETE", "/photos/{id}") != nil)
    }

    /// Bodies are described where they are read, so that the document cannot differ.
    @Test func everyBodyIsAnIntent() {
        let bodies = document.bodies
        #expect(bodies.count == 7)
        for body in bodies { #expect(body.hasPrefix("intents.json#/$defs/"), "\(body)") }
    }

    // MARK: The server and the document

    /// Operations that do nothing are asked as they are, with values for their parameters.
    @Test func whatCanBeReadIsAnsweredAsDocumented() async throws {
        try await withScene { scene in
            let values = ["{id}": "1", "/js/{name}": "/js/main.js", "{name}": "none.mkv"]
            for operation in document.operations where operation.method == "GET" {
                let target = values.sorted { $0.key < $1.key }.reduce(operation.path) {
                    $0.replacing($1.key, with: $1.value)
                }
                let response = await scene.ask("GET", target)
                let type = response.headers.first { $0.name == "Content-Type" }?.value
                let json = type == "application/json" ? JSON(parsing: Array(text(response).utf8), depth: 32) : nil
                let fault = document.fault(operation, status: response.status, type: type, body: json)
                #expect(fault == nil, "\(operation.path): \(fault ?? "")")
                let isThere =
                    !["/movies/{name}", "/archive", "/sound"].contains(operation.path)
                    && !target.contains("/photos/1")
                #expect((response.status == 200) == isThere, "\(operation.path): \(response.status)")
            }
        }
    }

    @Test func aShotAndItsPhotoAreAsDocumented() async throws {
        try await withScene { scene in
            let taken = try await check(
                scene, "POST", "/shots", "/shots?wait=1", #"{"frames":1,"tag":"a"}"#, expecting: 201)
            let id = try integer(taken?["id"])
            try await check(scene, "POST", "/shots", nil, #"{"agoMs":0,"zoom":{"factor":2}}"#, expecting: 202)
            try await check(scene, "POST", "/shots", nil, #"{"at":"x"}"#, expecting: 400)
            try await check(scene, "POST", "/shots", "/shots?wait=1", #"{"frame":"9:9"}"#, expecting: 410)
            let later = (Timestamp.now + .seconds(1800)).nanoseconds
            let waiting = try await check(scene, "POST", "/shots", nil, #"{"at":"\#(later)"}"#, expecting: 202)
            let shot = "/shots/\(try integer(waiting?["shot"]))"
            try await check(scene, "DELETE", "/shots/{number}", shot, expecting: 204)
            try await check(scene, "DELETE", "/shots/{number}", "/shots/0", expecting: 404)
            try await check(scene, "GET", "/photos", "/photos?limit=1", expecting: 200)
            try await check(scene, "GET", "/photos", "/photos?limit=0", expecting: 400)
            for part in ["", "/thumbnail", "/image", "/provenance", "/final", "/explain"] {
                try await check(scene, "GET", "/photos/{id}\(part)", "/photos/\(id)\(part)", expecting: 200)
            }
            let image = ("/photos/{id}/image", "/photos/\(id)/image")
            try await check(scene, "GET", image.0, "\(image.1)?size=32x32&mode=fill", expecting: 200)
            try await check(scene, "GET", image.0, "\(image.1)?mode=fill", expecting: 400)
            try await check(scene, "GET", image.0, "\(image.1)?size=32x32&mode=stretch", expecting: 400)
            try await check(scene, "GET", "/photos/{id}/proxy", "/photos/\(id)/proxy", expecting: 404)
            try await check(scene, "GET", "/photos/{id}/final", "/photos/\(id)/final?format=png", expecting: 200)
            try await check(scene, "GET", "/photos/{id}/final", "/photos/\(id)/final?format=bmp", expecting: 400)
            let range = [("host", "localhost"), ("range", "bytes=0-9")]
            try await check(
                scene, "GET", "/photos/{id}/final", "/photos/\(id)/final", headers: range, expecting: 206)
            try await check(
                scene, "GET", "/photos/{id}/final", "/photos/\(id)/final",
                headers: [("host", "localhost"), ("range", "bytes=999999999-")], expecting: 416)
            let develop = ("/photos/{id}/develop", "/photos/\(id)/develop")
            try await check(scene, "POST", develop.0, develop.1, #"{"quality":"single"}"#, expecting: 201)
            try await check(scene, "POST", develop.0, develop.1, #"{"quality":"best"}"#, expecting: 400)
            try await check(scene, "DELETE", "/photos/{id}", "/photos/\(id)", expecting: 204)
            try await check(scene, "DELETE", "/photos/{id}", "/photos/\(id)", expecting: 404)
        }
    }

    @Test func momentsAreAnsweredAsDocumented() async throws {
        try await withScene { scene in
            try await check(scene, "GET", "/snapshot", "/snapshot?ago=0&width=320", expecting: 200)
            try await check(scene, "GET", "/snapshot", "/snapshot?frame=9:9", expecting: 404)
            try await check(scene, "GET", "/snapshot", "/snapshot?at=soon", expecting: 400)
            try await check(scene, "GET", "/", "/?action=snapshot", expecting: 200)
            try await check(scene, "GET", "/", "/?action=stream", expecting: 200)
            try await check(scene, "GET", "/", "/?action=dance", expecting: 404)
        }
    }

    @Test func camerasAndControlsAreChangedAsDocumented() async throws {
        try await withScene { scene in
            try await check(scene, "POST", "/cameras", nil, "{}", expecting: 400)
            try await check(scene, "POST", "/cameras", nil, #"{"id":"none such"}"#, expecting: 404)
            try await check(scene, "POST", "/controls", nil, "{}", expecting: 400)
        }
    }

    @Test func aServerWithoutMoviesSaysSoAsDocumented() async throws {
        try await withScene(hasMovies: false) { scene in
            try await check(scene, "GET", "/movies", expecting: 404)
            try await check(scene, "POST", "/movies", nil, #"{"do":"start"}"#, expecting: 404)
        }
    }

    @Test func moviesAreAnsweredAsDocumented() async throws {
        try await withScene { scene in
            try await check(scene, "POST", "/movies", nil, #"{"do":"dance"}"#, expecting: 400)
            try await check(scene, "POST", "/movies", nil, #"{"do":"mark","title":"A"}"#, expecting: 400)
            try await check(scene, "POST", "/movies", nil, #"{"do":"stop"}"#, expecting: 409)
        }
    }

    @Test func aMovieIsListedAndRemovedAsDocumented() async throws {
        try await withScene { scene in
            let path = "/movies/{name}"
            try scene.addMovie("a b.mkv", changed: 1_790_000_000)
            let list = try await check(scene, "GET", "/movies", expecting: 200)
            let movie = try #require(list?["movies"]?.elements.first)
            #expect(movie["name"]?.string == "a b.mkv" && movie["bytes"]?.integer == 5)
            #expect(movie["changed"]?.string == "2026-09-21T14:13:20.000+00:00")
            let url = try #require(movie["url"]?.string?.replacing("%20", with: " "))
            try await check(scene, "GET", path, url, expecting: 200)
            // A page of another site has no proof.
            try await check(scene, "DELETE", path, url, headers: [(name: "host", value: "localhost")], expecting: 403)
            try await check(scene, "DELETE", path, url, expecting: 204)
            try await check(scene, "DELETE", path, url, expecting: 404)
            #expect(try await check(scene, "GET", "/movies", expecting: 200)?["movies"]?.elements.isEmpty == true)
        }
    }

    @Test func onlyMoviesAreRemoved() async throws {
        try await withScene { scene in
            try scene.addMovie("kept.mkv", changed: 0)
            try scene.addMovie("folder.mkv/inside.mkv", changed: 0)
            try scene.addMovie("note.txt", changed: 0)
            try scene.addMovie(".hidden.mkv", changed: 0)
            for name in ["folder.mkv", "note.txt", ".hidden.mkv", "..", "missing.mkv", "folder.mkv%2finside.mkv"] {
                try await check(scene, "DELETE", "/movies/{name}", "/movies/\(name)", expecting: 404)
            }
            #expect(try scene.movieFiles() == [".hidden.mkv", "folder.mkv", "kept.mkv", "note.txt"])
        }
    }

    @Test func theMovieThatIsBeingMadeStays() async throws {
        try await withScene { scene in
            try scene.addMovie("other.mkv", changed: 0)
            let begun = try await check(scene, "POST", "/movies", nil, #"{"do":"start"}"#, expecting: 201)
            let name = try #require(begun?["file"]?.string)
            for name in [name, name.uppercased().replacing("MKV", with: "mkv")] {
                try await check(scene, "DELETE", "/movies/{name}", "/movies/\(name)", expecting: 409)
            }
            // A movie without a frame leaves no file.
            while try await check(scene, "GET", "/movies", expecting: 200)?["bytes"]?.integer == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            try await check(scene, "DELETE", "/movies/{name}", "/movies/other.mkv", expecting: 204)
            try await check(scene, "POST", "/movies", nil, #"{"do":"stop"}"#, expecting: 200)
            try await check(scene, "DELETE", "/movies/{name}", "/movies/\(name)", expecting: 204)
        }
    }

    @Test func refusalsAreAsDocumented() async throws {
        try await withScene(token: "0123456789abcdef") { scene in
            let host = (name: "host", value: "localhost")
            let token = (name: "cookie", value: "livecap-token=0123456789abcdef")
            for operation in document.operations where operation.path != "/healthz" {
                let target = operation.path.replacing("{id}", with: "1").replacing("{name}", with: "x")
                // The page for people without the token needs these.
                let isOpen = ["/page.css", "/icon.svg"].contains(operation.path)
                for (headers, status) in [
                    ([host], 401), ([(name: "host", value: "evil.example"), token], 421),
                    ([host, token, (name: "origin", value: "http://evil.example")], 403),
                ] where !(isOpen && status == 401) {
                    let response = await scene.ask(operation.method, target, headers: headers)
                    let json = JSON(parsing: Array(text(response).utf8))
                    // People get a page that says where the token is.
                    let isPage = operation.path == "/" && status == 401
                    let fault = document.fault(
                        operation, status: response.status, type: isPage ? "text/html" : "application/json", body: json)
                    #expect(response.status == status && fault == nil, "\(operation.path): \(fault ?? "")")
                }
                guard operation.method != "GET" else { continue }
                let response = await scene.ask(operation.method, target, headers: [host, token])
                #expect(response.status == 403, "\(operation.method) \(operation.path)")
            }
        }
    }

    @Test func theFirstEventsAreAsDocumented() async throws {
        try await withScene { scene in
            let response = await scene.ask("GET", "/events")
            guard case .stream(let stream) = response.content else { throw Unexpected() }
            var block = [UInt8](repeating: 0, count: 1 << 16)
            guard case .bytes(let count) = block.withUnsafeMutableBytes({ stream.read(into: $0) }) else {
                throw Unexpected()
            }
            let events = String(decoding: block[..<count], as: UTF8.self).split(separator: "\n\n").prefix(4)
            let schemas = ["status": "Status", "readiness": "Readiness", "movie": "Movie", "effects": "Effects"]
            #expect(events.count == 4)
            for event in events {
                let lines = event.split(separator: "\n")
                let first = try #require(lines.first)
                let name = String(first.dropFirst("event: ".count))
                let text = try #require(lines.last).dropFirst("data: ".count)
                let data = try #require(JSON(parsing: Array(text.utf8)))
                let fault = document.fault(data, named: try #require(schemas[name]))
                #expect(fault == nil, "\(name): \(fault ?? "")")
            }
            stream.finish()
        }
    }
}
