// SPDX-License-Identifier: MIT
// The example clients, in C, Swift and Python, as processes of their own: each reads every frame, and ends with
// livecap.

import Foundation
import FrameRing
import Glibc
import LivecapFrames
import LivecapPatience
import LivecapSharing
import Testing

/// The example clients of `Examples/Sharing`.
enum Examples {
    private static let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let folder = project.appending(path: "Examples/Sharing").path

    /// Built in the same folder as the tests.
    static let swift = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "share-reader").path
    static let python = "/usr/bin/python3"
    static let pythonScript = folder + "/reader.py"

    /// Compiles the client in C, with the header that is installed and every warning. Returns the program's path.
    static func compileC(into folder: Folder, _ compiler: String = "cc", _ options: [String] = []) throws -> String {
        let program = folder.path + "/reader"
        let compiling = try ReaderProgram(
            "/usr/bin/env",
            [compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror"] + options + [
                "-I", project.appending(path: "Sources/Outlets/CShare/include").path, "-o", program,
                Self.folder + "/reader.c",
            ])
        try #require(compiling.finish() == 0)
        return program
    }
}

@Suite struct ExampleTests {
    /// Publishes frames, has the client read them to the end, and compares what it prints.
    private func check(_ program: String, _ arguments: [String] = []) throws {
        let folder = try Folder()
        let ring = try sharedRing(40)
        let server = try SharingServer(path: folder.path + "/s")
        server.offer(ring, camera)
        let client: ReaderProgram
        do {
            var producer = RingProducer(filling: ring)
            producer.put(0..<10)
            client = try ReaderProgram(program, arguments + [server.path])
            try eventually("the first frames") { client.lines.count == 10 }
            // These it has to wait for.
            producer.put(10..<30)
            try eventually("the others") { client.lines.count == 30 }
        }
        server.close()
        #expect(client.finish() == 0)
        let frames = (0..<30).map { "\($0) \($0 * 1000) 512 \($0).00" }
        #expect(client.lines == frames)
    }

    @Test func inC() throws {
        let folder = try Folder()
        try check(try Examples.compileC(into: folder))
    }

    @Test func theHeaderIsAlsoCPlusPlus() throws {
        let folder = try Folder()
        _ = try Examples.compileC(into: folder, "c++", ["-x", "c++"])
    }

    @Test func inSwift() throws { try check(Examples.swift) }

    @Test func inPython() throws { try check(Examples.python, [Examples.pythonScript]) }

    @Test func aClientOfNoServerSaysSo() throws {
        let client = try ReaderProgram(Examples.swift, ["/nonexistent"])
        #expect(client.finish() == 1)
        #expect(client.lines.first?.contains("No such file") == true)
    }
}
