// SPDX-License-Identifier: MIT
// The socket's location, and checks that no other user could replace it.

import Glibc
import LivecapCSystem
import LivecapFiles

/// A socket's path, as a folder and a name.
package struct SocketAddress: Hashable {
    package let directory: String
    let name: String
    /// Whether the folder is livecap's own: created if missing, and rejected if other users could write to it.
    let isOwnDirectory: Bool

    package var path: String { directory == "/" ? "/\(name)" : "\(directory)/\(name)" }

    /// An address that the user specified.
    package init(path: String) {
        let slash = path.lastIndex(of: "/")
        name = String(slash.map { path[path.index(after: $0)...] } ?? path[...])
        directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        isOwnDirectory = false
    }

    /// The default address: in the session's runtime folder, or else in a folder of the user's own under /tmp.
    package init(runtimeDirectory: String?, user: uid_t, name: String) {
        let sessions = [runtimeDirectory, "/run/user/\(user)"].compactMap { $0 }
        if let session = sessions.first(where: { isDirectory($0, of: user) }) {
            directory = "\(session)/livecap"
        } else {
            directory = "/tmp/livecap-\(user)"
        }
        self.name = name
        isOwnDirectory = true
    }

    /// Whether nobody listens there.
    package var isDead: Bool {
        let probe = lc_unix_socket()
        guard probe >= 0 else { return false }
        defer { close(probe) }
        return [-ECONNREFUSED, -ENOENT, -ENOTSOCK].contains(path.withFileName { lc_unix_connect(probe, $0) })
    }

    /// Opens the folder, creating it if it is livecap's own: `mkdir(2)`, `open(2)`, `fstat(2)`.
    func openDirectory() throws(ShutterError) -> OwnedDescriptor {
        if isOwnDirectory, mkdir(directory, 0o700) < 0, errno != EEXIST {
            throw .failed(directory, call: "mkdir", errno: errno)
        }
        let number = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isOwnDirectory ? O_NOFOLLOW : 0))
        guard number >= 0 else {
            // A symbolic link or a file.
            if isOwnDirectory, errno == ELOOP || errno == ENOTDIR {
                throw .unsafeDirectory(path: directory, detail: "not a directory")
            }
            throw .failed(directory, call: "open", errno: errno)
        }
        let descriptor = OwnedDescriptor(number)
        guard isOwnDirectory else { return descriptor }
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .failed(directory, call: "fstat", errno: errno) }
        guard status.st_uid == geteuid() else {
            throw .unsafeDirectory(path: directory, detail: "it belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .unsafeDirectory(path: directory, detail: "other users may access it")
        }
        return descriptor
    }
}

/// Whether an absolute path is a directory that belongs to the user.
private func isDirectory(_ path: String, of user: uid_t) -> Bool {
    var status = stat()
    return path.hasPrefix("/") && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        && status.st_uid == user
}
