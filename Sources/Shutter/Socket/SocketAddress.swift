// SPDX-License-Identifier: MIT
// Where the socket lies, and who could put something in its place.

import Glibc

/// A socket's path: its folder and its name in it.
struct SocketAddress: Hashable {
    let directory: String
    let name: String
    /// Whether the folder is livecap's own, made where it is missing and refused where others could write to it.
    let isOwnDirectory: Bool

    var path: String { directory == "/" ? "/\(name)" : "\(directory)/\(name)" }

    /// A place that a user named.
    init(path: String) {
        let slash = path.lastIndex(of: "/")
        name = String(slash.map { path[path.index(after: $0)...] } ?? path[...])
        directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        isOwnDirectory = false
    }

    /// The place where it is looked for when nobody names one: in the session's folder, or else in one of the user's.
    init(runtimeDirectory: String?, user: uid_t) {
        let sessions = [runtimeDirectory, "/run/user/\(user)"].compactMap { $0 }
        if let session = sessions.first(where: { isDirectory($0, of: user) }) {
            directory = "\(session)/livecap"
        } else {
            directory = "/tmp/livecap-\(user)"
        }
        name = "shutter.sock"
        isOwnDirectory = true
    }

    /// Opens the folder, which is made when it is ours to make: `mkdir(2)`, `open(2)`, `fstat(2)`.
    func openDirectory() throws(ShutterError) -> OwnedDescriptor {
        if isOwnDirectory, mkdir(directory, 0o700) < 0, errno != EEXIST {
            throw .failed(directory, call: "mkdir", errno: errno)
        }
        let number = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isOwnDirectory ? O_NOFOLLOW : 0))
        guard number >= 0 else {
            // A link, or a file.
            if isOwnDirectory, errno == ELOOP || errno == ENOTDIR {
                throw .unsafeDirectory(path: directory, detail: "it is no directory")
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
            throw .unsafeDirectory(path: directory, detail: "others may use it")
        }
        return descriptor
    }
}

/// Whether there is a directory at an absolute path that belongs to the user.
private func isDirectory(_ path: String, of user: uid_t) -> Bool {
    var status = stat()
    return path.hasPrefix("/") && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        && status.st_uid == user
}
