// SPDX-License-Identifier: MIT
// A library's folder: what lies in it is reached from its open descriptor, step by step, and no link is followed.

import CSystem
import Camera
import DurableFiles
import Glibc
import Threads

/// The folder of a library, open. Its files are named by places, such as `photos/2026-11-21/223015-042-1.jpg`.
final class LibraryFolder: Sendable {
    /// As it was named, without a slash at its end.
    let path: String
    /// Whether nothing may be written in it.
    let isReadOnly: Bool
    let calls: FileCalls
    private let root: Descriptor
    /// Folders whose names this process has brought to the disk: whoever made one may not have got so far.
    private let durable = Guarded<Set<String>>([])

    static let catalogue = "catalogue.sqlite"
    static let photos = "photos"
    static let bursts = "bursts"
    private static let lock = "lock"
    /// What only the library's owner may read, whatever the umask says.
    static let filePermissions: mode_t = 0o600
    static let folderPermissions: mode_t = 0o700

    /// Opens the folder; where there is none, makes it and those above it.
    init(_ named: String, mayCreate: Bool, _ calls: FileCalls) throws(LibraryError) {
        let path = Self.withoutEnd(named)
        (self.path, self.calls) = (path, calls)
        var status = stat()
        if lstat(path, &status) != 0 {
            guard errno == ENOENT else { throw .fileError(path, call: "open", errno: errno) }
            guard mayCreate else { throw .noLibrary(path) }
            try Self.make(path, calls)
        } else if status.st_mode & S_IFMT == S_IFLNK {
            throw .unsafePath(path, detail: "it is a symbolic link")
        } else if status.st_mode & S_IFMT != S_IFDIR {
            throw .notALibrary(path, detail: "it is no folder")
        }
        let opened = uninterrupted { Camera.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard opened >= 0 else { throw .fileError(path, call: "open", errno: errno) }
        root = Descriptor(number: opened)
        isReadOnly = !Self.mayWrite(".", in: opened) || !Self.mayWrite(Self.catalogue, in: opened)
    }

    /// Whether something in an open folder may be written, or is not there.
    private static func mayWrite(_ name: String, in folder: Int32) -> Bool {
        faccessat(folder, name, W_OK, AT_EACCESS) == 0 || errno == ENOENT
    }

    /// A folder's name without slashes, and dots, at its end: the system follows a link that has them.
    private static func withoutEnd(_ path: String) -> String {
        var path = Substring(path)
        while path.utf8.count > 1, path.hasSuffix("/") || path.hasSuffix("/.") { path.removeLast() }
        return String(path)
    }

    /// Makes a folder and those above it that are not there.
    private static func make(_ path: String, _ calls: FileCalls) throws(LibraryError) {
        var reached = path.hasPrefix("/") ? "/" : "."
        for name in path.split(separator: "/") {
            let above = reached
            reached += "/\(name)"
            guard mkdir(reached, folderPermissions) == 0 else {
                guard errno == EEXIST else { throw .fileError(path, call: "mkdir", errno: errno) }
                // Somebody may have made it right now; most have been there for long, and are not ours to read.
                _ = try? syncFolder(above, calls)
                continue
            }
            setPermissions(ofNew: reached, in: AT_FDCWD)
            do throws(CameraError) { try syncFolder(above, calls) } catch {
                // Made anew by the next attempt: a failure is reported once, and a second sync would succeed in vain.
                rmdir(reached)
                throw LibraryError(error)
            }
        }
    }

    /// Gives a folder just made its permissions, whatever the umask took away: by its descriptor, or what was put in its place
    /// since would get them.
    private static func setPermissions(ofNew name: String, in folder: Int32) {
        // One that needs no permission, and stands for the folder itself below /proc.
        let opened = lc_open_to_name(folder, name)
        guard opened >= 0 else { return }
        let made = Descriptor(number: opened)
        chmod("/proc/self/fd/\(made.number)", folderPermissions)
    }

    /// The whole path of a place.
    func path(of place: String) -> String { "\(path)/\(place)" }

    /// The catalogue as SQLite opens it: through this open folder, whatever its path may lead to by now.
    var cataloguePath: String { "/proc/self/fd/\(root.number)/\(Self.catalogue)" }

    /// How much of a catalogue there is.
    enum CatalogueState {
        case missing
        /// A file without anything in it, as it is before it is filled for the first time.
        case empty
        case filled
    }

    /// How much of a catalogue there is, looked at without opening it: closing it would end SQLite's locks. An error where there
    /// is nothing of it, and there are photos or frames all the same.
    func catalogueState() throws(LibraryError) -> CatalogueState {
        if case .filled = try catalogueFile() { return .filled }
        let isInUse = [Self.photos, Self.bursts].contains { place in
            guard let opened = try? openFolder(place) else { return false }
            return fileNames(in: opened.number).contains { ![".", ".."].contains($0) }
        }
        // Looked at again: who makes a library right now begins with the catalogue.
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

    /// An error where there is no catalogue, and something else.
    func checkUsable() throws(LibraryError) {
        guard try catalogueState() == .missing else { return }
        do throws(LibraryError) { try checkEmpty() } catch {
            // Whoever makes a library right now begins with the catalogue.
            if try catalogueState() == .missing { throw error }
        }
    }

    private func checkEmpty() throws(LibraryError) {
        let others = fileNames(in: root.number).filter { ![".", "..", Self.lock].contains($0) }
        guard others.isEmpty else {
            throw .notALibrary(path, detail: "it has no catalogue, and is not empty")
        }
    }

    /// Makes an empty catalogue for SQLite to fill, in a folder where nothing else is.
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

    /// The file whose bytes are locked for what one process does at a time. Every caller gets one that is its own.
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
        // Its permissions are changed, and its blocks are given back: those of nobody else's file.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unsafePath(path(of: Self.lock), detail: "it is no regular file")
        }
        guard status.st_nlink <= 1 else {
            throw .unsafePath(path(of: Self.lock), detail: "it has another name elsewhere")
        }
        _ = fchmod(file.number, Self.filePermissions)
        return file
    }

