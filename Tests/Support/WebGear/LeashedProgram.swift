// SPDX-License-Identifier: MIT
// A program as a child process that ends with this one, however this one ends.

import Foundation
import Glibc
import LivecapProcesses

/// A running program. It ends with this object, and also if this process is killed; so do its own children.
package final class LeashedProgram {
    /// The program's process id, which is also that of its process group.
    package let id: pid_t
    private let process = Process()
    /// The watchdog ends the program once the other end of this is closed.
    private let leash = Pipe()
    /// Kept, because the program could not write into one that is closed.
    private let output = Pipe()
    private var text: [UInt8] = []

    /// Bash, because its jobs have process groups of their own. A program that does not end when it is asked to is
    /// killed, and so are its children that have left its group, as browsers of ChromeDriver do.
    private static let watchdog = """
        set -m
        bash -c 'echo "$BASHPID"; exec "$@"' bash "$@" </dev/null &
        cat >/dev/null
        children=$(cat /proc/$!/task/*/children 2>/dev/null)
        kill -TERM -- -$! 2>/dev/null
        for _ in {1..1000}; do kill -0 -- -$! 2>/dev/null || break; sleep 0.02; done
        kill -KILL -- -$! $children 2>/dev/null
        """

    /// Starts a program. Its standard error goes to the file `errors`, or nowhere.
    /// - Throws: `WireError.program` if it does not start, and what keeps `errors` from being written.
    package init(_ path: String, _ arguments: [String], errors: String? = nil) throws {
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", Self.watchdog, "bash", path] + arguments
        (process.standardInput, process.standardOutput) = (leash, output)
        process.standardError = FileHandle.nullDevice
        if let errors {
            try Data().write(to: URL(filePath: errors))
            process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
        }
        // Threads of a pool block all signals, and children inherit this.
        var (none, own) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &own)
        defer { pthread_sigmask(SIG_SETMASK, &own, nil) }
        try process.run()
        guard let line = Self.line(in: output, &text), let id = pid_t(line) else {
            try? leash.fileHandleForWriting.close()
            throw WireError.program("\(path) did not start")
        }
        self.id = id
    }

    deinit { quit() }

    /// Waits for the next line of the program's standard output; nil if there is none, or none in good time.
    package func line() -> String? { Self.line(in: output, &text) }

    /// Sends the program a signal.
    package func signal(_ number: Int32) { kill(id, number) }

    /// Whether the program is running.
    package var isRunning: Bool { kill(id, 0) == 0 }

    /// Ends the program and its children, and returns once they have ended.
    package func quit() {
        try? leash.fileHandleForWriting.close()
        process.awaitEnd()
    }

    private static func line(in output: Pipe, _ text: inout [UInt8]) -> String? {
        let descriptor = output.fileHandleForReading.fileDescriptor
        let deadline = Deadline()
        while !deadline.isPast {
            if let end = text.firstIndex(of: 0x0A) {
                defer { text.removeFirst(end + 1) }
                return String(decoding: text[..<end], as: UTF8.self)
            }
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, deadline.milliseconds) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return nil }
            text += bytes[..<count]
        }
        return nil
    }
}
