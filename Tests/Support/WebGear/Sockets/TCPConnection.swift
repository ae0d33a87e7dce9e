// SPDX-License-Identifier: MIT
// A TCP connection within this machine, on which every wait has an end.

import Glibc
import LivecapCSystem
import LivecapPatience

/// One end of a connection. It sends and receives bytes as they are, so a test can also send what no client would.
package final class TCPConnection {
    /// The socket, which does not block; -1 once it is closed.
    package private(set) var descriptor: Int32
    /// How long each wait may take.
    package var patience = Patience.span

    /// Connects to a port of this machine.
    /// - Throws: `WireError`.
    package convenience init(port: UInt16) throws {
        self.init(owning: try Self.begin(port: port))
        try wait(for: POLLOUT, "a connection to port \(port)")
        let problem = Self.pendingError(of: descriptor)
        guard problem == 0 else { throw WireError.call("connect", errno: problem) }
    }

    /// Takes over a connected socket that does not block.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    /// A socket that is connecting to a port of this machine.
    static func begin(port: UInt16) throws -> Int32 {
        let descriptor = try makeSocket()
        // Small messages go out at once, as browsers send them.
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout.size(ofValue: one)))
        let result = withLoopback(port) { connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            let problem = errno
            Glibc.close(descriptor)
            throw WireError.call("connect", errno: problem)
        }
        return descriptor
    }

    /// Why a connection did not come about, or broke; 0 if all is well: `SO_ERROR` of `socket(7)`.
    static func pendingError(of descriptor: Int32) -> Int32 {
        var (problem, size): (Int32, socklen_t) = (0, 4)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size) == 0 ? problem : errno
    }

    /// Sends all of `bytes`, and waits while the peer takes none.
    /// - Throws: `WireError`.
    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try sendSome(rest)
            rest = rest.dropFirst(count)
            if count == 0 { try wait(for: POLLOUT, "room to send \(rest.count) bytes") }
        }
    }

    /// Sends as much as possible without waiting, and returns how many bytes that were.
    /// - Throws: `WireError`.
    package func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes { lc_send(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { return Int(count) }
        guard [EAGAIN, EINTR].contains(Int32(-count)) else { throw WireError.call("send", errno: Int32(-count)) }
        return 0
    }

    /// Waits for bytes and returns all that have come, at most `limit`; none if the peer has sent its last.
    /// - Throws: `WireError`.
    package func receive(atMost limit: Int = 1 << 16, waitingFor what: String = "an answer") throws -> [UInt8] {
        while true {
            if let bytes = try receiveNow(atMost: limit) { return bytes }
            try wait(for: POLLIN, what)
        }
    }

    /// Returns what has come; nil if that is nothing yet, and no bytes if the peer has sent its last.
    /// - Throws: `WireError`.
    package func receiveNow(atMost limit: Int = 1 << 16) throws -> [UInt8]? {
        var problem: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { memory, filled in
            let count = read(descriptor, memory.baseAddress, limit)
            filled = max(0, count)
            if count < 0 { problem = errno }
        }
        if problem == 0 { return bytes }
        guard [EAGAIN, EINTR].contains(problem) else { throw WireError.call("read", errno: problem) }
        return nil
    }

    /// Says that nothing more will be sent. What the peer sends can still be received.
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes the connection as a program does that has read everything.
    package func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Breaks the connection off, as a killed program or a lost network does: the peer sees a reset.
    package func reset() {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout.size(ofValue: atOnce)))
        close()
    }

    /// Makes the kernel keep few bytes that have come and were not received, so that a slow reader is felt soon.
    package func limitReceiveBuffer(to bytes: Int32) {
        var bytes = bytes
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout.size(ofValue: bytes)))
    }

    private func wait(for events: Int32, _ what: String) throws {
        let deadline = Deadline(in: patience)
        var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = poll(&polled, 1, deadline.milliseconds)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw WireError.call("poll", errno: errno) }
            if deadline.isPast { throw WireError.timedOut(what) }
        }
    }
}

/// A TCP socket that does not block and that programs started from here do not get.
func makeSocket() throws -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw WireError.call("socket", errno: errno) }
    return descriptor
}

/// Calls `body` with the address of a port on 127.0.0.1.
func withLoopback(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}