    /// Whether there is a lock already.
    var hasLock: Bool { hasFile(Self.lock, in: root.number) }

    /// Takes back the lock of a folder that is no library: every other process refuses it, too.
    func removeLock() { unlinkat(root.number, Self.lock, 0) }

    /// Sets room aside for taking something out of the catalogue on a disk that has become full: blocks behind the end of the
    /// lock's file, which stays empty. Where that cannot be had, removing takes what it frees.
    func setRoomAside(_ lock: borrowing LockFile) {
        var status = stat()
        guard fstat(lock.number, &status) == 0, Int(status.st_blocks) * 512 < Self.roomAside else { return }
        _ = lc_set_blocks_aside(lock.number, Int64(Self.roomAside))
    }

    /// Gives the disk the room back that was set aside, for something to be removed.
    func giveRoomBack() throws(LibraryError) {
        let lock = try openLock()
        _ = ftruncate(lock.number, 0)
    }

    /// Sets the room aside again, from what was freed.
    func setRoomAsideAgain() {
        guard let lock = try? openLock() else { return }
        setRoomAside(lock)
    }

    /// What removing a photo may write to the catalogue's log: some 50 pages at worst, its thumbnail, and pages that the log
    /// itself has yet to bring into the catalogue. Kept frames are removed in steps that take less.
    static let roomAside = 512 << 10

    /// An error where nothing may be written.
    func checkWritable() throws(LibraryError) {
        if isReadOnly { throw .readOnly(path) }
    }

    // MARK: Places

    /// The names a place consists of; an error where one of them leads elsewhere.
    func names(in place: String) throws(LibraryError) -> [String] {
        let names = place.split(separator: "/", omittingEmptySubsequences: false)
        for name in names where name.isEmpty || name == "." || name == ".." || name.utf8.contains(0) {
            throw .unsafePath(path(of: place), detail: "it is no name of a file in the library")
        }
        return names.map(String.init)
    }

    /// Opens a file for reading, or also for writing; only a regular one, reached through no link.
    func openFile(_ place: String, toWrite: Bool = false) throws(LibraryError) -> Descriptor {
        var names = try names(in: place)
        let name = names.removeLast()
        let folder = try openFolder(names, of: place)
        var opened: Int32 = -1
        // Between the row and its name it has the hidden one; and it may go from one to the other and back meanwhile, where
        // somebody wanted to remove it and may not.
        for name in [HiddenName.of(name), name, HiddenName.of(name), name] where opened < 0 {
            opened = Self.open(name, in: folder.number, toWrite ? O_RDWR : O_RDONLY)
            guard opened >= 0 || errno == ENOENT || errno == ENAMETOOLONG else { break }
        }
        guard opened >= 0 else { throw refusal(place, errno) }
        let file = Descriptor(number: opened)
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw refusal(place, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .unsafePath(path(of: place), detail: "it is no regular file")
        }
        return file
    }

    private static func open(_ name: String, in folder: Int32, _ access: Int32) -> Int32 {
        // Non-blocking, or a named pipe would wait for a writer.
        uninterrupted { openat(folder, name, access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    }

    /// Opens a folder; nil where it is not there.
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

    /// Opens a folder, and makes it, durably, where it is not there.
    func makeFolder(_ place: String) throws(LibraryError) -> Descriptor {
        var folder = try step(root.number, ".", place)
        var reached = ""
        for name in try names(in: place) {
            reached += "/\(name)"
            let isNew = mkdirat(folder.number, name, Self.folderPermissions) == 0
            guard isNew || errno == EEXIST else {
                throw .fileError(path(of: place), call: "mkdir", errno: errno)
            }
            if isNew { Self.setPermissions(ofNew: name, in: folder.number) }
            if isNew || !durable.withLock({ $0.contains(reached) }) {
                do throws(LibraryError) { try sync(folder.number, path(of: place)) } catch {
                    // Made anew by the next attempt, as long as nobody has put anything into it.
                    if isNew { unlinkat(folder.number, name, AT_REMOVEDIR) }
                    throw error
                }
                _ = durable.withLock { $0.insert(reached) }
            }
            folder = try step(folder.number, name, place)
        }
        return folder
    }

    /// Whether something in an open folder has that name.
    func hasFile(_ name: String, in folder: Int32) -> Bool {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Brings the names in the folder itself to the disk.
    func syncRoot() throws(LibraryError) { try sync(root.number, path) }

    /// Brings an open folder's names to the disk.
    func sync(_ folder: Int32, _ name: String) throws(LibraryError) {
        try cameraCall { () throws(CameraError) in try syncFolder(folder, named: name, calls) }
    }

    /// Why a place cannot be opened.
    private func refusal(_ place: String, _ reason: Int32) -> LibraryError {
        let whole = path(of: place)
        return switch reason {
        case ENOENT: .missing(whole)
        // A link where a file, or a folder, should be.
        case ELOOP: .unsafePath(whole, detail: "it is, or lies behind, a symbolic link")
        case ENOTDIR: .unsafePath(whole, detail: "what should be a folder is a symbolic link or a file")
        default: .fileError(whole, call: "open", errno: reason)
        }
    }
}

/// What a call throws, in the library's words.
func cameraCall<Result: ~Copyable>(_ body: () throws(CameraError) -> Result) throws(LibraryError) -> Result {
    do throws(CameraError) {
        return try body()
    } catch {
        throw LibraryError(error)
    }
}
