// SPDX-License-Identifier: MIT
// One client of the socket: its requests, its replies, and its connection state.

import Glibc
import LivecapCSystem
import LivecapFrames
import LivecapIntents

/// A connection. Used only by the socket's thread, except for its outbox.
final class SocketClient {
    private let descriptor: OwnedDescriptor
    private let outbox: Outbox
    private var splitter = LineSplitter(maxBytes: SocketRequest.maxBytes)
    /// Whether the client has closed its sending half. It may still wait for replies.
    private var hasClosedItsHalf = false
    private var isPressed = false
    /// Whether the run has to know when it leaves.
    private var isAwaiting = false
    private var isGone = false

    /// Facts of less than a second. The kernel doubles it: `socket(7)`.
    private static let mostKept: Int32 = 1 << 13

    init(_ descriptor: OwnedDescriptor, waking stop: StopRequest) {
        self.descriptor = descriptor
        outbox = Outbox(maxBytes: SocketShutter.maxUnreadBytes, waking: stop)
    }

    /// What to poll for: its requests, room for replies, and in any case its disconnection.
    var polled: pollfd {
        pollfd(descriptor.number, for: (hasClosedItsHalf ? 0 : POLLIN) | (outbox.isWaiting ? POLLOUT : 0))
    }

    /// Whether the client can be removed.
    var isOver: Bool { isGone || outbox.hasOverflown || (hasClosedItsHalf && outbox.isDone) }

    /// Whether replies are waiting that can still be sent.
    var hasAnswers: Bool { !isGone && !outbox.hasOverflown && outbox.isWaiting }
    /// What to poll for when only replies matter.
    var polledForAnswers: pollfd { pollfd(descriptor.number, for: POLLOUT) }

    /// Writes as much as possible now.
    func answer(_ state: pollfd) {
        if state.has(POLLHUP | POLLERR | POLLNVAL) { isGone = true }
        if !isGone, state.has(POLLOUT) { write() }
    }

    /// Reads and writes as much as possible now.
    func serve(
        _ state: pollfd, now: Timestamp, until isStopping: () -> Bool,
        _ onRequest: (SocketRequest, SocketReply) -> Void
    ) {
        let hasHungUp = state.has(POLLHUP | POLLERR | POLLNVAL)
        // Requests count even if the client left without waiting for the reply. After a hang-up no more can arrive, so
        // read all of them.
        if state.isReadable {
            repeat {
                if hasClosedItsHalf { break }
                for line in read() where !isStopping() { take(line, now, onRequest) }
            } while hasHungUp && !isStopping()
        }
        if hasHungUp { isGone = true }
        if !isGone { write() }
    }

    /// Releases the button if it is pressed, reports that the client has left if it asked for taps or facts, and
    /// discards pending replies.
    func leave(now: Timestamp, _ onRequest: (SocketRequest, SocketReply) -> Void) {
        outbox.shut()
        isGone = true
        if isPressed { onRequest(SocketRequest(.release, received: now), SocketReply(to: outbox)) }
        if isAwaiting { onRequest(SocketRequest(.left, received: now), SocketReply(to: outbox)) }
        isPressed = false
        isAwaiting = false
    }

    /// Tells the client why it is rejected.
    func refuse(_ message: String, _ hint: String) {
        outbox.add(
            JSON.object([
                ("event", .string(SocketEvent.failed.rawValue)), ("error", .string(message)), ("code", "refused"),
                ("hint", .string(hint)),
            ]).text)
        write()
        outbox.shut()
    }

    private func read() -> [LineSplitter.Line] {
        withUnsafeTemporaryAllocation(byteCount: SocketRequest.maxBytes, alignment: 1) { buffer in
            let count = Glibc.read(descriptor.number, buffer.baseAddress!, buffer.count)
            if count > 0 { return splitter.lines(in: buffer[..<count]) }
            if count < 0, errno == EAGAIN || errno == EINTR { return [] }
            hasClosedItsHalf = true
            if count < 0 { isGone = true }
            return splitter.rest().map { [$0] } ?? []
        }
    }

    private func take(_ line: LineSplitter.Line, _ now: Timestamp, _ onRequest: (SocketRequest, SocketReply) -> Void) {
        let reply = SocketReply(to: outbox)
        do throws(SocketRefusal) {
            switch line {
            case .tooLong: throw .tooLong
            // An empty line is not a request, and not an error either.
            case .whole(let bytes) where bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }: break
            case .whole(let bytes):
                let request = try SocketRequest(line: bytes, received: now)
                switch request.wish {
                case .press: isPressed = true
                case .release: isPressed = false
                case .tap: isAwaiting = true
                case .facts:
                    isAwaiting = true
                    keepLittleUnread()
                case .readiness, .movie, .camera, .control, .effects, .reaction, .left: break
                }
                onRequest(request, reply)
            }
        } catch {
            reply.send(error.json)
        }
    }

    /// Has the kernel keep few bytes that the client has not read, at which offered lines wait for one another: what it
    /// keeps becomes old.
    private func keepLittleUnread() {
        var bytes = Self.mostKept
        setsockopt(descriptor.number, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    private func write() {
        var isHeard = true
        outbox.drain { bytes in
            let sent = lc_send(descriptor.number, bytes.baseAddress, bytes.count)
            if sent < 0, ![Int64(-EAGAIN), Int64(-EINTR)].contains(sent) { isHeard = false }
            return Int(max(0, sent))
        }
        // The client no longer receives, but its earlier requests may still be waiting to be read.
        if !isHeard { outbox.shut() }
    }
}
