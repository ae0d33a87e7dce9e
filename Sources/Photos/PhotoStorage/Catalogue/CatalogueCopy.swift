// SPDX-License-Identifier: MIT
// A private copy of a catalogue with a log: SQLite cannot read a log without write access to its folder.

import Glibc
import LivecapFiles

/// A catalogue and its log, copied to a private folder that is removed with this object. Open connections can still
/// read it then.
final class CatalogueCopy {
    let path: String
    private let folder: String

    /// Copies the catalogue at `original`, which errors call `name`. Nil if its log is empty.
    static func ifNeeded(of original: String, named name: String) throws(LibraryError) -> CatalogueCopy? {
        // Another process may be able to write there after all: if the files change meanwhile, they are copied again.
        for _ in 0..<5 {
            let before = states(original)
            guard let log = before[1], log.size > 0 else { return nil }
            let copy = try CatalogueCopy(of: original, named: name)
            if states(original) == before { return copy }
        }
        throw .busy(name)
    }

    private init(of original: String, named name: String) throws(LibraryError) {
        let parent = pathInEnvironment("TMPDIR") ?? "/tmp"
        guard let folder = makeTemporaryFolder("\(parent)/livecap-catalogue-") else {
            throw .fileError(parent, call: "mkdtemp", errno: errno)
        }
        self.folder = folder
        path = "\(folder)/\(LibraryFolder.catalogue)"
        for suffix in ["", Self.logSuffix] { try Self.copy(original + suffix, to: path + suffix, named: name + suffix) }
    }

    deinit {
        for suffix in ["", Self.logSuffix] { unlink(path + suffix) }
        rmdir(folder)
    }

    private static let logSuffix = "-wal"

    /// The properties by which a change of a file is noticed.
    private struct FileState: Equatable {
        let file: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    private static func states(_ original: String) -> [FileState?] {
        ["", logSuffix].map { suffix in
            var status = stat()
            guard lstat(original + suffix, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return FileState(
                file: UInt(status.st_ino), size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
                nanoseconds: status.st_mtim.tv_nsec)
        }
    }

    private static func copy(_ source: String, to target: String, named name: String) throws(LibraryError) {
        let opened = uninterrupted { open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard opened >= 0 else { throw .fileError(name, call: "open", errno: errno) }
        let input = Descriptor(number: opened)
        let made = uninterrupted {
            open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, LibraryFolder.filePermissions)
        }
        guard made >= 0 else { throw .fileError(target, call: "open", errno: errno) }
        let output = Descriptor(number: made)
        var offset = 0
        while true {
            let bytes = try readBytes(input.number, name, at: offset, count: 1 << 20)
            if bytes.isEmpty { return }
            let reason = bytes.withUnsafeBytes { writeAll($0, to: output.number, FileCalls()) }
            guard reason == 0 else { throw .fileError(target, call: "write", errno: reason) }
            offset += bytes.count
        }
    }
}
