// SPDX-License-Identifier: MIT
// Copies frames from a pipe to a nameless file, so that they can be read by position.

import Glibc
import LivecapFiles

/// Copies a pipe's contents to its end.
enum SpooledInput {
    /// Copies everything from `source` to a nameless file in $TMPDIR or /tmp and returns its descriptor. It uses at
    /// most nine tenths of the free space there, so that other programs do not run out.
    static func copy(of source: Int32, unless isUnwanted: () -> Bool) throws(FrameFileError) -> Int32 {
        let folder = pathInEnvironment("TMPDIR") ?? "/tmp"
        let name = "\(folder)/.livecap-input, a copy of standard input (TMPDIR names its folder)"
        let made = openNameless(in: folder)
        guard made >= 0 else { throw .failed(name, call: "open", errno: errno) }
        do throws(FrameFileError) {
            var room = statvfs()
            let most = fstatvfs(made, &room) == 0 ? Int(room.f_bavail) * Int(room.f_frsize) / 10 * 9 : .max
            try copy(from: source, to: made, atMost: most, name, unless: isUnwanted)
        } catch {
            close(made)
            throw error
        }
        return made
    }

    static func copy(
        from source: Int32, to target: Int32, atMost most: Int, _ name: String, unless isUnwanted: () -> Bool
    ) throws(FrameFileError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var total = 0
        while true {
            guard !isUnwanted() else { throw .file(.interrupted) }
            // If the pipe was opened without blocking, this also waits for its first writer.
            var ready = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
            guard uninterrupted({ poll(&ready, 1, 100) }) != 0 else { continue }
            let got = uninterrupted { read(source, buffer.baseAddress, buffer.count) }
            guard got >= 0 else {
                if errno == EAGAIN { continue }
                throw .failed("standard input", call: "read", errno: errno)
            }
            if got == 0 { return }
            total += got
            guard total <= most else { throw .failed(name, call: "write", errno: ENOSPC) }
            let reason = writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<got]), to: target, FileCalls())
            guard reason == 0 else { throw .failed(name, call: "write", errno: reason) }
        }
    }
}
