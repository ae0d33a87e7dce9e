// SPDX-License-Identifier: MIT
// The file of a trace: after every successful write it ends with a complete line.

import Glibc
import LivecapFiles

/// A file to which lines are appended. Only one thread at a time may use it.
final class TraceFile {
    private let path: String
    private let calls: FileCalls
    private let descriptor: Int32
    /// The number of bytes that are complete lines.
    private var wholeBytes: off_t = 0

    /// Creates the file, or empties an existing one. A pipe or a device is written to directly.
    init(_ path: String, overwrite: Bool, _ calls: FileCalls) throws(FileError) {
        self.path = path
        self.calls = calls
        let isStream = OutputTarget(path) == .stream
        if !isStream { try OutputTarget.checkReplaceable(path) }
        let manner = isStream ? O_NOCTTY : O_CREAT | O_NOFOLLOW | (overwrite ? O_TRUNC : O_EXCL)
        let opened = uninterrupted { open(path, O_WRONLY | O_CLOEXEC | manner, 0o644) }
        guard opened >= 0 else { throw .failed(path, call: "open", errno: errno) }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Appends complete lines. If it throws, none of them remains in a file that can be truncated.
    func append(_ lines: [UInt8]) throws(FileError) {
        let reason = lines.withUnsafeBytes { writeAll($0, to: descriptor, calls) }
        guard reason == 0 else {
            // A pipe, for example, cannot be truncated and keeps what was written.
            _ = ftruncate(descriptor, wholeBytes)
            lseek(descriptor, wholeBytes, SEEK_SET)
            throw .failed(path, call: "write", errno: reason)
        }
        wholeBytes += off_t(lines.count)
    }

    /// Flushes the file to disk.
    func sync() throws(FileError) {
        // Pipes and devices cannot be flushed, and report EINVAL.
        guard uninterrupted({ calls.sync(descriptor) }) == 0 || errno == EINVAL || errno == EROFS else {
            throw .failed(path, call: "fsync", errno: errno)
        }
    }
}
