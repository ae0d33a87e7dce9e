// SPDX-License-Identifier: MIT
// ChromeDriver as a child process: it starts browsers and is asked over HTTP.

import Foundation
import Glibc
import LivecapJSONText

/// A running `chromedriver`. It ends with this object, and also if this process is killed; so do its browsers.
package final class ChromeDriver {
    /// The port it listens on.
    package let port: UInt16
    private let process = Process()
    /// The watchdog ends ChromeDriver once the other end of this is closed.
    private let leash = Pipe()
    /// Kept, because ChromeDriver could not write into one that is closed.
    private let output = Pipe()

    /// Debian's packages chromium-driver and chromium-headless-shell.
    private static let program = "/usr/bin/chromedriver"
    static let browser = "/usr/bin/chromium-headless-shell"

    /// Whether both programs are installed.
    package static var isInstalled: Bool {
        [program, browser].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Bash, because its jobs have process groups of their own: browsers end with the driver, however that ends.
    private static let watchdog = """
        set -m
        "$@" </dev/null &
        cat >/dev/null
        kill -TERM -- -$! && wait
        """

    /// Starts ChromeDriver on a free port. `log` is a file for what it notes.
    /// - Throws: `WireError.program` if it does not start.
    package init(log: String? = nil) throws {
        guard Self.isInstalled else { throw WireError.program("chromedriver or chromium-headless-shell is missing") }
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", Self.watchdog, "bash", Self.program, "--port=0"]
        if let log { process.arguments? += ["--log-path=\(log)", "--log-level=INFO"] }
        (process.standardInput, process.standardOutput) = (leash, output)
        process.standardError = FileHandle.nullDevice
        // Threads of a pool block all signals, and children inherit this.
        var (none, own) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &own)
        defer { pthread_sigmask(SIG_SETMASK, &own, nil) }
        try process.run()
        guard let port = Self.port(in: output) else {
            try? leash.fileHandleForWriting.close()
            throw WireError.program("chromedriver named no port")
        }
        self.port = port
    }

    deinit { quit() }

    /// Ends it and its browsers, and returns once it has ended.
    package func quit() {
        try? leash.fileHandleForWriting.close()
        process.waitUntilExit()
    }

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

    /// Waits for the line that names the port.
    private static func port(in output: Pipe) -> UInt16? {
        let descriptor = output.fileHandleForReading.fileDescriptor
        let deadline = Deadline()
        var text: [UInt8] = []
        while !deadline.isPast {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, deadline.milliseconds) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return nil }
            text += bytes[..<count]
            let said = String(decoding: text, as: UTF8.self)
            if let match = said.firstMatch(of: /started successfully on port (\d+)/) { return UInt16(match.1) }
        }
        return nil
    }
}
