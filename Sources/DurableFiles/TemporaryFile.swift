// SPDX-License-Identifier: MIT
// A file that is written, and on the disk, but has no name of its own yet; and what dead programs left of such files.

import Camera
import Glibc

/// Bytes on the disk under a hidden, temporary name, which goes away with this value unless `takeName` gave them another.
///
/// It stays open, and locked, until then: who finds it can tell that somebody is at work on it.
package struct TemporaryFile: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private let calls: FileCalls
    private var hasName = false

    private init(path: String, descriptor: Int32, calls: FileCalls) {
        (self.path, self.descriptor, self.calls) = (path, descriptor, calls)
    }

    deinit {
        if !hasName { unlink(path) }
        // What it could tell, `fsync` has told.
        close(descriptor)
    }

    /// Writes `bytes` into a new file in `folder` and waits until they are on the disk. Errors speak of `target`.
    package static func holding(
        _ bytes: [UInt8], in folder: String, for target: String, _ calls: FileCalls
    ) throws(CameraError) -> TemporaryFile {
        let file = try made(in: folder, for: target, calls)
        let reason = bytes.withUnsafeBytes { writeAll($0, to: file.descriptor, calls) }
        guard reason == 0 else { throw .fileError(target, call: "write", errno: reason) }
        guard uninterrupted({ calls.sync(file.descriptor) }) == 0 else {
            throw .fileError(target, call: "fsync", errno: errno)
        }
        return file
    }

    /// Fails where no file can be made in `folder`, and leaves nothing there. Errors speak of `target`.
    package static func tryFolder(
        _ folder: String, for target: String, _ calls: FileCalls
    ) throws(CameraError) {
        _ = try made(in: folder, for: target, calls)
    }

    private static func made(
        in folder: String, for target: String, _ calls: FileCalls
    ) throws(CameraError) -> TemporaryFile {
        var serial = 0
        while true {
            let path = "\(folder)/\(prefix)\(serial).\(getpid())\(suffix)"
            // O_EXCL: another thread has the name, or a program that died had our number; the next one then.
            let descriptor = uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            if descriptor >= 0 {
                // Where files cannot be locked, the process's number in the name has to do.
                _ = flock(descriptor, LOCK_EX | LOCK_NB)
                return TemporaryFile(path: path, descriptor: descriptor, calls: calls)
            }
            guard errno == EEXIST else { throw .fileError(target, call: "open", errno: errno) }
            serial += 1
        }
    }

    /// Gives the file its name; false where something has that name already and may not be replaced. What is no regular file
    /// never is.
    package mutating func takeName(_ name: String, mayReplace: Bool) throws(CameraError) -> Bool {
        if mayReplace { try OutputPlace.checkReplaceable(name) }
        let reason = calls.rename(FilePlace(path), FilePlace(name), mayReplace)
        switch -reason {
        case 0:
            hasName = true
            return true
        case EEXIST where !mayReplace:
            return false
        case EINVAL where !mayReplace:
            // A file system whose renames cannot refuse; a link always does, and leaves the temporary name to `deinit`.
            if calls.link(FilePlace(path), FilePlace(name)) == 0 { return true }
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
        for name in fileNames(in: folder) {
            guard let writer = writer(of: name), kill(writer, 0) != 0, errno == ESRCH else { continue }
            let path = "\(folder)/\(name)"
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            // A process of another container, which has numbers of its own, may be alive: then it holds the lock.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
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
                FileName.text(name.prefix { $0 != 0 })
            })
    }
    return names
}
