// SPDX-License-Identifier: MIT
// A file that is written, and on the disk, but has no name of its own yet; and what dead programs left of such files.

import Camera
import Glibc

/// Bytes on the disk under a hidden, temporary name, which goes away with this value unless `takeName` gave them another.
///
/// It stays open, and locked, until then: who finds it can tell that somebody is at work on it.
package struct TemporaryFile: ~Copyable {
    private let place: FilePlace
    private let descriptor: Int32
    private let calls: FileCalls
    private var hasName = false

    private init(_ place: FilePlace, descriptor: Int32, calls: FileCalls) {
        (self.place, self.descriptor, self.calls) = (place, descriptor, calls)
    }

    deinit {
        if !hasName { unlinkat(place.folder, place.path, 0) }
        // What it could tell, `fsync` has told.
        close(descriptor)
    }

    /// Writes `bytes` into a new file in `folder` and waits until they are on the disk. Errors speak of `target`.
    /// Without `permissions` the file has what the umask leaves.
    package static func holding(
        _ bytes: [UInt8], in folder: FilePlace, for target: String, permissions: mode_t? = nil, _ calls: FileCalls
    ) throws(CameraError) -> TemporaryFile {
        let file = try written(bytes, in: folder, for: target, permissions: permissions, calls)
        try file.sync(for: target)
        return file
    }

    /// Writes `bytes` into a new file in `folder`; `sync` brings them to the disk.
    package static func written(
        _ bytes: [UInt8], in folder: FilePlace, for target: String, permissions: mode_t? = nil, _ calls: FileCalls
    ) throws(CameraError) -> TemporaryFile {
        let file = try made(in: folder, for: target, permissions, calls)
        let reason = bytes.withUnsafeBytes { writeAll($0, to: file.descriptor, calls) }
        guard reason == 0 else { throw .fileError(target, call: "write", errno: reason) }
        return file
    }

    private static func made(
        in folder: FilePlace, for target: String, _ permissions: mode_t?, _ calls: FileCalls
    ) throws(CameraError) -> TemporaryFile {
        var serial = 0
        while true {
            let path = "\(folder.path)/\(prefix)\(serial).\(getpid())\(suffix)"
            // O_EXCL: another thread has the name, or a program that died had our number; the next one then.
            let descriptor = uninterrupted {
                openat(folder.folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions ?? 0o666)
            }
            if descriptor >= 0 {
                // Exactly those, whatever the umask takes away.
                if let permissions { _ = fchmod(descriptor, permissions) }
                // Where files cannot be locked, the process's number in the name has to do.
                _ = flock(descriptor, LOCK_EX | LOCK_NB)
                return TemporaryFile(FilePlace(path, in: folder.folder), descriptor: descriptor, calls: calls)
            }
            guard errno == EEXIST else { throw .fileError(target, call: "open", errno: errno) }
            serial += 1
        }
    }

    /// Waits until what was written is on the disk. Errors speak of `target`.
    package borrowing func sync(for target: String) throws(CameraError) {
        guard uninterrupted({ calls.sync(descriptor) }) == 0 else {
            throw .fileError(target, call: "fsync", errno: errno)
        }
    }

    /// Gives the file its name, looked up as its folder was; false where something has that name already and may not be
    /// replaced.
    package mutating func takeName(_ name: String, mayReplace: Bool) throws(CameraError) -> Bool {
        let named = FilePlace(name, in: place.folder)
        let reason = calls.rename(place, named, mayReplace)
        switch -reason {
        case 0:
            hasName = true
            return true
        case EEXIST where !mayReplace:
            return false
        case EINVAL where !mayReplace:
            // A file system whose renames cannot refuse; a link always does, and leaves the temporary name to `deinit`.
            if calls.link(place, named) == 0 { return true }
            if errno == EEXIST { return false }
            throw .fileError(name, call: "link", errno: errno)
        case let reason:
            throw .fileError(name, call: "rename", errno: reason)
        }
    }

    private static let prefix = ".livecap-photo."
    private static let suffix = ".part"

    /// Removes what programs left in `folder` that died while they wrote. What cannot be removed does no harm.
    package static func sweep(_ folder: String) {
        for name in fileNames(in: folder) { removeIfLeft(FilePlace("\(folder)/\(name)"), named: name) }
    }

    /// Whether a name is one of those that files have here while they are written.
    package static func isTemporary(_ name: String) -> Bool { writer(of: name) != nil }

    /// Removes the file at `place`, called `name`, where that is a temporary name and who wrote there is dead.
    package static func removeIfLeft(_ place: FilePlace, named name: String) {
        guard let writer = writer(of: name), kill(writer, 0) != 0, errno == ESRCH else { return }
        let descriptor = openat(place.folder, place.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        // A process of another container, which has numbers of its own, may be alive: then it holds the lock.
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlinkat(place.folder, place.path, 0) }
        close(descriptor)
    }

    /// The process a temporary name speaks of; nil for all other names.
    private static func writer(of name: String) -> pid_t? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let numbers = name.dropFirst(prefix.count).dropLast(suffix.count).split(
            separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 2, Int(numbers[0]) != nil, let writer = pid_t(numbers[1]), writer > 0 else { return nil }
        return writer
    }
}

/// The names in a folder; none where it cannot be read.
package func fileNames(in folder: String) -> [String] {
    opendir(folder).map(names) ?? []
}

/// The names in an open folder; none where it cannot be read.
package func fileNames(in folder: Int32) -> [String] {
    // One of its own: the names are read from where the descriptor stands, and closed with it.
    let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    guard let handle = fdopendir(descriptor) else {
        close(descriptor)
        return []
    }
    return names(handle)
}

private func names(_ handle: OpaquePointer) -> [String] {
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
        names.append(
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            })
    }
    return names
}
