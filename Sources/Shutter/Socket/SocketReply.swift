// SPDX-License-Identifier: MIT
// The way back to a client: lines that wait until it reads them, in bounded memory.

import Threads

/// Sends lines to the client a request came from, now and later, from any thread and without ever waiting.
///
/// A client that does not read, so that more than `SocketShutter.mostPending` bytes wait for it, is dropped. What is sent after
/// a client has left goes nowhere. As long as a reply is held, a client that has closed its sending half is kept for it: let
/// go of it when nothing more is to be said.
public final class SocketReply: Sendable {
    private let outbox: Outbox

    init(to outbox: Outbox) {
        self.outbox = outbox
        outbox.replierCame()
    }

    deinit { outbox.replierLeft() }

    /// Which client it is, as long as one of its replies is held.
    public var client: ObjectIdentifier { ObjectIdentifier(outbox) }

    /// Whether the client is still there, as far as is known.
    public var isConnected: Bool { outbox.isOpen }

    /// Sends one line of JSON; its end is added.
    public func send(_ line: String) { outbox.add(line) }
}

/// What waits to be sent to one client. Filled by any thread, emptied by the socket's.
final class Outbox: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// How many of them have been sent.
        var sent = 0
        var repliers = 0
        var isOpen = true
        var hasOverflown = false
    }
    private let state = Guarded(State())
    private let mostBytes: Int
    private let stop: StopRequest

    /// An empty box whose filling wakes the socket's thread.
    init(mostBytes: Int, waking stop: StopRequest) {
        self.mostBytes = mostBytes
        self.stop = stop
    }

    func add(_ line: String) {
        let wakes = state.withLock { state in
            guard state.isOpen, !state.hasOverflown else { return false }
            let pending = state.bytes.count - state.sent
            guard line.utf8.count + 1 <= mostBytes - pending else {
                state.hasOverflown = true
                return true
            }
            if state.sent >= mostBytes {
                // A client that is never quite done must not make it grow.
                state.bytes.removeFirst(state.sent)
                state.sent = 0
            }
            state.bytes.append(contentsOf: line.utf8.lazy.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 })
            state.bytes.append(UInt8(ascii: "\n"))
            return pending == 0
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

    /// Whether anything sent would still be looked at.
    var isOpen: Bool { state.withLock { $0.isOpen && !$0.hasOverflown } }
    /// Whether there was more than may wait.
    var hasOverflown: Bool { state.withLock { $0.hasOverflown } }
    /// Whether anything waits to be sent.
    var isWaiting: Bool { state.withLock { $0.bytes.count > $0.sent } }
    /// Whether nothing waits, and nobody is left who could add something.
    var isDone: Bool { state.withLock { $0.bytes.count == $0.sent && $0.repliers == 0 } }

    /// Nothing more is taken, and what waits is thrown away.
    func shut() {
        state.withLock { state in
            state.isOpen = false
            state.bytes = []
            state.sent = 0
        }
    }

    /// Lets `send` take from what waits: it returns how many bytes it took, 0 when it can take no more now.
    func drain(_ send: (UnsafeRawBufferPointer) -> Int) {
        state.withLock { state in
            while state.sent < state.bytes.count {
                let taken = state.bytes.withUnsafeBytes { send(.init(rebasing: $0[state.sent...])) }
                guard taken > 0 else { return }
                state.sent += taken
            }
            state.bytes.removeAll(keepingCapacity: state.bytes.capacity <= 4096)
            state.sent = 0
        }
    }
}
