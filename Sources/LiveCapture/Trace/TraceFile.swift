// SPDX-License-Identifier: MIT
// The file of a trace: whole lines at its end whenever writing succeeded.

import Camera
import DurableFiles
import Glibc

/// A file lines are added to. One thread at a time.
final class TraceFile {
    private let path: String
    private let calls: FileCalls
    private let descriptor: Int32
    /// Bytes of it that are whole lines.
    private var wholeBytes: off_t = 0

    /// Makes the file, or empties the one that is there. A pipe or a device is written through.
    init(_ path: String, overwrite: Bool, _ calls: FileCalls) throws(CameraError) {
        (self.path, self.calls) = (path, calls)
        let isStream = OutputPlace(path) == .stream
        if !isStream { try OutputPlace.checkReplaceable(path) }
        let manner = isStream ? O_NOCTTY : O_CREAT | O_NOFOLLOW | (overwrite ? O_TRUNC : O_EXCL)
        let opened = uninterrupted { open(path, O_WRONLY | O_CLOEXEC | manner, 0o644) }
        guard opened >= 0 else { throw .fileError(path, call: "open", errno: errno) }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Adds whole lines. When it throws, none of them is left in a file that can be cut.
    func append(_ lines: [UInt8]) throws(CameraError) {
        let reason = lines.withUnsafeBytes { writeAll($0, to: descriptor, calls) }
        guard reason == 0 else {
            // What cannot be cut, such as a pipe, keeps what it got.
            _ = ftruncate(descriptor, wholeBytes)
            lseek(descriptor, wholeBytes, SEEK_SET)
            throw .fileError(path, call: "write", errno: reason)
        }
        wholeBytes += off_t(lines.count)
    }

    /// Brings everything to the disk.
    func sync() throws(CameraError) {
        // What is no file has no disk, and says so with EINVAL.
        guard uninterrupted({ calls.sync(descriptor) }) == 0 || errno == EINVAL || errno == EROFS else {
            throw .fileError(path, call: "fsync", errno: errno)
        }
    }
}
