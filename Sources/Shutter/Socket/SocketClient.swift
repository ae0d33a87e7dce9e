// SPDX-License-Identifier: MIT
// One client of the socket: its lines, its answers, and whether it is still there.

import CSystem
import Frames
import Glibc
import JSONText

/// A connection. Used by the socket's thread alone, but for its outbox.
final class SocketClient {
    private let descriptor: OwnedDescriptor
    private let outbox: Outbox
    private var splitter = LineSplitter(mostBytes: SocketRequest.mostBytes)
    /// It sends no more, but may wait for answers.
    private var hasClosedItsHalf = false
    private var isPressed = false
    private var hasTapped = false
    private var isGone = false

    init(_ descriptor: OwnedDescriptor, waking stop: StopRequest) {
        self.descriptor = descriptor
        outbox = Outbox(mostBytes: SocketShutter.mostPending, waking: stop)
    }

    /// What to wait for: its lines, room for our answers, and its end in any case.
    var polled: pollfd {
        pollfd(descriptor.number, for: (hasClosedItsHalf ? 0 : POLLIN) | (outbox.isWaiting ? POLLOUT : 0))
    }

    /// Whether there is nothing more to do for it.
    var isOver: Bool { isGone || outbox.hasOverflown || (hasClosedItsHalf && outbox.isDone) }

    /// Whether answers wait that it could still be sent.
    var hasAnswers: Bool { !isGone && !outbox.hasOverflown && outbox.isWaiting }
    /// What to wait for where only those matter.
    var polledForAnswers: pollfd { pollfd(descriptor.number, for: POLLOUT) }

    /// Writes what can be written now.
    func answer(_ state: pollfd) {
        if state.has(POLLHUP | POLLERR | POLLNVAL) { isGone = true }
        if !isGone, state.has(POLLOUT) { write() }
    }

    /// Reads and writes what can be read and written now.
    func serve(
        _ state: pollfd, now: Timestamp, until isStopping: () -> Bool,
        _ onRequest: (SocketRequest, SocketReply) -> Void
    ) {
        let hasHungUp = state.has(POLLHUP | POLLERR | POLLNVAL)
        // What somebody asked for who did not stay for the answer counts, and no more of it can come.
        if state.isReadable {
            repeat {
                if hasClosedItsHalf { break }
                for line in read() where !isStopping() { take(line, now, onRequest) }
            } while hasHungUp && !isStopping()
        }
        if hasHungUp { isGone = true }
        if !isGone { write() }
    }

    /// Lets go of the button if it is pressed, says that it has gone if it asked for taps, and throws away what was still to be said.
    func leave(now: Timestamp, _ onRequest: (SocketRequest, SocketReply) -> Void) {
        outbox.shut()
        isGone = true
        if isPressed { onRequest(SocketRequest(.release, received: now), SocketReply(to: outbox)) }
        if hasTapped { onRequest(SocketRequest(.left, received: now), SocketReply(to: outbox)) }
        (isPressed, hasTapped) = (false, false)
    }

    /// Says why it may not stay.
    func refuse(_ message: String, _ hint: String) {
        outbox.add(
            JSON.object([("error", .string(message)), ("code", "refused"), ("hint", .string(hint))]).text)
        write()
        outbox.shut()
    }

    private func read() -> [LineSplitter.Line] {
        withUnsafeTemporaryAllocation(byteCount: SocketRequest.mostBytes, alignment: 1) { buffer in
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
            // An empty line asks for nothing and is no mistake.
            case .whole(let bytes) where bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }: break
            case .whole(let bytes):
                let request = try SocketRequest(line: bytes, received: now)
                switch request.wish {
                case .press: isPressed = true
                case .release: isPressed = false
                case .tap: hasTapped = true
                case .readiness, .left: break
                }
                onRequest(request, reply)
            }
        } catch {
            reply.send(error.json)
        }
    }

    private func write() {
        var isHeard = true
        outbox.drain { bytes in
            let sent = lc_send(descriptor.number, bytes.baseAddress, bytes.count)
            if sent < 0, ![Int64(-EAGAIN), Int64(-EINTR)].contains(sent) { isHeard = false }
            return Int(max(0, sent))
        }
        // It does not listen any more; what it has asked for may still wait to be read.
        if !isHeard { outbox.shut() }
    }
}
