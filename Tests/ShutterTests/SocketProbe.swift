// SPDX-License-Identifier: MIT
// A client of the socket, for tests.

import Glibc
import LivecapCSystem
import LivecapPatience
import Testing

/// A connected client. It waits for a line as long as `Patience` allows.
final class SocketProbe {
    private let descriptor: Int32
    private var unread: [UInt8] = []

    init(_ path: String) throws {
        descriptor = lc_unix_socket()
        try #require(lc_unix_connect(descriptor, path) == 0)
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = lc_send(descriptor, Array(bytes[sent...]), bytes.count - sent)
            if count == -Int64(EAGAIN) {
                wait(POLLOUT)
                continue
            }
            guard count > 0 else {
                Issue.record("send gave \(count)")
                return
            }
            sent += Int(count)
        }
    }

    /// The next line without its end; nil if there are no more.
    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            wait(POLLIN)
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EAGAIN {
                Issue.record("nothing came in good time")
                return nil
            }
            guard count > 0 else { return nil }
            unread += bytes[..<count]
        }
    }

    /// Whether anything can be read without waiting.
    var hasUnread: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) == 1
    }

    func closeSendingHalf() { shutdown(descriptor, Int32(SHUT_WR)) }

    private func wait(_ events: Int32) {
        var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while poll(&polled, 1, Patience.milliseconds) < 0, errno == EINTR {}
    }

    deinit { close(descriptor) }
}
