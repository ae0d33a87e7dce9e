// SPDX-License-Identifier: MIT
// A port of this machine on which connections are accepted.

import Glibc
import LivecapCSystem
import LivecapPatience

/// A listening socket on a free port of 127.0.0.1.
package final class TCPListener {
    /// The port, chosen by the kernel.
    package let port: UInt16
    var descriptor: Int32 { socket.descriptor }
    /// Owns the descriptor.
    private let socket: TCPConnection

    /// Listens on a free port.
    /// - Throws: `WireError`.
    package init() throws {
        let socket = TCPConnection(owning: try makeSocket())
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard withLoopback(0, { bind(socket.descriptor, $0, $1) }) == 0, listen(socket.descriptor, 4096) == 0 else {
            throw WireError.call("listen", errno: errno)
        }
        let isNamed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.descriptor, $0, &size) == 0 }
        }
        guard isNamed else { throw WireError.call("getsockname", errno: errno) }
        (self.socket, port) = (socket, UInt16(bigEndian: address.sin_port))
    }

    /// Waits for the next connection.
    /// - Throws: `WireError`.
    package func accept(within span: Duration = Patience.span) throws -> TCPConnection {
        var next: TCPConnection?
        try eventually("a connection to port \(port)", within: span) {
            next = try acceptNow()
            return next != nil
        }
        guard let next else { throw WireError.timedOut("a connection to port \(port)") }
        return next
    }

    /// The next connection; nil if there is none now.
    /// - Throws: `WireError`.
    func acceptNow() throws -> TCPConnection? {
        let peer = lc_accept(descriptor)
        if peer >= 0 { return TCPConnection(owning: peer) }
        // The peer may have gone before it was accepted.
        guard [EAGAIN, EINTR, ECONNABORTED].contains(-peer) else { throw WireError.call("accept4", errno: -peer) }
        return nil
    }
}
