// SPDX-License-Identifier: MIT
// A file that is read by position, so that truncation or growth meanwhile does no harm.

import Glibc
import LivecapFiles

/// An open regular file, or the spooled contents of a pipe: `open(2)`, `pread(2)`. It is never mapped, because a
/// mapping kills the reader when the file is truncated.
final class InputFile: Sendable {
    let path: String
    /// The size of the file when it was opened, in bytes.
    let byteCount: Int
    private let descriptor: Int32

    /// Opens `path`; `-` is standard input. Data from a pipe is first copied to a file, because frames are read by
    /// position; the copy ends as `interrupted` as soon as `isUnwanted` returns true.
    init(_ path: String, unless isUnwanted: () -> Bool = { false }) throws(FrameFileError) {
        let isStandardInput = path == "-"
        let opened = try isStandardInput ? Self.standardInput() : Self.opened(path)
        var file = opened
        var status = stat()
        guard fstat(opened, &status) == 0 else {
            let reason = errno
            close(opened)
            throw .failed(path, call: "fstat", errno: reason)
        }
        do throws(FrameFileError) {
            let kind = status.st_mode & S_IFMT
            // Standard input may also be a socket or a device such as /dev/null.
            if kind == S_IFIFO || isStandardInput && kind != S_IFREG && kind != S_IFDIR {
                file = try SpooledInput.copy(of: opened, unless: isUnwanted)
                guard fstat(file, &status) == 0 else { throw .failed(path, call: "fstat", errno: errno) }
            } else if kind != S_IFREG {
                throw .notAFile(path)
            }
        } catch {
            close(opened)
            throw error
        }
        if file != opened { close(opened) }
        self.path = isStandardInput ? "standard input" : path
        byteCount = Int(status.st_size)
        descriptor = file
    }

    private static func opened(_ path: String) throws(FrameFileError) -> Int32 {
        // Non-blocking, because opening a named pipe would otherwise wait for a writer.
        let opened = uninterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard opened >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? .noSuchFile(path) : .failed(path, call: "open", errno: errno)
        }
        return opened
    }

    private static func standardInput() throws(FrameFileError) -> Int32 {
        if isatty(STDIN_FILENO) == 1 {
            throw .badSettings("standard input is a terminal", hint: "pipe frames into it")
        }
        let opened = uninterrupted { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) }
        guard opened >= 0 else { throw .failed("standard input", call: "dup", errno: errno) }
        return opened
    }

    deinit { close(descriptor) }

    /// Fills `bytes` from `offset` on. Returns the number of bytes read, which is less only at the end of the file.
    func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> Int {
        let got = readAll(descriptor, at: offset, into: bytes)
        guard got >= 0 else { throw .failed(path, call: "pread", errno: errno) }
        return got
    }

    /// Where data next begins at or after `offset`, skipping holes; nil if there is none: `lseek(2)`. File systems
    /// without holes report everything as data.
    func nextData(from offset: Int) -> Int? {
        guard offset < byteCount else { return nil }
        let place = lseek(descriptor, off_t(offset), seekData)
        if place >= 0 { return Int(place) < byteCount ? Int(place) : nil }
        return errno == ENXIO ? nil : offset
    }

    /// Reads up to `count` bytes from `offset` on.
    func bytes(at offset: Int, count: Int) throws(FrameFileError) -> [UInt8] {
        let wanted = min(count, max(0, byteCount - offset))
        var bytes = [UInt8](repeating: 0, count: wanted)
        // `withUnsafeMutableBytes` would lose the type of the error.
        let got = try bytes.withMutableBytes { (buffer) throws(FrameFileError) in try read(at: offset, into: buffer) }
        bytes.removeLast(wanted - got)
        return bytes
    }

    /// Fills `bytes` with a frame from `offset` on and zeroes any missing bytes. Returns whether the frame was
    /// complete.
    func readFrame(at offset: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> Bool {
        let got = try read(at: offset, into: bytes)
        if got < bytes.count { memset(bytes.baseAddress! + got, 0, bytes.count - got) }
        return got == bytes.count
    }
}

/// `SEEK_DATA`, which `unistd.h` declares only for GNU programs.
private let seekData: Int32 = 3

/// Whether `path` is a regular file or a link to one. Anything else, such as a pipe, may be readable only once.
package func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
}

/// A whole file's bytes; nil if there are more than `most`.
package func wholeFile(_ path: String, atMost most: Int) throws(FrameFileError) -> [UInt8]? {
    let file = try InputFile(path)
    guard file.byteCount <= most else { return nil }
    return try file.bytes(at: 0, count: file.byteCount)
}
