// SPDX-License-Identifier: MIT
// Determines what exists at an output path, and so how to write to it: only regular files are ever replaced.

import Glibc

/// What an output path refers to. Looked up anew each time, because it may change.
package enum OutputTarget: Hashable, Sendable {
    /// Nothing yet, or a regular file: a new file is written and given the name.
    case file
    /// A pipe, a terminal or another character device such as /dev/null: bytes are written to it.
    case stream
    /// A folder; also a path with a slash at its end where nothing exists yet.
    case folder
    /// Something that is neither replaced nor written to. The string describes it, with an article.
    case foreign(String)

    /// Looks up `path` with `lstat(2)`, so that links are recognised. A link to a folder or a stream is treated like
    /// its target. A link to a file is not touched: replacing it would break the link, and writing through it would
    /// change a file that the user did not name.
    package init(_ path: String) {
        if Self.descriptor(namedBy: path) != nil {
            self = .stream
            return
        }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            self = path.hasSuffix("/") ? .folder : .file
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
            default: .foreign("not a regular file")
            }
    }

    /// The open descriptor that a path refers to. `-` and /dev/stdout are standard output.
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

    /// Throws if `path` is too long for a name; only the file system knows its limit.
    package static func checkLength(_ path: String) throws(FileError) {
        var status = stat()
        if lstat(path, &status) != 0, errno == ENAMETOOLONG {
            throw .failed(path, call: "open", errno: ENAMETOOLONG)
        }
    }

    /// Throws unless a new file or a replacement may be created at `path`.
    package static func checkReplaceable(_ path: String) throws(FileError) {
        try checkLength(path)
        switch OutputTarget(path) {
        case .file: return
        case .folder: throw .failed(path, call: "open", errno: EISDIR)
        case .stream: throw .notReplaceable(path, "not a regular file")
        case .foreign(let what): throw .notReplaceable(path, what)
        }
    }
}

extension FileError {
    /// The error for something that is not replaced even with `--overwrite`.
    static func notReplaceable(_ path: String, _ what: String) -> FileError {
        .badName("\(path) is \(what), and is never replaced", hint: "name a regular file, or a new one")
    }
}
