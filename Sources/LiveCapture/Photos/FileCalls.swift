// SPDX-License-Identifier: MIT
// The calls by which a file gets to the disk, in one place so that tests can let each of them fail.

import Camera
import CSystem
import Glibc

/// What storing a file asks of the system. Each answers as the call of its name does.
struct FileCalls: Sendable {
    /// `write(2)`.
    var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int = { descriptor, bytes in
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
    /// `fsync(2)`.
    var sync: @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }
    /// `renameat2(2)`, the errno negated; without `mayReplace` it refuses where something has the name already.
    var rename: @Sendable (_ from: String, _ to: String, _ mayReplace: Bool) -> Int32 = { from, to, mayReplace in
        lc_rename(from, to, mayReplace ? 1 : 0)
    }
    /// `link(2)`, which never replaces.
    var link: @Sendable (_ from: String, _ to: String) -> Int32 = { Glibc.link($0, $1) }
}

/// A call again and again while signals interrupt it.
func uninterrupted<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
    while true {
        let answer = call()
        guard answer < 0, errno == EINTR else { return answer }
    }
}

/// Brings a folder's names to the disk: a file's name is durable only when its folder is.
func syncFolder(_ folder: String, _ calls: FileCalls) throws(CameraError) {
    let descriptor = uninterrupted { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .fileError(folder, call: "open", errno: errno) }
    defer { close(descriptor) }
    // Some file systems cannot sync a directory and say so with EINVAL.
    guard uninterrupted({ calls.sync(descriptor) }) == 0 || errno == EINVAL else {
        throw .fileError(folder, call: "fsync", errno: errno)
    }
}
