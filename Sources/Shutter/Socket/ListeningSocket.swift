// SPDX-License-Identifier: MIT
// A socket with a name, of which there is one at a time.

import CSystem
import Glibc

/// A listening Unix socket that only its user can connect to. Its name goes with it.
final class ListeningSocket: Sendable {
    /// To be polled for reading.
    let descriptor: Int32
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Clients that wait to be taken in.
    private static let backlog: Int32 = 64
    /// The longest path without its zero: `unix(7)`.
    static let mostPathBytes = 107

    /// Listens at the address, in place of a socket that nobody listens at any more.
    init(at address: SocketAddress) throws(ShutterError) {
        let path = address.path
        guard path.utf8.count <= Self.mostPathBytes else { throw .pathTooLong(path, most: Self.mostPathBytes) }
        let directory = try address.openDirectory()
        // Of two that find a dead socket at the same time, the second must not take away what the first has just made.
        // Closing the folder ends it.
        try Self.lock(directory, address)
        let descriptor = lc_unix_socket()
        guard descriptor >= 0 else { throw .failed(path, call: "socket", errno: -descriptor) }
        do throws(ShutterError) {
            // Before it has a name, so that there is no moment in which others could connect.
            if fchmod(descriptor, 0o600) < 0 { throw .failed(path, call: "fchmod", errno: errno) }
            var result = lc_unix_bind(descriptor, path)
            if result == -EADDRINUSE {
                try Self.removeDead(path)
                result = lc_unix_bind(descriptor, path)
            }
            if result < 0 { throw .failed(path, call: "bind", errno: -result) }
            if listen(descriptor, Self.backlog) < 0 { throw .failed(path, call: "listen", errno: errno) }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        var status = stat()
        _ = lstat(path, &status)
        (device, inode) = (status.st_dev, status.st_ino)
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        // Not what somebody else has put there since.
        var status = stat()
        if lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode { unlink(path) }
        Glibc.close(descriptor)
    }

    /// Waits for the folder a second at most: who makes a socket there holds it for a moment.
    private static func lock(_ directory: OwnedDescriptor, _ address: SocketAddress) throws(ShutterError) {
        for _ in 0..<50 {
            if flock(directory.number, LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .failed(address.directory, call: "flock", errno: errno)
            }
            usleep(20_000)
        }
        // In a folder that others can open they can hold it as long as they like: so it is not waited for.
        if address.isOwnDirectory { throw .socketInUse(path: address.path) }
    }

    /// Takes a socket away that refuses connections.
    private static func removeDead(_ path: String) throws(ShutterError) {
        var status = stat()
        // Gone in this moment.
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else { throw .notASocket(path: path) }
        let probe = lc_unix_socket()
        guard probe >= 0 else { throw .failed(path, call: "socket", errno: -probe) }
        defer { Glibc.close(probe) }
        switch lc_unix_connect(probe, path) {
        case -ECONNREFUSED:
            if unlink(path) < 0, errno != ENOENT { throw .failed(path, call: "unlink", errno: errno) }
        case -ENOENT: break
        // Also one too busy to take us in.
        case 0, -EAGAIN: throw .socketInUse(path: path)
        case let result: throw .failed(path, call: "connect", errno: -result)
        }
    }
}
