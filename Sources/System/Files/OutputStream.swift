// SPDX-License-Identifier: MIT
// Output to a pipe, a terminal or a device, in the order it is written.

import Glibc
import LivecapThreads

/// An open stream. Bytes are gone once written, so nothing is synced, replaced or undone.
///
/// Any thread may write; the bytes of each call stay together. The embedding program must ignore SIGPIPE, as for any
/// pipe.
package final class OutputStream: Sendable {
    /// The stream's name in reports.
    package let name: String
    private let descriptor: Int32
    private let turn = Guarded(())

    /// Opens `path`. Opening a named pipe waits for its reader, as `>` does in a shell, until `isUnwanted` returns
    /// true, and then throws `interrupted`. `-` is standard output, which must not be a terminal: pictures can garble
    /// one.
    package init(_ path: String, unless isUnwanted: () -> Bool = { false }) throws(FileError) {
        guard let source = OutputTarget.descriptor(namedBy: path) else {
            name = path
            descriptor = try Self.opened(path, unless: isUnwanted)
            return
        }
        name = source == STDOUT_FILENO ? "standard output" : path
        if source == STDOUT_FILENO, isatty(source) == 1 {
            throw .badName(
                "standard output is a terminal", hint: "redirect it to a file, or pipe it into a program")
        }
        descriptor = uninterrupted { fcntl(source, F_DUPFD_CLOEXEC, 3) }
        guard descriptor >= 0 else { throw .failed(path, call: "dup", errno: errno) }
    }

    private static func opened(_ path: String, unless isUnwanted: () -> Bool) throws(FileError) -> Int32 {
        while true {
            // Non-blocking, because a blocking call that waits for a pipe's reader could not be given up. Writes block
            // again.
            let opened = uninterrupted { open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK) }
            if opened >= 0 {
                _ = fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK)
                return opened
            }
            let reason = errno
            var status = stat()
            // ENXIO from anything but a pipe, such as a device without a driver, is final.
            guard reason == ENXIO, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
                throw .failed(path, call: "open", errno: reason)
            }
            guard !isUnwanted() else { throw .interrupted }
            usleep(20_000)
        }
    }

    deinit { close(descriptor) }

    /// Writes all of `bytes`.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        let reason = turn.withLock { _ in writeAll(bytes) }
        guard reason == 0 else { throw .failed(name, call: "write", errno: reason) }
    }

    /// Writes all of `bytes`.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try bytes.withBytes { (bytes) throws(FileError) in try write(bytes) }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            let put = uninterrupted { Glibc.write(descriptor, rest.baseAddress, rest.count) }
            if put < 0 {
                guard errno == EAGAIN else { return errno }
                // A pipe that the parent process made non-blocking.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
                continue
            }
            guard put > 0 else { return ENOSPC }
            rest = UnsafeRawBufferPointer(rebasing: rest[put...])
        }
        return 0
    }
}
