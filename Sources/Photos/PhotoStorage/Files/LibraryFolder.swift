// SPDX-License-Identifier: MIT
// A library's folder: its files are reached from its open descriptor, component by component, without following links.

import Glibc
import LivecapCSystem
import LivecapFiles
import LivecapThreads
import Synchronization

/// The open folder of a library. Its files are named by relative paths such as `photos/2026-11-21/223015-042-1.jpg`.
final class LibraryFolder: Sendable {
    /// The path as given, without a slash at its end.
    let path: String
    /// Whether nothing may be written in it.
    let isReadOnly: Bool
    let calls: FileCalls
    private let root: Descriptor
    /// Folders whose names this process has made durable: the process that created one may not have got that far.
    /// Locked while one is created, so that no other thread puts a file in a folder that is about to be removed again.
    private let durable = Guarded<Set<String>>([])
    /// How often names were lost: the number of failed syncs of folders.
    private let losses = Atomic<Int>(0)
    /// Locked during a sync of a folder, because the system reports a failure once, and if two syncs ran at once only
    /// one would learn of it.
    private let syncing = Guarded(())

    static let catalogue = "catalogue.sqlite"
    static let photos = "photos"
    static let bursts = "bursts"
    private static let lock = "lock"
    /// Only the library's owner may read it, whatever the umask.
    static let filePermissions: mode_t = 0o600
    static let folderPermissions: mode_t = 0o700

