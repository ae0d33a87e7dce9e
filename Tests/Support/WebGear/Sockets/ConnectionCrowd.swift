// SPDX-License-Identifier: MIT
// Hundreds of connections at once, served by one thread, to see what a server does with them.

import Glibc
import LivecapPatience

/// Connections to one port, each of which can send, receive, or do nothing.
package final class ConnectionCrowd {
    /// What became of a connection.
    package enum State: Hashable {
        /// It is not established yet.
        case connecting
        /// It is established.
        case open
        /// The server closed it in order.
        case ended
        /// It was refused or broken off.
        case failed(errno: Int32)
    }

    /// One connection.
    package struct Member {
        /// What became of it.
        package fileprivate(set) var state = State.connecting
        /// The first bytes that came.
        package fileprivate(set) var received: [UInt8] = []
        /// How many bytes came in all.
        package fileprivate(set) var receivedCount = 0
        /// Whether what comes is read. A member that reads nothing plays a stalled viewer.
        package var isReading = true
        fileprivate var socket: TCPConnection?
        fileprivate var unsent: ArraySlice<UInt8> = []
    }

    /// The connections.
    package var members: [Member]
    /// How many bytes of each connection are kept.
    private let kept: Int

    /// Begins `count` connections to a port of this machine. `receiveBuffer` limits what the kernel keeps for a member
    /// that does not read.
    /// - Throws: `WireError`.
    package init(_ count: Int, port: UInt16, keeping kept: Int = 4096, receiveBuffer: Int32? = nil) throws {
        self.kept = kept
        members = []
        try OpenFiles.allow(count + 256)
        for _ in 0..<count {
            var member = Member()
            let socket = TCPConnection(owning: try TCPConnection.begin(port: port))
            if let receiveBuffer { socket.limitReceiveBuffer(to: receiveBuffer) }
            member.socket = socket
            members.append(member)
        }
    }

    /// The number of connections in a state.
    package func count(_ state: State) -> Int { members.count { $0.state == state } }

    /// Has each of some members send bytes, once it is connected. They leave while `run` runs.
    package func send(_ bytes: [UInt8], from indices: Range<Int>? = nil) {
        for index in indices ?? members.indices { members[index].unsent += bytes }
    }

    /// Sends and receives until a condition holds.
    /// - Throws: `WireError.timedOut`, which names `what`.
    package func run(
        until what: String, within span: Duration = Patience.span, _ condition: (ConnectionCrowd) -> Bool
    ) throws {
        let deadline = Deadline(in: span)
        while !condition(self) {
            if deadline.isPast { throw WireError.timedOut(what) }
            // Short, because a condition may also depend on something else than these connections.
            step(milliseconds: 20)
        }
    }

    /// Breaks all connections off at once.
    package func reset() {
        for index in members.indices {
            members[index].socket?.reset()
            leave(index, .failed(errno: ECONNRESET))
        }
    }

    private func step(milliseconds: Int32) {
        var indices: [Int] = []
        var polled: [pollfd] = []
        for (index, member) in members.enumerated() {
            guard let socket = member.socket else { continue }
            let isSending = member.state == .connecting || !member.unsent.isEmpty
            let events = (member.isReading ? POLLIN : 0) | (isSending ? POLLOUT : 0)
            indices.append(index)
            polled.append(pollfd(fd: socket.descriptor, events: Int16(events), revents: 0))
        }
        guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return }
        for (index, polled) in zip(indices, polled) where polled.revents != 0 { serve(index, Int32(polled.revents)) }
    }

    private func serve(_ index: Int, _ events: Int32) {
        guard let socket = members[index].socket else { return }
        if events & (POLLERR | POLLHUP) != 0 || members[index].state == .connecting {
            let problem = TCPConnection.pendingError(of: socket.descriptor)
            if problem != 0 { return leave(index, .failed(errno: problem)) }
            if members[index].state == .connecting, events & POLLOUT != 0 { members[index].state = .open }
        }
        do {
            if events & POLLOUT != 0, !members[index].unsent.isEmpty {
                let count = try socket.sendSome(members[index].unsent)
                members[index].unsent = members[index].unsent.dropFirst(count)
            }
            if events & POLLIN != 0, let bytes = try socket.receiveNow() {
                if bytes.isEmpty { return leave(index, .ended) }
                members[index].received += bytes.prefix(kept - members[index].received.count)
                members[index].receivedCount += bytes.count
            } else if events & POLLHUP != 0 {
                leave(index, .ended)
            }
        } catch WireError.call(_, let errno) {
            leave(index, .failed(errno: errno))
        } catch {
            leave(index, .failed(errno: EIO))
        }
    }

    private func leave(_ index: Int, _ state: State) {
        members[index].state = state
        members[index].socket = nil
        members[index].unsent = []
    }
}

/// How many files this process may have open: `getrlimit(2)`.
package enum OpenFiles {
    /// Allows at least `count` open files.
    /// - Throws: `WireError` if the limit cannot be raised so far.
    package static func allow(_ count: Int) throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else {
            throw WireError.call("getrlimit", errno: errno)
        }
        guard limit.rlim_cur < rlim_t(count) else { return }
        limit.rlim_cur = rlim_t(count)
        limit.rlim_max = max(limit.rlim_max, limit.rlim_cur)
        guard setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else {
            throw WireError.call("setrlimit", errno: errno)
        }
    }
}
