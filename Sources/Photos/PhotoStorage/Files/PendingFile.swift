// SPDX-License-Identifier: MIT
// A file being added to the library: hidden and locked until the catalogue has it.

import Glibc
import LivecapCSystem
import LivecapFiles

/// The meaning of names in a library's folders. A name that begins with a dot is a file being added or removed, and the
/// catalogue tells which. All other names are files that are in the library.
enum HiddenName {
    /// The hidden name of `name`.
    static func of(_ name: String) -> String { ".\(name)\(suffix)" }

    /// The name that a hidden file will have, or had; nil if the name is not a hidden one.
    static func target(of name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(suffix), name.utf8.count > suffix.utf8.count + 1 else { return nil }
        return String(name.dropFirst().dropLast(suffix.count))
    }

    /// The name of `name` once its bytes are removed, until its row is removed as well.
    static func gone(_ name: String) -> String { ".\(name)\(goneSuffix)" }

    /// The original name of an emptied file; nil for all other names.
    static func targetOfGone(_ name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(goneSuffix), name.utf8.count > goneSuffix.utf8.count + 1 else {
            return nil
        }
        return String(name.dropFirst().dropLast(goneSuffix.count))
    }

    /// The name of the file that is to replace `name`, until it does.
    static func next(_ name: String) -> String { ".\(name)\(nextSuffix)" }

    /// The name of the file that a hidden one is to replace; nil for all other names.
    static func targetOfNext(_ name: String) -> String? {
        guard name.hasPrefix("."), name.hasSuffix(nextSuffix), name.utf8.count > nextSuffix.utf8.count + 1 else {
            return nil
        }
        return String(name.dropFirst().dropLast(nextSuffix.count))
    }

    private static let suffix = ".part"
    private static let goneSuffix = ".gone"
    private static let nextSuffix = ".next"
}

/// A new file of a library, hidden until `keep`. Without that call, it is removed.
///
/// The catalogue's row is stored in between: before it the file has its hidden name, after it its own. However the
/// program ends, `PhotoLibrary` afterwards finds either a hidden file without a row, which it removes, or one with a
/// row, which it renames.
struct PendingFile: ~Copyable, Sendable {
    let descriptor: Int32
    private let folder: LibraryFolder
    /// A descriptor of its folder, closed with it.
    private let parent: Int32
    private let name: String
    private let hidden: String
    private let path: String
    /// How often names had been lost before it was created.
    let losses: Int
    private var fate = Fate.goes

    private enum Fate {
        case goes
        case stays
    }

    /// Creates the file `name` in an open folder; nil if a hidden file of that name exists. Errors name `path`. Until
    /// it is kept, it has the name `hidden` (default: that of a new file).
    init?(
        _ name: String, in given: Int32, of folder: LibraryFolder, path: String, as hidden: String? = nil
    ) throws(LibraryError) {
        let hidden = hidden ?? HiddenName.of(name)
        let parent = fcntl(given, F_DUPFD_CLOEXEC, 0)
        guard parent >= 0 else { throw .fileError(path, call: "fcntl", errno: errno) }
        let losses = folder.lossesSoFar
        while true {
            let made = uninterrupted {
                openat(
                    parent, hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                    LibraryFolder.filePermissions)
            }
            guard made >= 0 else {
                let reason = errno
                close(parent)
                if reason == EEXIST { return nil }
                throw .fileError(path, call: "open", errno: reason)
            }
            // Exactly those permissions, whatever the umask removed.
            _ = fchmod(made, LibraryFolder.filePermissions)
            // A clean-up may have found it before it was locked, and removed it as a leftover.
            var status = stat()
            if flock(made, LOCK_EX | LOCK_NB) == 0, fstat(made, &status) == 0, status.st_nlink == 1 {
                descriptor = made
                self.folder = folder
                self.parent = parent
                self.name = name
                self.path = path
                self.hidden = hidden
                self.losses = losses
                return
            }
            close(made)
        }
    }

    deinit {
        if fate == .goes { unlinkat(parent, hidden, 0) }
        close(descriptor)
        close(parent)
    }

    /// Appends bytes.
    borrowing func write(_ bytes: [UInt8]) throws(LibraryError) {
        let reason = bytes.withUnsafeBytes { writeAll($0, to: descriptor, folder.calls) }
        guard reason == 0 else { throw .fileError(path, call: "write", errno: reason) }
    }

    /// Waits until its bytes are durable.
    borrowing func sync() throws(LibraryError) {
        guard uninterrupted({ folder.calls.sync(descriptor) }) == 0 else {
            throw .fileError(path, call: "fsync", errno: errno)
        }
    }

    /// Waits until its hidden name is durable.
    borrowing func syncName() throws(LibraryError) { try folder.sync(parent, path, since: losses) }

    /// Gives it its own name, after the catalogue has stored it. The name need not be durable: if it is lost or taken,
    /// the hidden name serves, and the library renames the file when it is next opened.
    mutating func keep(mayReplace: Bool = false) {
        fate = .stays
        folder.show(name, in: parent, from: hidden, mayReplace: mayReplace)
    }

    /// Leaves it in place when it is unknown whether the catalogue has it; the next process that opens the library
    /// decides.
    mutating func leave() { fate = .stays }
}
