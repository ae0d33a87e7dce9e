// SPDX-License-Identifier: MIT
// The other end of the socket: a program that asks a run for something, and waits for the answer.

import Glibc
import LivecapCSystem
import LivecapFiles
import LivecapFrames
import LivecapIntents

/// A connection to the socket of a run. Used by one thread.
package final class SocketCaller {
    private let path: String
    private let descriptor: OwnedDescriptor
    private var splitter = LineSplitter(maxBytes: SocketShutter.maxUnreadBytes)
    private var lines: [LineSplitter.Line] = []

    /// How long an answer may take: effects look for their nets first, on a disk that may be slow.
    private static let patience = Duration.seconds(10)

    /// Connects to the socket at `path` (default: `SocketShutter.defaultPath`).
    ///
    /// Throws `nobodyListens`; `unsafeDirectory` if another user's program listens there; `pathTooLong`; `noAnswer` if
    /// it has too many clients; and `failed` otherwise.
    package init(path: String? = nil) throws(ShutterError) {
        self.path = path ?? SocketShutter.defaultPath
        let number = lc_unix_socket()
        guard number >= 0 else { throw .failed(self.path, call: "socket", errno: -number) }
        descriptor = OwnedDescriptor(number)
        switch self.path.withFileName({ lc_unix_connect(number, $0) }) {
        case 0: break
        case -ECONNREFUSED, -ENOENT, -ENOTDIR, -ENOTSOCK: throw .nobodyListens(path: self.path)
        case -EAGAIN: throw .noAnswer(path: self.path)
        case -ENAMETOOLONG: throw .pathTooLong(self.path, limit: ListeningSocket.maxPathBytes)
        case let result: throw .failed(self.path, call: "connect", errno: -result)
        }
        var user: uid_t = 0
        guard lc_peer_user(number, &user) == 0, user == geteuid() || user == 0 else {
            throw .unsafeDirectory(path: self.path, detail: "a program of another user listens there")
        }
    }

    /// Sends a request, and waits for the first line that comes back.
    package func ask(_ request: JSON, within patience: Duration? = nil) throws(ShutterError) -> JSON {
        let deadline = Timestamp.now + (patience ?? Self.patience)
        try send(Array((request.text + "\n").utf8), until: deadline)
        while lines.isEmpty {
            try wait(for: POLLIN, until: deadline)
            try read()
        }
        guard case .whole(let bytes) = lines.removeFirst(), let answer = JSON(parsing: bytes) else {
            throw .noAnswer(path: path)
        }
        return answer
    }

    private func send(_ bytes: [UInt8], until deadline: Timestamp) throws(ShutterError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                lc_send(descriptor.number, bytes.baseAddress! + sent, bytes.count - sent)
            }
            switch count {
            case 1...: sent += Int(count)
            case Int64(-EAGAIN), Int64(-EINTR), 0: try wait(for: POLLOUT, until: deadline)
            // It says why it refuses a client before it closes the connection.
            case Int64(-EPIPE), Int64(-ECONNRESET): return
            default: throw .failed(path, call: "send", errno: Int32(clamping: -count))
            }
        }
    }

    private func read() throws(ShutterError) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor.number, &bytes, bytes.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { throw .noAnswer(path: path) }
        lines += splitter.lines(in: bytes[..<count])
    }

    private func wait(for events: Int32, until deadline: Timestamp) throws(ShutterError) {
        let rest = (deadline - .now).nanoseconds
        guard rest > 0 else { throw .noAnswer(path: path) }
        var polled = [pollfd(descriptor.number, for: events)]
        polled.wait(milliseconds: Int32(clamping: rest / 1_000_000 + 1))
    }
}
