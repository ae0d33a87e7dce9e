// SPDX-License-Identifier: MIT
// Sends lines back to a client. They wait in bounded memory until the client reads them.

import LivecapThreads

/// Sends lines to the client that made a request, now or later, from any thread and without ever waiting.
///
/// A client that does not read is dropped when more than `SocketShutter.maxUnreadBytes` bytes wait for it. Lines sent
/// after a client has left are discarded. While a reply is held, a client that has closed its sending half stays
/// connected, so release the reply when there is nothing more to send.
public final class SocketReply: Sendable {
    private let outbox: Outbox

    init(to outbox: Outbox) {
        self.outbox = outbox
        outbox.replierCame()
    }

    deinit { outbox.replierLeft() }

    /// Identifies the client. Valid while one of its replies is held.
    public var client: ObjectIdentifier { ObjectIdentifier(outbox) }

    /// Whether the client is still connected, as far as is known.
    public var isConnected: Bool { outbox.isOpen }

    /// Sends one line of JSON. The line end is added.
    public func send(_ line: String) { outbox.add(line) }

    /// Sends one line of JSON once everything before it is sent, unless another is offered before that and takes its
    /// place. So a client that reads slowly gets fewer of such lines, and each is the newest. It is never dropped for
    /// leaving them unread. A client has one place for them, whichever reply offers them.
    public func offer(_ line: String) { outbox.offer(line) }

    /// Takes back an offered line that is not being sent yet.
    public func withdrawOffer() { outbox.offer(nil) }
}

/// The bytes waiting to be sent to one client. Filled by any thread, emptied by the socket's thread.
final class Outbox: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// How many of the bytes have been sent.
        var sent = 0
        /// The line that is sent after them.
        var offered: String?
        var repliers = 0
        var isOpen = true
        var hasOverflown = false

        var isWaiting: Bool { bytes.count > sent || offered != nil }

        mutating func append(_ line: String) {
            bytes.append(contentsOf: line.utf8.lazy.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
            bytes.append(UInt8(ascii: "\n"))
        }
    }
    private let state = Guarded(State())
    private let maxBytes: Int
    private let stop: StopRequest

    /// Creates an empty outbox that wakes the socket's thread when it is filled.
    init(maxBytes: Int, waking stop: StopRequest) {
        self.maxBytes = maxBytes
        self.stop = stop
    }

    func add(_ line: String) {
        let wakes = state.withLock { state in
            guard state.isOpen, !state.hasOverflown else { return false }
            let pending = state.bytes.count - state.sent
            guard line.utf8.count + 1 <= maxBytes - pending else {
                state.hasOverflown = true
                return true
            }
            if state.sent >= maxBytes {
                // Keeps the buffer from growing when a client never quite catches up.
                state.bytes.removeFirst(state.sent)
                state.sent = 0
            }
            state.append(line)
            return pending == 0
        }
        if wakes { stop.wake.raise() }
    }

    /// Puts a line in the place of the one offered before, or takes that back.
    func offer(_ line: String?) {
        let wakes = state.withLock { state in
            guard state.isOpen, !state.hasOverflown else { return false }
            defer { state.offered = line }
            // While something waits, the thread knows already.
            return line != nil && !state.isWaiting
        }
        if wakes { stop.wake.raise() }
    }

    func replierCame() { state.withLock { $0.repliers += 1 } }

    func replierLeft() {
        let wasLast = state.withLock { state in
            state.repliers -= 1
            return state.repliers == 0 && state.isOpen
        }
        if wasLast { stop.wake.raise() }
    }

    /// Whether lines are still accepted.
    var isOpen: Bool { state.withLock { $0.isOpen && !$0.hasOverflown } }
    /// Whether more bytes were added than may wait.
    var hasOverflown: Bool { state.withLock { $0.hasOverflown } }
    /// Whether bytes are waiting to be sent.
    var isWaiting: Bool { state.withLock { $0.isWaiting } }
    /// Whether nothing is waiting and no replier is left that could add more.
    var isDone: Bool { state.withLock { !$0.isWaiting && $0.repliers == 0 } }

    /// Accepts no more lines and discards those waiting.
    func shut() {
        state.withLock { state in
            state.isOpen = false
            state.bytes = []
            state.sent = 0
            state.offered = nil
        }
    }

    /// Passes waiting bytes to `send`, which returns how many it took, or 0 if it cannot take more now.
    func drain(_ send: (UnsafeRawBufferPointer) -> Int) {
        state.withLock { state in
            repeat {
                while state.sent < state.bytes.count {
                    let taken = state.bytes.withUnsafeBytes { send(.init(rebasing: $0[state.sent...])) }
                    guard taken > 0 else { return }
                    state.sent += taken
                }
                state.bytes.removeAll(keepingCapacity: state.bytes.capacity <= 4096)
                state.sent = 0
                // From here on it is sent as a whole.
                if let line = state.offered.take() { state.append(line) }
            } while state.isWaiting
        }
    }
}
