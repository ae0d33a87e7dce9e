// SPDX-License-Identifier: MIT
// The file of a recording. It gets its name once it holds a complete frame, and is readable at any time after that.

import Glibc
import LivecapFiles

/// A destination for a recording's bytes. Used by one thread at a time.
package protocol RecordingSink: AnyObject {
    /// Bytes written so far.
    var byteCount: Int { get }
    /// Appends bytes. If it throws, some of them may have been appended.
    func append(_ bytes: UnsafeRawBufferPointer) throws(FrameFileError)
    /// Gives the recording its name unless it already has it. Called when it holds a complete frame.
    func takeName() throws(FrameFileError)
    /// Truncates the recording to `byteCount`.
    func truncate(to byteCount: Int) throws(FrameFileError)
    /// Names the recording unless it already has its name, makes it durable and closes it.
    func finish() throws(FrameFileError)
    /// Removes the recording without a trace.
    func discard()
}

/// A file that has no name until it holds a complete frame: `open(2)` with O_TMPFILE, so that nothing is left behind,
/// however the program ends. If the file system does not support such files, the file has a hidden name in the same
/// folder until then.
///
/// It gets its name before the recording is finished, because a recording must exist under the requested name after
/// `kill -9` and while it grows. A dump is readable at any length, so it can have its name from its first frame on.
/// Until then an existing file of that name is untouched.
package final class RecordingFile: RecordingSink {
    /// The path it has, or is to have.
    package private(set) var path: String
    /// Another path, if the present one is taken meanwhile.
    private let nextPath: (() -> String?)?
    private let temporaryPath: String
    private let mayReplace: Bool
    private let descriptor: Int32
    /// The /proc path from which a nameless file is linked; nil once the file has a name, including the hidden one.
    private var nameless: String?
    private var hasName = false
    private var isClosed = false
    package private(set) var byteCount = 0

    /// Creates the file, so that any obstacle is known before recording starts. If another program takes its path
    /// before it holds a complete frame, it gets the one in the same folder that `nextPath` gives, if that gives any.
    package init(_ path: String, overwrite: Bool, orAt nextPath: (() -> String?)? = nil) throws(FrameFileError) {
        self.path = path
        self.nextPath = nextPath
        mayReplace = overwrite
        try FrameFileError.wrapping { () throws(FileError) in try OutputTarget.checkReplaceable(path) }
        if !overwrite, access(path, F_OK) == 0 { throw .failed(path, call: "open", errno: EEXIST) }
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        // Random, because a process may make two files that are to have the same name.
        let number = String(UInt32.random(in: 0...(.max)), radix: 16)
        temporaryPath = "\(path[..<slash]).\(Self.stem(of: path[slash...])).\(getpid())-\(number).part"
        if let (opened, link) = Self.openNameless(in: path.folderPath) {
            descriptor = opened
            nameless = link
            markAsBeingWritten()
            return
        }
        Self.sweep(path.folderPath)
        let opened = uninterrupted { [temporaryPath] in
            open(temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        }
        guard opened >= 0 else { throw .failed(path, call: "open", errno: errno) }
        descriptor = opened
        markAsBeingWritten()
    }

    /// Whoever wants to remove the file finds it locked until it is closed: `flock(2)`.
    private func markAsBeingWritten() { _ = flock(descriptor, LOCK_EX | LOCK_NB) }

    /// Closes the descriptor. The lock ends although others may have copies of it: a thread that flushes, or a process
    /// that is just being started.
    private func closeUnlocked() -> Int32 {
        _ = flock(descriptor, LOCK_UN)
        return close(descriptor)
    }

    /// The part of a name that its hidden name contains: of a long name only the beginning, to leave room for the rest.
    private static func stem(of name: Substring) -> String {
        name.utf8.count <= 200 ? String(name) : String(String.UnicodeScalarView(name.unicodeScalars.prefix(48)))
    }

    /// Opens a nameless file in `folder` and returns its path in /proc; nil if either is unavailable.
    private static func openNameless(in folder: String) -> (descriptor: Int32, link: String)? {
        // Swift imports O_TMPFILE only under this name.
        let opened = uninterrupted { open(folder, O_WRONLY | O_CLOEXEC | __O_TMPFILE, 0o644) }
        guard opened >= 0 else { return nil }
        let link = "/proc/self/fd/\(opened)"
        guard access(link, F_OK) == 0 else {
            close(opened)
            return nil
        }
        return (opened, link)
    }

    deinit { if !isClosed { _ = closeUnlocked() } }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(FrameFileError) {
        var done = 0
        while done < bytes.count {
            let put = uninterrupted { write(descriptor, bytes.baseAddress! + done, bytes.count - done) }
            guard put >= 0 else { throw .failed(path, call: "write", errno: errno) }
            // Some file systems report that they are full by writing zero bytes.
            guard put > 0 else { throw .failed(path, call: "write", errno: ENOSPC) }
            done += put
            byteCount += put
        }
        // Start writing to disk now instead of when the kernel has gathered as much as it likes. Only a hint, so errors
        // are ignored.
        startWriting(descriptor, from: byteCount - bytes.count, count: bytes.count)
    }

    /// Replaces bytes that were appended before: `pwrite(2)`.
    package func rewrite(_ bytes: UnsafeRawBufferPointer, at position: Int) throws(FrameFileError) {
        precondition(position >= 0 && bytes.count <= byteCount - position, "only what was appended is replaced")
        var done = 0
        while done < bytes.count {
            let put = uninterrupted {
                pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(position + done))
            }
            guard put >= 0 else { throw .failed(path, call: "pwrite", errno: errno) }
            guard put > 0 else { throw .failed(path, call: "pwrite", errno: ENOSPC) }
            done += put
        }
    }

    package func truncate(to byteCount: Int) throws(FrameFileError) {
        guard uninterrupted({ ftruncate(descriptor, off_t(byteCount)) }) == 0,
            lseek(descriptor, off_t(byteCount), SEEK_SET) >= 0
        else { throw .failed(path, call: "ftruncate", errno: errno) }
        self.byteCount = byteCount
    }

    package func finish() throws(FrameFileError) {
        guard !isClosed else { return }
        try takeName()
        guard uninterrupted({ fsync(descriptor) }) == 0 else { throw .failed(path, call: "fsync", errno: errno) }
        try requireName()
        isClosed = true
        guard closeUnlocked() == 0 else { throw .failed(path, call: "close", errno: errno) }
        // The name is durable only after its directory has been synced.
        try FrameFileError.wrapping { () throws(FileError) in try syncFolder(path.folderPath, FileCalls()) }
    }

    /// What makes the file durable while it grows, on another thread. It may outlive the file.
    package func makeFlusher() throws(FrameFileError) -> RecordingFlusher {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .failed(path, call: "fcntl", errno: errno) }
        return RecordingFlusher(copy, path)
    }

    package func discard() {
        if !hasName, nameless == nil { unlink(temporaryPath) }
        if !isClosed { _ = closeUnlocked() }
        isClosed = true
    }

    /// Uses `linkat(2)` if the file has no name at all, then `renameat2(2)`: a link never replaces a file, and a rename
    /// refuses to do so unless requested.
    package func takeName() throws(FrameFileError) {
        guard !hasName else { return }
        // The destination may have appeared in the meantime.
        try FrameFileError.wrapping { () throws(FileError) in try OutputTarget.checkReplaceable(path) }
        if let link = nameless {
            unlink(temporaryPath)
            guard linkat(AT_FDCWD, link, AT_FDCWD, temporaryPath, AT_SYMLINK_FOLLOW) == 0 else {
                throw refused("linkat", errno)
            }
            nameless = nil
        }
        var result = renameAt(AT_FDCWD, temporaryPath, AT_FDCWD, path, mayReplace ? 1 : 0)
        if result == -EINVAL {
            // The file system does not support RENAME_NOREPLACE: check first.
            result = access(path, F_OK) == 0 && !mayReplace ? -EEXIST : rename(temporaryPath, path)
            if result == -1 { result = -errno }
        }
        if result == -EEXIST, let next = nextPath?() {
            path = next
            return try takeName()
        }
        guard result == 0 else { throw refused("rename", -result) }
        hasName = true
    }

    /// Checks that the file still has its name: another process may have removed or replaced it.
    private func requireName() throws(FrameFileError) {
        var (mine, there) = (stat(), stat())
        let isThere = fstat(descriptor, &mine) == 0 && stat(path, &there) == 0
        guard isThere, mine.st_ino == there.st_ino, mine.st_dev == there.st_dev else { throw .removed(path) }
    }

    /// Whether the file can be found under its name.
    package var isInPlace: Bool {
        // That was checked before it was closed.
        hasName && (isClosed || (try? requireName()) != nil)
    }

    /// A file that cannot be given its name does not count as a recording.
    private func refused(_ call: String, _ reason: Int32) -> FrameFileError {
        byteCount = 0
        return .failed(path, call: call, errno: reason)
    }
}

/// Makes a recording durable while it grows. Used by one thread at a time.
package final class RecordingFlusher: Sendable {
    private let descriptor: Int32
    private let path: String

    init(_ descriptor: Int32, _ path: String) { (self.descriptor, self.path) = (descriptor, path) }

    deinit { close(descriptor) }

    /// Waits until what was appended is durable, and the file's name, which it must have.
    package func flush() throws(FrameFileError) {
        guard uninterrupted({ fdatasync(descriptor) }) == 0 else {
            throw .failed(path, call: "fdatasync", errno: errno)
        }
        try FrameFileError.wrapping { () throws(FileError) in try syncFolder(path.folderPath, FileCalls()) }
    }
}
