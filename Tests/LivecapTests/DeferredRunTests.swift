// SPDX-License-Identifier: MIT
// Pictures deferred by `livecap run`: the client that asked for one receives its final, too.

import Foundation
import Glibc
import LivecapCSystem
import LivecapPatience
import Testing

@Suite(.timeLimit(.long)) struct DeferredRunTests {
    private let files: Scratch
    private var library: String { files.path("library") }
    private var socket: String { files.path("shutter.sock") }

    init() throws { files = try Scratch() }

    /// Starts it with a small scene and a pipe as standard input. The end of the pipe ends the
    /// program.
    private func run() throws -> (program: RunningLivecap, pipe: FileHandle) {
        let fifo = files.path("taps")
        try #require(mkfifo(fifo, 0o600) == 0)
        let pipe = try #require(FileHandle(forUpdatingAtPath: fifo))
        let program = try RunningLivecap(
            [
                "run", "--synthetic", "tripod", "--size", "48x32", "--format", "YUYV", "--quality", "quality",
                "--frames", "2", "--defer", "required", "--library", library, "--socket", socket, "--json",
            ], shell: "exec \"$@\" <'\(fifo)'")
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        return (program, pipe)
    }

    @Test func clientReceivesTheProxyAndLaterTheFinal() throws {
        let (program, pipe) = try run()
        let first = try SocketClient(socket), second = try SocketClient(socket), hasty = try SocketClient(socket)
        try first.send(#"{"tap":"now","id":7}"#)
        let proxy = try first.answers(until: "proxy")
        #expect(proxy.map { $0["event"] as? String } == ["begun", "captured", "proxy"])
        #expect(proxy.last?["id"] as? Int == 7 && proxy.last?["deferred"] as? Bool == true)
        try second.send(#"{"tap":"now","id":"b"}"#)
        let other = try second.answers(until: "proxy")
        // A client that has left by then receives nothing, and the others are not affected.
        try hasty.send(#"{"tap":"now"}"#)
        _ = try hasty.answers(until: "proxy")
        hasty.leave()

        for (client, id, proxy) in [(first, "7", proxy), (second, "b", other)] {
            let finals = try client.answers(until: "final")
            try #require(finals.count == 1, "\(finals)")
            let final = finals[0]
            #expect(final["id"].map { "\($0)" } == id)
            #expect(final["libraryId"] as? Int == proxy.last?["libraryId"] as? Int)
            #expect(final["qualityGiven"] as? String == "quality")
            let file = try #require(final["file"] as? String)
            #expect(file != proxy.last?["file"] as? String)
            #expect(try Data(contentsOf: URL(filePath: file)).count == final["bytes"] as? Int)
        }
        try eventually("the last final", within: .seconds(Patience.backgroundSeconds)) {
            program.output.components(separatedBy: #""event":"final""#).count == 4
        }
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0 && !outcome.errors.contains("library finish"), "\(outcome.errors)")
        #expect(try livecap("library", "verify", "--library", library).status == 0)
    }
}

/// A client of livecap's socket.
private final class SocketClient {
    private var descriptor: Int32
    private var received: [UInt8] = []

    init(_ path: String) throws {
        descriptor = lc_unix_socket()
        try #require(lc_unix_connect(descriptor, path) == 0)
    }

    deinit { leave() }

    func leave() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func send(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        try #require(lc_send(descriptor, bytes, bytes.count) == Int64(bytes.count))
    }

    /// The answers up to and including the first one for `event`.
    func answers(until event: String) throws -> [[String: Any]] {
        var answers: [[String: Any]] = []
        while answers.last?["event"] as? String != event {
            while !received.contains(UInt8(ascii: "\n")) { try receive() }
            let end = received.firstIndex(of: UInt8(ascii: "\n"))!
            let answer = try JSONSerialization.jsonObject(with: Data(received[..<end])) as? [String: Any]
            answers.append(try #require(answer))
            try checkSocketLines(Array(received[...end]))
            received.removeSubrange(...end)
            try #require(answers.last?["event"] as? String != "failed", "\(answers)")
        }
        return answers
    }

    private func receive() throws {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try #require(
            poll(&polled, 1, Int32(1000 * Patience.backgroundSeconds)) == 1,
            "\(String(decoding: received, as: UTF8.self))")
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        try #require(count > 0, "livecap has hung up")
        received += bytes[..<count]
    }
}
