// SPDX-License-Identifier: MIT
// Files that lose their end while they are sent.

import Foundation
import LivecapHTTP
import LivecapWebGear
import Testing

@Suite(.serialized) struct CutFileTests {
    /// Far more than sockets hold.
    private static let wholeBytes = 256 << 20

    @Test("A file that is cut while it is sent ends its connection at once") func cutFile() async throws {
        var limits = HTTPLimits()
        // A client that is waited for must not end the connection in place of the file.
        limits.stallTime = .seconds(3600)
        try await withServedScene(limits: limits) { scene in
            let path = URL(filePath: scene.movieFolder).appending(path: "cut.mkv").path
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
            try #require(truncate(path, Self.wholeBytes) == 0)
            let connection = try HTTPConnection(port: scene.port)
            try connection.send("GET /movies/cut.mkv HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let head = try connection.readHead()
            #expect(head.status == 200 && head["Content-Length"] == "\(Self.wholeBytes)")
            try #require(truncate(path, 1) == 0)
            #expect(try connection.readToEnd().count < Self.wholeBytes)
            #expect(try HTTPConnection.get(port: scene.port, "/healthz").status == 200)
        }
    }

    @Test("A file that stays is sent byte for byte, whole and in part") func wholeFile() async throws {
        try await withServedScene { scene in
            let bytes = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            try Data(bytes).write(to: URL(filePath: scene.movieFolder).appending(path: "whole.mkv"))
            #expect(try HTTPConnection.get(port: scene.port, "/movies/whole.mkv").body == bytes)
            let connection = try HTTPConnection(port: scene.port)
            try connection.send(
                "GET /movies/whole.mkv HTTP/1.1\r\nHost: localhost\r\nRange: bytes=300001-900000\r\n\r\n")
            #expect(try connection.readAnswer().body == Array(bytes[300_001...900_000]))
        }
    }
}
