// SPDX-License-Identifier: MIT
// Libraries and folders of movies that somebody else has filled: only their own regular files are served.

import Foundation
import Glibc
import LivecapFrames
import LivecapHTTP
import LivecapPhotoStorage
import LivecapProcesses
import LivecapWebGear
import Testing

@testable import LivecapServing

@Suite struct HostileFilesTests {
    private static let secret = "a secret of the user"

    /// Changes the catalogue as a person with another program would.
    private static func sql(_ sql: String, _ scene: ServedScene) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/sqlite3")
        process.arguments = [scene.folder.appending(path: "library/catalogue.sqlite").path, sql]
        try process.run()
        process.awaitEnd()
        try #require(process.terminationStatus == 0)
    }

    private static func add(_ text: String, _ scene: ServedScene) throws -> LibraryPhoto {
        let new = NewPhoto(
            tap: .zero, reference: .zero, taken: CalendarTime(utcNanoseconds: 0), format: .jpeg,
            size: FrameSize(width: 16, height: 8), qualityAsked: .quality, qualityGiven: .quality)
        return try scene.library.addFinished(new, Array(text.utf8))
    }

    @Test("A photo's file is served only from the library, with the size and checksum of its catalogue")
    func onlyFilesOfTheLibraryAreServed() async throws {
        try await withServedScene { scene in
            let outside = scene.folder.appending(path: "secret")
            try Data(Self.secret.utf8).write(to: outside)
            // Each photo has as many bytes as the secret.
            let good = try Self.add(String(Self.secret.reversed()), scene)
            let sent = try HTTPConnection.get(port: scene.port, "/photos/\(good.id)/image").text
            #expect(sent == String(Self.secret.reversed()))
            func expectRefused(_ photo: LibraryPhoto, _ code: String, _ what: String) throws {
                for path in ["image", "final", "image?download=1"] {
                    let answer = try HTTPConnection.get(port: scene.port, "/photos/\(photo.id)/\(path)")
                    #expect(answer.status == 500 && answer.json?["code"]?.asString == code, "\(what): \(answer.text)")
                    #expect(!answer.text.contains(Self.secret), "\(what)")
                }
                let connection = try HTTPConnection(port: scene.port)
                try connection.send(
                    "GET /photos/\(photo.id)/image HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-3\r\n\r\n")
                #expect(try connection.readAnswer().status == 500 || what == "a checksum", "\(what)")
            }
            for place in ["../secret", outside.path, "photos/../../secret", "photos/x/../../../secret", "lock"] {
                let photo = try Self.add(Self.secret, scene)
                try Self.sql("UPDATE photos SET final_place = '\(place)' WHERE id = \(photo.id)", scene)
                try expectRefused(photo, "unsafe-path", place)
            }
            let files = FileManager.default
            let linked = try Self.add(Self.secret, scene)
            try files.removeItem(atPath: linked.path)
            try files.createSymbolicLink(atPath: linked.path, withDestinationPath: outside.path)
            try expectRefused(linked, "unsafe-path", "a link")
            let piped = try Self.add(Self.secret, scene)
            try files.removeItem(atPath: piped.path)
            try #require(mkfifo(piped.path, 0o600) == 0)
            try expectRefused(piped, "unsafe-path", "a pipe")
            let longer = try Self.add(Self.secret, scene)
            try Data((Self.secret + "!").utf8).write(to: URL(filePath: longer.path))
            try expectRefused(longer, "damaged-file", "a size")
            let other = try Self.add(String(Self.secret.reversed()), scene)
            try Data(Self.secret.utf8).write(to: URL(filePath: other.path))
            try expectRefused(other, "damaged-file", "a checksum")
            // A folder on the way is a link to one that has a file of that name.
            let day = URL(filePath: good.path).deletingLastPathComponent()
            try files.moveItem(at: day, to: scene.folder.appending(path: "elsewhere"))
            try files.createSymbolicLink(at: day, withDestinationURL: scene.folder.appending(path: "elsewhere"))
            try expectRefused(good, "unsafe-path", "a folder")
        }
    }

    @Test("A link in the folder of movies is neither listed, sent nor removed") func linksAreNoMovies() async throws {
        try await withServedScene { scene in
            let outside = scene.folder.appending(path: "secret.mkv")
            try Data(Self.secret.utf8).write(to: outside)
            let folder = URL(filePath: scene.movieFolder)
            try Data("a movie".utf8).write(to: folder.appending(path: "own.mkv"))
            let link = folder.appending(path: "link.mkv")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: outside)
            try #require(mkfifo(folder.appending(path: "pipe.mkv").path, 0o600) == 0)
            let list = try HTTPConnection.get(port: scene.port, "/movies")
            guard case .array(let movies)? = list.json?["movies"] else { throw WireError.malformed(list.text) }
            #expect(movies.compactMap { $0["name"]?.asString } == ["own.mkv"])
            #expect(try HTTPConnection.get(port: scene.port, "/movies/own.mkv").text == "a movie")
            for name in ["link.mkv", "pipe.mkv"] {
                #expect(try HTTPConnection.get(port: scene.port, "/movies/\(name)").status == 404, "\(name)")
                let connection = try HTTPConnection(port: scene.port)
                try connection.send("DELETE /movies/\(name) HTTP/1.1\r\nHost: localhost\r\n")
                try connection.send("\(scene.proof.name): \(scene.proof.value)\r\n\r\n")
                #expect(try connection.readAnswer(to: "DELETE").status == 404, "\(name)")
            }
            #expect(FileManager.default.contents(atPath: link.path) == Data(Self.secret.utf8))
        }
    }

    @Test("Only regular files of a folder are opened, and no path leads out of it") func filesOfAFolder() throws {
        #expect(HTTPFile("null", in: "/dev") == nil && HTTPFile("nowhere", in: "/") == nil)
        #expect(HTTPFile("x", in: "/nowhere") == nil && HTTPFile("dev", in: "/") == nil)
        let folder = FileManager.default.temporaryDirectory.appending(path: "livecap-http-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder.appending(path: "in"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["outside", "in/inside"] { try Data([1]).write(to: folder.appending(path: name)) }
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.appending(path: "in/link").path, withDestinationPath: "inside")
        try files.createSymbolicLink(atPath: folder.appending(path: "through").path, withDestinationPath: "in")
        let inside = folder.appending(path: "in").path
        #expect(HTTPFile("inside", in: inside) != nil)
        // The user may name a folder by a link.
        #expect(HTTPFile("inside", in: folder.appending(path: "through").path) != nil)
        for name in ["link", "../outside", "..", ".", "", folder.appending(path: "outside").path, "inside\0"] {
            #expect(HTTPFile(name, in: inside) == nil, "\(name)")
        }
    }

    @Test("What is no camera's id is not opened") func onlyCamerasAreOpened() async throws {
        try await withServedScene { scene in
            let path = scene.folder.appending(path: "no-camera").path
            try Data("a file".utf8).write(to: URL(filePath: path))
            let watch = inotify_init1(Int32(IN_NONBLOCK))
            defer { Glibc.close(watch) }
            try #require(inotify_add_watch(watch, path, UInt32(IN_OPEN)) >= 0)
            for id in [path, "/dev/null", "auto", "."] {
                let body = "{\"id\":\"\(id)\"}"
                let connection = try HTTPConnection(port: scene.port)
                try connection.send(
                    "POST /cameras HTTP/1.1\r\nHost: localhost\r\n\(scene.proof.name): \(scene.proof.value)\r\n")
                try connection.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                let answer = try connection.readAnswer(to: "POST")
                #expect(answer.status == 404 && answer.json?["code"]?.asString == "no-such-device", "\(answer.text)")
            }
            var events = [UInt8](repeating: 0, count: 4096)
            #expect(read(watch, &events, events.count) < 0 && errno == EAGAIN)
        }
    }
}
