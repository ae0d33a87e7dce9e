// SPDX-License-Identifier: MIT
// A durable file that does not have its final name yet, and the removal of such files left by dead programs.

import Glibc

/// Durable bytes under a hidden, temporary name. The file is removed with this value unless `takeName` gave it its
/// final name.
///
/// The file stays open and locked until then, so that another process that finds it knows it is in use.
package struct TemporaryFile: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private let calls: FileCalls
    private var hasName = false

    private init(path: String, descriptor: Int32, calls: FileCalls) {
        self.path = path
        self.descriptor = descriptor
        self.calls = calls
    }

    deinit {
        if !hasName { unlink(path) }
        // `fsync` has already reported any error that `close` could report.
        close(descriptor)
    }

    /// Writes `bytes` to a new file in `folder` and waits until they are durable. Errors refer to `target`.
    package static func holding(
        _ bytes: [UInt8], in folder: String, for target: String, _ calls: FileCalls
    ) throws(FileError) -> TemporaryFile {
        let file = try made(in: folder, for: target, calls)
        let reason = bytes.withUnsafeBytes { writeAll($0, to: file.descriptor, calls) }
        guard reason == 0 else { throw .failed(target, call: "write", errno: reason) }
        guard uninterrupted({ calls.sync(file.descriptor) }) == 0 else {
            throw .failed(target, call: "fsync", errno: errno)
        }
        return file
    }

    /// Throws if no file can be created in `folder`. Leaves nothing there. Errors refer to `target`.
    package static func tryFolder(
        _ folder: String, for target: String, _ calls: FileCalls
    ) throws(FileError) {
        _ = try made(in: folder, for: target, calls)
    }

    private static func made(
        in folder: String, for target: String, _ calls: FileCalls
    ) throws(FileError) -> TemporaryFile {
        var serial = 0
        while true {
            let path = "\(folder)/\(prefix)\(serial).\(getpid())\(suffix)"
            // O_EXCL fails if another thread uses the name, or a dead program with our process id left it. Try the next
            // name then.
            let descriptor = uninterrupted { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            if descriptor >= 0 {
                // On file systems without locks, the process id in the name has to do.
                _ = flock(descriptor, LOCK_EX | LOCK_NB)
                return TemporaryFile(path: path, descriptor: descriptor, calls: calls)
            }
            guard errno == EEXIST else { throw .failed(target, call: "open", errno: errno) }
            serial += 1
        }
    }

    /// Gives the file its final name. Returns false if the name exists and may not be replaced. Anything but a regular
    /// file is never replaced.
    package mutating func takeName(_ name: String, mayReplace: Bool) throws(FileError) -> Bool {
        if mayReplace { try OutputTarget.checkReplaceable(name) }
        let reason = calls.rename(RelativePath(path), RelativePath(name), mayReplace)
        switch -reason {
        case 0:
            hasName = true
            return true
        case EEXIST where !mayReplace:
            return false
        case EINVAL where !mayReplace:
            // The file system does not support RENAME_NOREPLACE. A link never replaces, and leaves the temporary name
            // to `deinit`.
            if calls.link(RelativePath(path), RelativePath(name)) == 0 { return true }
            if errno == EEXIST { return false }
            throw .failed(name, call: "link", errno: errno)
        case let reason:
            throw .failed(name, call: "rename", errno: reason)
        }
    }

    /// Gives back the name that it has taken, as if it had not.
    package mutating func giveBack(_ name: String) {
        guard hasName else {
            // It was linked, and its temporary name is still there.
            unlink(name)
            return
        }
        if calls.rename(RelativePath(name), RelativePath(path), true) == 0 { hasName = false }
    }

    private static let prefix = ".livecap-photo."
    private static let suffix = ".part"

    /// Removes temporary files that programs left in `folder` when they died while writing. A file that cannot be
    /// removed does no harm.
    package static func sweep(_ folder: String) {
        for name in fileNames(in: folder) {
            guard let writer = writer(of: name), kill(writer, 0) != 0, errno == ESRCH else { continue }
            let path = "\(folder)/\(name)"
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            // The process may be alive in another container, which has its own process ids. It then holds the lock.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }

    /// The process id in a temporary file's name; nil for all other names.
    private static func writer(of name: String) -> pid_t? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let numbers = name.dropFirst(prefix.count).dropLast(suffix.count).split(
            separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 2, Int(numbers[0]) != nil, let writer = pid_t(numbers[1]), writer > 0 else { return nil }
        return writer
    }
}

/// The names in a folder; empty if it cannot be read.
package func fileNames(in folder: String) -> [String] {
    opendir(folder).map(names) ?? []
}

/// The names in an open folder; empty if it cannot be read.
package func fileNames(in folder: Int32) -> [String] {
    // Use a new descriptor, because reading names starts at the descriptor's position, and closing the handle closes
    // it.
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
        // In place: an entry is only as long as its name, and a copy would read beyond the last one's buffer.
        names.append(
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                FileName.text(name.prefix { $0 != 0 })
            })
    }
    return names
}
