// SPDX-License-Identifier: MIT
// The socket that a service manager has opened for this process: sd_listen_fds(3).

import Glibc

/// A listening socket that systemd, or whoever starts services as it does, hands over.
package enum HandedSocket {
    /// The first descriptor that is handed over.
    private static let first: Int32 = 3

    /// The socket; nil if none was handed to this process. Children do not get it again.
    /// - Throws: `badSocket` unless it is one, of the internet, and listens.
    package static func take() throws(HTTPError) -> Int32? {
        let (process, count) = (variable("LISTEN_PID"), variable("LISTEN_FDS"))
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        guard let process, process == "\(getpid())", let count else { return nil }
        guard let number = Int32(count), (0...1024).contains(number) else {
            throw .badSocket("LISTEN_FDS is '\(count)'")
        }
        guard number > 0 else { return nil }
        for descriptor in first..<first + number {
            let flags = fcntl(descriptor, F_GETFD)
            if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
        }
        guard number == 1 else { throw .badSocket("there are \(number)") }
        try check(first)
        let flags = fcntl(first, F_GETFL)
        guard flags >= 0, fcntl(first, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw .badSocket("it cannot be set to wait for nothing")
        }
        return first
    }

    /// Throws unless a descriptor is a socket that connections of browsers are accepted from.
    package static func check(_ descriptor: Int32) throws(HTTPError) {
        guard let type = option(SO_TYPE, of: descriptor) else { throw .badSocket("it is no socket") }
        guard type == Int32(SOCK_STREAM.rawValue) else { throw .badSocket("it is not of the kind ListenStream") }
        guard HTTPAddress(of: descriptor) != nil else { throw .badSocket("it has no address of the internet") }
        guard option(SO_ACCEPTCONN, of: descriptor) == 1 else {
            throw .badSocket("it is a connection, as with Accept=yes, and does not listen")
        }
    }

    private static func option(_ name: Int32, of socket: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
