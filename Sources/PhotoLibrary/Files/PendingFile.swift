// SPDX-License-Identifier: MIT
// A file on its way into the library: hidden and locked until the catalogue speaks of it.

import CSystem
import Camera
import DurableFiles
import Glibc

/// What the names in a library's folders say: one that begins with a dot is of a file on its way in or out, and the catalogue
/// says which. All others are of files that are in it.
enum HiddenName {
    /// What `name` is called on its way.
    static func of(_ name: String) -> String { ".\(name)\(suffix)" }

    /// What a file by that name will be called, or was; nil where it is on no way.
    static func target(of name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(suffix), name.utf8.count > suffix.utf8.count + 1 else { return nil }
        return String(name.dropFirst().dropLast(suffix.count))
    }

    /// What `name` is called once its bytes are gone, until its row is, too.
    static func gone(_ name: String) -> String { ".\(name)\(goneSuffix)" }

    /// What a file without its bytes was called; nil for all other names.
    static func targetOfGone(_ name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(goneSuffix), name.utf8.count > goneSuffix.utf8.count + 1 else {
            return nil
        }
        return String(name.dropFirst().dropLast(goneSuffix.count))
    }

    private static let suffix = ".part"
    private static let goneSuffix = ".gone"
}

/// A new file of a library, hidden until `keep`; without that nothing is left of it.
///
/// The catalogue's row comes between: before it the file has its hidden name, after it its own.
/// Whatever ends the program, `PhotoLibrary` then finds a hidden file without a row, which goes, or with one, which is renamed.
struct PendingFile: ~Copyable, Sendable {
    let descriptor: Int32
    private let folder: LibraryFolder
    /// Its folder: a descriptor of its own, closed with it.
    private let parent: Int32
    private let name: String
    private let path: String
    private var fate = Fate.goes

    private enum Fate {
        case goes
        case stays
    }

    /// Makes the file `name` in an open folder; nil where somebody has made one that is hidden, too. Errors speak of `path`.
    init?(_ name: String, in given: Int32, of folder: LibraryFolder, path: String) throws(LibraryError) {
        let parent = fcntl(given, F_DUPFD_CLOEXEC, 0)
        guard parent >= 0 else { throw .fileError(path, call: "fcntl", errno: errno) }
        while true {
            let made = uninterrupted {
                openat(
                    parent, HiddenName.of(name), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    LibraryFolder.filePermissions)
            }
            guard made >= 0 else {
                let reason = errno
                close(parent)
                if reason == EEXIST { return nil }
                throw .fileError(path, call: "open", errno: reason)
            }
            // Those permissions, whatever the umask took away.
            _ = fchmod(made, LibraryFolder.filePermissions)
            // Whoever clears up may have found it before it was locked, and taken it for one that was left.
            var status = stat()
            if flock(made, LOCK_EX | LOCK_NB) == 0, fstat(made, &status) == 0, status.st_nlink == 1 {
                (descriptor, self.folder, self.parent, self.name, self.path) = (made, folder, parent, name, path)
                return
            }
            close(made)
        }
    }

    deinit {
        if fate == .goes { unlinkat(parent, HiddenName.of(name), 0) }
        close(descriptor)
        close(parent)
    }

    /// Adds bytes at the end.
    borrowing func write(_ bytes: [UInt8]) throws(LibraryError) {
        let reason = bytes.withUnsafeBytes { writeAll($0, to: descriptor, folder.calls) }
        guard reason == 0 else { throw .fileError(path, call: "write", errno: reason) }
    }

    /// Waits until its bytes are on the disk.
    borrowing func sync() throws(LibraryError) {
        guard uninterrupted({ folder.calls.sync(descriptor) }) == 0 else {
            throw .fileError(path, call: "fsync", errno: errno)
        }
    }

    /// The catalogue has it: it gets its own name. That need not be on the disk; as long as it is not, or cannot be had, the
    /// hidden one does, and the library renames it when it is opened again.
    mutating func keep() {
        fate = .stays
        folder.show(name, in: parent)
    }

    /// Whether the catalogue has it is not known: whoever opens the library next will see.
    mutating func leave() { fate = .stays }
}
