// SPDX-License-Identifier: MIT
// ChromeDriver as a child process: it starts browsers and is asked over HTTP.

import Foundation
import Glibc
import LivecapIntents
import LivecapPatience

/// A running `chromedriver`. It ends with this object, and also if this process is killed; so do its browsers.
package final class ChromeDriver {
    /// The port it listens on.
    package let port: UInt16
    private let program: LeashedProgram

    /// Debian's packages chromium-driver and chromium-headless-shell.
    private static let path = "/usr/bin/chromedriver"
    static let browser = "/usr/bin/chromium-headless-shell"

    /// Whether both programs are installed.
    package static var isInstalled: Bool {
        [path, browser].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts ChromeDriver on a free port. `log` is a file for what it notes.
    /// - Throws: `WireError.program` if it does not start.
    package init(log: String? = nil) throws {
        guard Self.isInstalled else { throw WireError.program("chromedriver or chromium-headless-shell is missing") }
        let notes = log.map { ["--log-path=\($0)", "--log-level=INFO"] } ?? []
        // On a machine that is very busy, one was seen that had named none after a minute.
        for _ in 0..<3 {
            let program = try LeashedProgram(Self.path, ["--port=0"] + notes)
            guard let port = Self.port(namedBy: program) else { continue }
            self.program = program
            self.port = port
            return
        }
        throw WireError.program("chromedriver named no port")
    }

    private static func port(namedBy program: LeashedProgram) -> UInt16? {
        while let line = program.line() {
            if let match = line.firstMatch(of: /started successfully on port (\d+)/) { return UInt16(match.1) }
        }
        return nil
    }

    /// Ends it and its browsers, and returns once it has ended.
    package func quit() { program.quit() }

    /// Sends a command and returns its value.
    /// - Throws: `WireError`; `refused` if the driver answers with an error.
    func command(_ method: String, _ path: String, _ parameters: JSON? = nil) throws -> JSON {
        let body = method == "POST" ? parameters ?? .object([]) : nil
        let request =
            body.map { HTTPRequest(method, path, fields: [("Connection", "close")], json: $0) }
            ?? HTTPRequest(method, path, fields: [("Connection", "close")])
        let connection = try HTTPConnection(port: port)
        // Longer than any timeout of the browser's own, whose words are better.
        connection.socket.patience = Patience.span * 5
        let answer = try connection.exchange(request)
        let name = path.split(separator: "/").dropFirst(2).joined(separator: "/")
        guard let value = answer.json?["value"] else { throw WireError.malformed("\(name): \(answer.text)") }
        guard answer.status == 200 else {
            throw WireError.refused(
                command: name, code: value["error"]?.string ?? "\(answer.status)",
                message: value["message"]?.string?.split(separator: "\n").first.map(String.init) ?? "")
        }
        return value
    }
}
