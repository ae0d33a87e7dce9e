// SPDX-License-Identifier: MIT
// A listening socket with a path, of which only one exists at a time.

import Glibc
import LivecapCSystem
import LivecapFiles

/// A listening Unix socket that only its user can connect to, unless it is open to all. Its path is removed with it.
package final class ListeningSocket: Sendable {
    /// The descriptor to poll for reading.
    package let descriptor: Int32
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The maximum number of clients waiting to be accepted.
    private static let backlog: Int32 = 64
    /// The maximum length of a path, excluding the terminating zero: `unix(7)`.
    static let maxPathBytes = 107

    /// Listens at the address, replacing a socket that nobody listens at any more. With `isOpenToAll`, every user who
    /// can reach its folder can connect.
    package init(at address: SocketAddress, isOpenToAll: Bool = false) throws(ShutterError) {
        let path = address.path
        guard path.withFileName({ strlen($0) }) <= Self.maxPathBytes else {
            throw .pathTooLong(path, limit: Self.maxPathBytes)
        }
        let directory = try address.openDirectory()
        // If two processes find a dead socket at the same time, the second must not remove the one that the first has
        // just created. Closing the folder releases the lock.
        try Self.lock(directory, address)
        let descriptor = lc_unix_socket()
        guard descriptor >= 0 else { throw .failed(path, call: "socket", errno: -descriptor) }
        do throws(ShutterError) {
            // Before the socket has a path, so that other users never have a chance to connect. Binding subtracts the
            // umask, which is the process's, so a socket for all gets its mode again below.
            if fchmod(descriptor, 0o600) < 0 { throw .failed(path, call: "fchmod", errno: errno) }
            var result = path.withFileName { lc_unix_bind(descriptor, $0) }
            if result == -EADDRINUSE {
                try Self.removeDead(path)
                result = path.withFileName { lc_unix_bind(descriptor, $0) }
            }
            if result < 0 { throw .failed(path, call: "bind", errno: -result) }
            if isOpenToAll, chmod(path, 0o666) < 0 { throw .failed(path, call: "chmod", errno: errno) }
            if listen(descriptor, Self.backlog) < 0 { throw .failed(path, call: "listen", errno: errno) }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        var status = stat()
        _ = lstat(path, &status)
        device = status.st_dev
        inode = status.st_ino
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        // Do not remove something that another process has put there since.
        var status = stat()
        if lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode { unlink(path) }
        Glibc.close(descriptor)
    }

    /// Removes a socket that refuses connections, because its process was killed.
    package static func removeDead(at address: SocketAddress) throws(ShutterError) {
        let directory = try address.openDirectory()
        try lock(directory, address)
        try removeDead(address.path)
    }

    /// Locks the folder, waiting at most a second. Each process that creates a socket there holds the lock briefly.
    private static func lock(_ directory: OwnedDescriptor, _ address: SocketAddress) throws(ShutterError) {
        for _ in 0..<50 {
            if flock(directory.number, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .failed(address.directory, call: "flock", errno: errno)
            }
            usleep(20_000)
        }
        // If other users can open the folder, they can hold the lock as long as they like, so continue without it.
        if address.isOwnDirectory { throw .socketInUse(path: address.path) }
    }

    /// Removes a socket that refuses connections.
    private static func removeDead(_ path: String) throws(ShutterError) {
        var status = stat()
        // It has just disappeared.
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else { throw .notASocket(path: path) }
        let probe = lc_unix_socket()
        guard probe >= 0 else { throw .failed(path, call: "socket", errno: -probe) }
        defer { Glibc.close(probe) }
        switch path.withFileName({ lc_unix_connect(probe, $0) }) {
        case -ECONNREFUSED:
            if unlink(path) < 0, errno != ENOENT { throw .failed(path, call: "unlink", errno: errno) }
        case -ENOENT: break
        // -EAGAIN: a live socket that is too busy to accept.
        case 0, -EAGAIN: throw .socketInUse(path: path)
        case let result: throw .failed(path, call: "connect", errno: -result)
        }
    }
}