    /// Opens the folder. If it does not exist, creates it with its parents, provided `mayCreate` is true.
    init(_ named: String, mayCreate: Bool, _ calls: FileCalls) throws(LibraryError) {
        guard !named.isEmpty else { throw .notALibrary("''", detail: "the path is empty") }
        let path = Self.withoutEnd(named)
        self.path = path
        self.calls = calls
        var status = stat()
        if lstat(path, &status) != 0 {
            guard errno == ENOENT else { throw .fileError(path, call: "open", errno: errno) }
            guard mayCreate else { throw .noLibrary(path) }
            try Self.make(path, calls)
        } else if status.st_mode & S_IFMT == S_IFLNK {
            throw .unsafePath(path, detail: "it is a symbolic link")
        } else if status.st_mode & S_IFMT != S_IFDIR {
            throw .notALibrary(path, detail: "not a folder")
        }
        let opened = uninterrupted { LivecapFiles.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard opened >= 0 else { throw .fileError(path, call: "open", errno: errno) }
        root = Descriptor(number: opened)
        isReadOnly = !Self.mayWrite(".", in: opened) || !Self.mayWrite(Self.catalogue, in: opened)
    }

    /// Whether a name in an open folder is writable, or does not exist.
    private static func mayWrite(_ name: String, in folder: Int32) -> Bool {
        faccessat(folder, name, W_OK, AT_EACCESS) == 0 || errno == ENOENT
    }

    /// A folder's path without slashes and dots at its end: with those, the system follows a symbolic link.
    private static func withoutEnd(_ path: String) -> String {
        var path = Substring(path)
        while path.utf8.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        return String(path)
    }

    /// Creates a folder and its missing parents.
    private static func make(_ path: String, _ calls: FileCalls) throws(LibraryError) {
        var reached = path.hasPrefix("/") ? "/" : "."
        for name in path.split(separator: "/") {
            let above = reached
            reached += "/\(name)"
            guard mkdir(reached, folderPermissions) == 0 else {
                guard errno == EEXIST else { throw .fileError(path, call: "mkdir", errno: errno) }
                // Another process may just have created it. Most such folders are old, and we may not read them, so
                // errors are ignored.
                _ = try? syncFolder(above, calls)
                continue
            }
            setPermissions(ofNew: reached, in: AT_FDCWD)
            do throws(FileError) { try syncFolder(above, calls) } catch {
                // Removed so that the next attempt creates it again: the system reports a failure once, and a second
                // sync would falsely succeed.
                rmdir(reached)
                throw LibraryError(error)
            }
        }
    }

    /// Gives a newly created folder its permissions, whatever the umask removed. It uses a descriptor, so that
    /// something put in the folder's place since does not get them.
    private static func setPermissions(ofNew name: String, in folder: Int32) {
        // This kind of descriptor needs no permission, and stands for the folder itself below /proc.
        let opened = lc_open_to_name(folder, name)
        guard opened >= 0 else { return }
        let made = Descriptor(number: opened)
        chmod("/proc/self/fd/\(made.number)", folderPermissions)
    }

    /// The whole path of a file in the library.
    func path(of place: String) -> String { "\(path)/\(place)" }

    /// The path by which SQLite opens the catalogue: through this open folder, wherever the library's path may lead by
    /// now.
    var cataloguePath: String { "/proc/self/fd/\(root.number)/\(Self.catalogue)" }

    /// The state of the catalogue's file.
    enum CatalogueState {
        case missing
        /// An empty file, as it is before its tables are created.
        case empty
        case filled
    }

    /// The state of the catalogue's file, determined without opening it: closing it would end SQLite's locks. Throws if
    /// it is missing or empty although there are photos or frames.
    func catalogueState() throws(LibraryError) -> CatalogueState {
        if case .filled = try catalogueFile() { return .filled }
        let isInUse = [Self.photos, Self.bursts].contains { place in
            guard let opened = try? openFolder(place) else { return false }
            return fileNames(in: opened.number).contains { ![".", ".."].contains($0) }
        }
        // Checked again: a process that is just creating the library begins with the catalogue.
        let state = try catalogueFile()
        if isInUse, state != .filled { throw .lostCatalogue(path) }
        return state
    }

    private func catalogueFile() throws(LibraryError) -> CatalogueState {
        var status = stat()
        guard fstatat(root.number, Self.catalogue, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .missing }
        let whole = path(of: Self.catalogue)
        if status.st_mode & S_IFMT == S_IFLNK { throw .unsafePath(whole, detail: "it is a symbolic link") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notALibrary(whole, detail: "it is no file") }
        return status.st_size > 0 ? .filled : .empty
    }

    /// Throws if there is no catalogue, but something else.
    func checkUsable() throws(LibraryError) {
        guard try catalogueState() == .missing else { return }
        do throws(LibraryError) { try checkEmpty() } catch {
            // A process that is just creating the library begins with the catalogue.
            if try catalogueState() == .missing { throw error }
        }
    }

    private func checkEmpty() throws(LibraryError) {
        let others = fileNames(in: root.number).filter { ![".", "..", Self.lock].contains($0) }
        guard others.isEmpty else {
            throw .notALibrary(path, detail: "it has no catalogue and is not empty")
        }
    }

    /// Creates an empty catalogue for SQLite to fill, in a folder that contains nothing else.
    func makeCatalogue() throws(LibraryError) {
        try checkEmpty()
        let made = openat(
            root.number, Self.catalogue, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, Self.filePermissions)
        guard made >= 0 else { throw .fileError(path(of: Self.catalogue), call: "open", errno: errno) }
        let file = Descriptor(number: made)
        _ = fchmod(file.number, Self.filePermissions)
        do throws(LibraryError) { try sync(root.number, path) } catch {
            unlinkat(root.number, Self.catalogue, 0)
            throw error
        }
    }

    /// A path of the open folder itself, whatever its name is by now.
    var pathOfDescriptor: String { "/proc/self/fd/\(root.number)" }

    /// Opens the file whose bytes are locked for what one process does at a time. Every caller gets an open file of its
    /// own.
    func openLock() throws(LibraryError) -> LockFile {
        try checkWritable()
        let opened = uninterrupted {
            openat(
                root.number, Self.lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, Self.filePermissions)
        }
        guard opened >= 0 else { throw refusal(Self.lock, errno) }
        let file = LockFile(Descriptor(number: opened))
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw refusal(Self.lock, errno) }
        // Its permissions are changed and its blocks freed, which must not happen to a file that is not the library's.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unsafePath(path(of: Self.lock), detail: "not a regular file")
        }
        guard status.st_nlink <= 1 else {
            throw .unsafePath(path(of: Self.lock), detail: "it has a second hard link")
        }
        _ = fchmod(file.number, Self.filePermissions)
        return file
    }

    /// Whether the lock's file exists.
    var hasLock: Bool { hasFile(Self.lock, in: root.number) }

    /// Removes the lock's file from a folder that is not a library; every other process refuses the folder as well.
    func removeLock() { unlinkat(root.number, Self.lock, 0) }

    /// Reserves disk space for removing something from the catalogue when the disk has become full. It allocates blocks
    /// beyond the end of the lock's file, which stays empty. If it cannot, a removal uses the space it frees.
    func reserveSpace(_ lock: borrowing LockFile) {
        var status = stat()
        guard fstat(lock.number, &status) == 0, Int(status.st_blocks) * 512 < Self.roomAside else { return }
        _ = lc_preallocate(lock.number, Int64(Self.roomAside))
    }

    /// Frees the reserved disk space, so that something can be removed.
    func releaseSpace() throws(LibraryError) {
        let lock = try openLock()
        _ = ftruncate(lock.number, 0)
    }

    /// Reserves the disk space again, from what was freed.
    func reserveSpaceAgain() {
        guard let lock = try? openLock() else { return }
        reserveSpace(lock)
    }

    /// What removing a photo may write to the catalogue's log: some 50 pages at worst, its thumbnail and mask, and
    /// pages of the log that are not copied into the catalogue yet. Kept frames are removed in steps that take less.
    static let roomAside = 512 << 10

    /// Throws if nothing may be written.
    func checkWritable() throws(LibraryError) {
        if isReadOnly { throw .readOnly(path) }
    }

    // MARK: Places

    /// The components of a path within the library. Throws if one of them leads elsewhere.
    func names(in place: String) throws(LibraryError) -> [String] {
        let names = place.split(separator: "/", omittingEmptySubsequences: false)
        for name in names where name.isEmpty || name == "." || name == ".." || name.utf8.contains(0) {
            throw .unsafePath(path(of: place), detail: "not a file name of a library")
        }
        return names.map(String.init)
    }

    /// Opens a regular file for reading, or also for writing, without following links.
    func openFile(_ place: String, toWrite: Bool = false) throws(LibraryError) -> Descriptor {
        var names = try names(in: place)
        let name = names.removeLast()
        let folder = try openFolder(names, of: place)
        // A file has its hidden name until its row is stored and it is renamed. Meanwhile it may also change to the
        // other name and back, if a process starts to remove it and then may not.
        for name in [HiddenName.of(name), name, HiddenName.of(name)] {
            do throws(RegularFileRefusal) {
                return Descriptor(number: try openRegularFile(name, in: folder.number, toWrite: toWrite))
            } catch {
                guard [.system(errno: ENOENT), .system(errno: ENAMETOOLONG)].contains(error) else {
                    throw refusal(place, error)
                }
            }
        }
        do throws(RegularFileRefusal) {
            return Descriptor(number: try openRegularFile(name, in: folder.number, toWrite: toWrite))
        } catch { throw refusal(place, error) }
    }

    /// Opens a folder; nil if it does not exist.
    func openFolder(_ place: String) throws(LibraryError) -> Descriptor? {
        do throws(LibraryError) {
            return try openFolder(try names(in: place), of: place)
        } catch {
            if case .missing = error { return nil }
            throw error
        }
    }

    func openFolder(_ names: [String], of place: String) throws(LibraryError) -> Descriptor {
        var folder = try step(root.number, ".", place)
        for name in names { folder = try step(folder.number, name, place) }
        return folder
    }

    private func step(_ folder: Int32, _ name: String, _ place: String) throws(LibraryError) -> Descriptor {
        let opened = uninterrupted { openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard opened >= 0 else { throw refusal(place, errno) }
        return Descriptor(number: opened)
    }

    /// Opens a folder. If it does not exist, creates it durably.
    func makeFolder(_ place: String) throws(LibraryError) -> Descriptor {
        var folder = try step(root.number, ".", place)
        var reached = ""
        for name in try names(in: place) {
            reached += "/\(name)"
            let (above, path) = (folder.number, reached)
            try durable.withLock { (durable) throws(LibraryError) in
                let isNew = mkdirat(above, name, Self.folderPermissions) == 0
                guard isNew || errno == EEXIST else {
                    throw .fileError(self.path(of: place), call: "mkdir", errno: errno)
                }
                if isNew { Self.setPermissions(ofNew: name, in: above) }
                guard isNew || !durable.contains(path) else { return }
                do throws(LibraryError) { try sync(above, self.path(of: place)) } catch {
                    // Removed so that the next attempt creates it again, provided it is still empty.
                    if isNew { unlinkat(above, name, AT_REMOVEDIR) }
                    throw error
                }
                durable.insert(path)
            }
            folder = try step(folder.number, name, place)
        }
        return folder
    }

    /// Whether an open folder contains that name.
    func hasFile(_ name: String, in folder: Int32) -> Bool {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Makes the names in the library's folder durable.
    func syncRoot() throws(LibraryError) { try sync(root.number, path) }

    /// How often names have been lost so far. Ask before a name is created, and pass it to `sync`.
    var lossesSoFar: Int { losses.load(ordering: .acquiring) }

    /// Makes the names in an open folder durable, and throws if any may have been lost since there were so many
    /// `losses`.
    func sync(_ folder: Int32, _ name: String, since losses: Int? = nil) throws(LibraryError) {
        try syncing.withLock { _ throws(LibraryError) in
            guard losses == nil || losses == lossesSoFar else { throw .fileError(name, call: "fsync", errno: EIO) }
            do throws(FileError) { try syncFolder(folder, named: name, calls) } catch {
                // Pairs with the acquiring load of those who create names meanwhile.
                self.losses.wrappingAdd(1, ordering: .releasing)
                throw LibraryError(error)
            }
        }
    }

    private func refusal(_ place: String, _ reason: RegularFileRefusal) -> LibraryError {
        switch reason {
        case .link: refusal(place, ELOOP)
        case .notRegular: .unsafePath(path(of: place), detail: "not a regular file")
        case .system(let errno): refusal(place, errno)
        }
    }

    /// The error for a path that cannot be opened.
    private func refusal(_ place: String, _ reason: Int32) -> LibraryError {
        let whole = path(of: place)
        return switch reason {
        case ENOENT: .missing(whole)
        // A link instead of a file or folder.
        case ELOOP: .unsafePath(whole, detail: "it is a symbolic link, or its path contains one")
        case ENOTDIR: .unsafePath(whole, detail: "a symbolic link or a file where a folder should be")
        default: .fileError(whole, call: "open", errno: reason)
        }
    }
}

/// Translates the camera module's errors to the library's.
func fileCall<Result: ~Copyable>(_ body: () throws(FileError) -> Result) throws(LibraryError) -> Result {
    do throws(FileError) {
        return try body()
    } catch {
        throw LibraryError(error)
    }
}
