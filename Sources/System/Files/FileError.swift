// SPDX-License-Identifier: MIT
// Failures of files, whatever they hold.

import Glibc
import LivecapThreads

/// A file could not be read or written.
public enum FileError: ExplainedError, Hashable, Sendable {
    /// A system call failed on the file at a path.
    case failed(String, call: String, errno: Int32)
    /// The name is not suitable for the file; the hint says which would be.
    case badName(String, hint: String)
    /// The call was given up while it waited for the other end of a pipe.
    case interrupted
    /// The thread that reads or writes it could not be started.
    case shortage(SystemShortage)
}

extension FileError {
    /// A one-line description of the failure, without a full stop.
    public var message: String {
        switch self {
        case .failed(let path, _, EEXIST): "\(path) already exists"
        case .failed(let path, _, ENOENT) where path.folderPath.isThere: "nothing can be created in \(path.folderPath)"
        case .failed(let path, _, ENOENT): "no folder \(path.folderPath) for \(path)"
        case .failed(let path, _, ENOTDIR): "\(path.folderPath) is not a folder"
        case .failed(let path, _, ENAMETOOLONG): "\(path): the name is too long"
        case .failed(let path, _, EPIPE): "\(path): its reader has gone"
        case .failed(let path, "mkdir", let errno):
            "the folder \(path) cannot be created: \(String(cString: strerror(errno)))"
        case .failed(let path, let call, let errno): "\(path): \(call): \(String(cString: strerror(errno)))"
        case .interrupted: "cancelled before it was complete"
        case .badName(let detail, _): detail
        case .shortage(let shortage): shortage.message
        }
    }

    /// What to do next, in one line.
    public var hint: String {
        switch self {
        case .failed(_, _, ENOSPC), .failed(_, _, EDQUOT): "free space on the disk, or write to another one"
        case .failed(_, _, EFBIG): "the file would exceed the limit on file size: see 'ulimit -f'"
        case .failed(_, _, EACCES), .failed(_, _, EPERM), .failed(_, _, EROFS):
            "check the permissions of the file and its folder, or write elsewhere"
        case .failed(_, _, EEXIST): "allow overwriting, or choose another name"
        case .failed(_, _, EISDIR): "name a file inside it"
        case .failed(let path, _, ENOENT) where path.folderPath.isThere: "write elsewhere"
        case .failed(let path, _, ENOENT): "create it with 'mkdir -p \(path.folderPath)', or write elsewhere"
        case .failed(_, _, ENOTDIR): "write elsewhere"
        case .failed(_, _, ENAMETOOLONG):
            "choose a shorter one: most file systems allow 255 bytes, including a picture's number"
        case .failed(_, _, EMFILE), .failed(_, _, ENFILE): SystemShortage.descriptorHint
        case .failed(_, _, EPIPE): "keep the reader running"
        case .failed: "check the file's folder and its disk"
        case .interrupted: "nothing was written"
        case .badName(_, let hint): hint
        case .shortage(let shortage): shortage.hint
        }
    }

    /// The error's name in JSON.
    public var code: String {
        switch self {
        case .failed: "file-error"
        case .badName: "bad-settings"
        case .interrupted: "interrupted"
        case .shortage: "system-shortage"
        }
    }

    /// The exit status of a program that ends with it: `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .badName: 64  // EX_USAGE
        case .shortage, .failed(_, _, EMFILE), .failed(_, _, ENFILE): 71  // EX_OSERR
        case .failed(_, _, EEXIST), .failed(_, _, EISDIR), .failed(_, _, ENOENT), .failed(_, _, ENOTDIR),
            .failed(_, _, ENAMETOOLONG):
            73
        case .interrupted: 75  // EX_TEMPFAIL
        case .failed(_, _, EACCES), .failed(_, _, EPERM): 77  // EX_NOPERM
        case .failed: 74  // EX_IOERR
        }
    }
}

extension FileError {
    /// Runs what needs a thread or a descriptor of the system.
    package static func wrapping<Result>(_ body: () throws(SystemShortage) -> Result) throws(FileError) -> Result {
        do throws(SystemShortage) { return try body() } catch { throw .shortage(error) }
    }
}

extension String {
    /// Whether something exists at the path: procfs and sysfs refuse new files as if their folders were missing.
    fileprivate var isThere: Bool { access(self, F_OK) == 0 }

    /// The path of the folder that a path names something in.
    package var folderPath: String {
        var path = self[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last component of a path: what follows its last slash.
    package var lastName: String { String(self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...]) }
}
