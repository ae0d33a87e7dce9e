// SPDX-License-Identifier: MIT
// What stands where output is to go, and so how it may be written: only regular files are ever replaced.

import Glibc

/// What a name for output stands for. Looked up anew each time, for it may change.
package enum OutputPlace: Hashable, Sendable {
    /// Nothing yet, or a regular file: a whole new file gets the name.
    case file
    /// A pipe, a terminal or another character device such as /dev/null: bytes are written through it.
    case stream
    /// A folder.
    case folder
    /// Something that is neither replaced nor written to; what it is, with its article.
    case foreign(String)

    /// What `path` stands for: `lstat(2)`, so that a link is seen as one. A link to a folder or a stream is as good as the
    /// thing itself; one to a file is left alone, since replacing it would cut the link, and writing through it would change
    /// a file that nobody named.
    package init(_ path: String) {
        if Self.descriptor(namedBy: path) != nil {
            self = .stream
            return
        }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            self = .file
            return
        }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        if isLink, stat(path, &status) != 0 {
            self = .foreign("a symbolic link that leads nowhere")
            return
        }
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: isLink ? .foreign("a symbolic link") : .file
            case S_IFIFO, S_IFCHR: .stream
            case S_IFDIR: .folder
            case S_IFSOCK: .foreign("a socket")
            case S_IFBLK: .foreign("a block device")
            default: .foreign("no regular file")
            }
    }

    /// The open descriptor a name stands for: `-` is standard output, as is /dev/stdout.
    package static func descriptor(namedBy path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default: break
        }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            return Int32(path.dropFirst(folder.count)).flatMap { $0 >= 0 ? $0 : nil }
        }
        return nil
    }

    /// An error where neither a new file nor a replacement may get the name `path`.
    package static func checkReplaceable(_ path: String) throws(CameraError) {
        switch OutputPlace(path) {
        case .file: return
        case .folder: throw .fileError(path, call: "open", errno: EISDIR)
        case .stream: throw .notReplaceable(path, "no regular file")
        case .foreign(let what): throw .notReplaceable(path, what)
        }
    }
}

extension CameraError {
    /// Something that stays what it is, `--overwrite` or not.
    static func notReplaceable(_ path: String, _ what: String) -> CameraError {
        .badSettings("\(path) is \(what), which is never replaced", hint: "name a regular file, or a new one")
    }
}
