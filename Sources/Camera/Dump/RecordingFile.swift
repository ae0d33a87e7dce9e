// SPDX-License-Identifier: MIT
// The file a recording goes to: nothing under its name until there is a whole frame in it, readable at every moment after.

import CSystem
import Glibc

/// Where a recording's bytes go. One thread at a time.
package protocol RecordingSink: AnyObject {
    /// Bytes written so far.
    var byteCount: Int { get }
    /// Adds bytes at the end. When it throws, some of them may have been added.
    func append(_ bytes: UnsafeRawBufferPointer) throws(CameraError)
    /// Gives the recording its name, if it has not got it yet: there is a whole frame in it.
    func takeName() throws(CameraError)
    /// Cuts off everything from `byteCount` on.
    func truncate(to byteCount: Int) throws(CameraError)
    /// Gives it its name, if it has not got it yet, brings everything to the disk and closes.
    func finish() throws(CameraError)
    /// Leaves nothing behind.
    func discard()
}

/// A file without a name until a whole frame is in it: `open(2)` with O_TMPFILE, so that nothing is left behind whatever
/// ends the program. Where the file system has no such files, it has a hidden name beside its own until then.
///
/// It gets its name not only at the end: a recording must be there, under the name it was asked for, after `kill -9` and
/// while it grows. Since a dump is readable however long it is, it can have it from its first frame on. Until then an
/// older file by that name stays what it is.
package final class RecordingFile: RecordingSink {
    private let path: String
    private let temporaryPath: String
    private let mayReplace: Bool
    private let descriptor: Int32
    /// Where a file without a name is linked from; nil while it has one, be it the hidden one.
    private var nameless: String?
    private var hasName = false
    private var isClosed = false
    package private(set) var byteCount = 0

    /// Makes the file, so that what forbids it is known before anything is recorded.
    package init(_ path: String, overwrite: Bool) throws(CameraError) {
        self.path = path
        mayReplace = overwrite
        try OutputPlace.checkReplaceable(path)
        if !overwrite, access(path, F_OK) == 0 { throw .fileError(path, call: "open", errno: EEXIST) }
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        temporaryPath = "\(path[..<slash]).\(path[slash...]).\(getpid()).part"
        if let (opened, link) = Self.openNameless(in: path.folder) {
            (descriptor, nameless) = (opened, link)
            return
        }
        let opened = uninterrupted { [temporaryPath] in
            open(temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        }
        guard opened >= 0 else { throw .fileError(path, call: "open", errno: errno) }
        descriptor = opened
    }

    /// A file without a name in `folder`, and what names it in /proc; nil where either is not to be had.
    private static func openNameless(in folder: String) -> (descriptor: Int32, link: String)? {
        // O_TMPFILE by the name Swift imports.
        let opened = uninterrupted { open(folder, O_WRONLY | O_CLOEXEC | __O_TMPFILE, 0o644) }
        guard opened >= 0 else { return nil }
        let link = "/proc/self/fd/\(opened)"
        guard access(link, F_OK) == 0 else {
            close(opened)
            return nil
        }
        return (opened, link)
    }

    deinit { if !isClosed { close(descriptor) } }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(CameraError) {
        var done = 0
        while done < bytes.count {
            let put = uninterrupted { write(descriptor, bytes.baseAddress! + done, bytes.count - done) }
            guard put >= 0 else { throw .fileError(path, call: "write", errno: errno) }
            // A write of nothing is how some file systems say that they are full.
            guard put > 0 else { throw .fileError(path, call: "write", errno: ENOSPC) }
            done += put
            byteCount += put
        }
        // The disk begins now, instead of when the kernel has gathered as much as it likes; a hint, so never an error.
        _ = lc_start_writeback(descriptor, Int64(byteCount - bytes.count), Int64(bytes.count))
    }

    package func truncate(to byteCount: Int) throws(CameraError) {
        guard uninterrupted({ ftruncate(descriptor, off_t(byteCount)) }) == 0,
            lseek(descriptor, off_t(byteCount), SEEK_SET) >= 0
        else { throw .fileError(path, call: "ftruncate", errno: errno) }
        self.byteCount = byteCount
    }

    package func finish() throws(CameraError) {
        guard !isClosed else { return }
        try takeName()
        guard uninterrupted({ fsync(descriptor) }) == 0 else { throw .fileError(path, call: "fsync", errno: errno) }
        try requireName()
        isClosed = true
        guard close(descriptor) == 0 else { throw .fileError(path, call: "close", errno: errno) }
        // The name is durable only when its directory is.
        let directory = path.folder
        let opened = uninterrupted { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard opened >= 0 else { throw .fileError(directory, call: "open", errno: errno) }
        defer { close(opened) }
        // Some file systems cannot sync a directory and say so with EINVAL.
        guard uninterrupted({ fsync(opened) }) == 0 || errno == EINVAL else {
            throw .fileError(directory, call: "fsync", errno: errno)
        }
    }

    package func discard() {
        if !hasName, nameless == nil { unlink(temporaryPath) }
        if !isClosed { close(descriptor) }
        isClosed = true
    }

    /// `linkat(2)` where the file has no name at all, then `renameat2(2)`: a link replaces nothing, and a rename refuses to
    /// where that was not asked for.
    package func takeName() throws(CameraError) {
        guard !hasName else { return }
        // It may have come there meanwhile.
        try OutputPlace.checkReplaceable(path)
        if let link = nameless {
            unlink(temporaryPath)
            guard linkat(AT_FDCWD, link, AT_FDCWD, temporaryPath, AT_SYMLINK_FOLLOW) == 0 else {
                throw refused("linkat", errno)
            }
            nameless = nil
        }
        var result = renameAt(AT_FDCWD, temporaryPath, AT_FDCWD, path, mayReplace ? 1 : 0)
        if result == -EINVAL {
            // A file system that cannot refuse: look first.
            result = access(path, F_OK) == 0 && !mayReplace ? -EEXIST : rename(temporaryPath, path)
            if result == -1 { result = -errno }
        }
        guard result == 0 else { throw refused("rename", -result) }
        hasName = true
    }

    /// Somebody may have removed the file meanwhile, or another recording taken its place.
    private func requireName() throws(CameraError) {
        var (mine, there) = (stat(), stat())
        let isThere = fstat(descriptor, &mine) == 0 && stat(path, &there) == 0
        guard isThere, mine.st_ino == there.st_ino, mine.st_dev == there.st_dev else {
            throw .badFile(
                path, detail: "the recording was removed, or replaced by another one, while it was made",
                hint: "record again, to a name nobody else uses")
        }
    }

    /// What cannot be given its name is no recording.
    private func refused(_ call: String, _ reason: Int32) -> CameraError {
        byteCount = 0
        return .fileError(path, call: call, errno: reason)
    }
}

extension String {
    /// The folder a path names something in.
    fileprivate var folder: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
