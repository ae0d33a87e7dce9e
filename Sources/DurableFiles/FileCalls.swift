// SPDX-License-Identifier: MIT
// The calls by which a file gets to the disk, in one place so that tests can let each of them fail.

import CSystem
import Camera
import Glibc

/// A name, looked up from an open folder.
package struct FilePlace: Sendable {
    /// The folder's descriptor; AT_FDCWD for what is looked up as `open(2)` does.
    package let folder: Int32
    /// The path from there.
    package let path: String

    /// The place of `path`, looked up from `folder`.
    package init(_ path: String, in folder: Int32 = AT_FDCWD) { (self.path, self.folder) = (path, folder) }
}

/// What storing a file asks of the system. Each answers as the call of its name does.
package struct FileCalls: Sendable {
    /// `write(2)`.
    package var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int = { descriptor, bytes in
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
    /// `fsync(2)`.
    package var sync: @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }
    /// `fdatasync(2)`.
    package var syncData: @Sendable (_ descriptor: Int32) -> Int32 = { fdatasync($0) }
    /// `renameat2(2)`, the errno negated; without `mayReplace` it refuses where something has the name already.
    package var rename: @Sendable (_ from: FilePlace, _ to: FilePlace, _ mayReplace: Bool) -> Int32 = {
        from, to, mayReplace in
        renameAt(from.folder, from.path, to.folder, to.path, mayReplace ? 1 : 0)
    }
    /// `linkat(2)`, which never replaces.
    package var link: @Sendable (_ from: FilePlace, _ to: FilePlace) -> Int32 = { from, to in
        linkat(from.folder, from.path, to.folder, to.path, 0)
    }

    /// The system's own calls, but for those given.
    package init(
        write: (@Sendable (Int32, UnsafeRawBufferPointer) -> Int)? = nil, sync: (@Sendable (Int32) -> Int32)? = nil,
        syncData: (@Sendable (Int32) -> Int32)? = nil,
        rename: (@Sendable (FilePlace, FilePlace, Bool) -> Int32)? = nil,
        link: (@Sendable (FilePlace, FilePlace) -> Int32)? = nil
    ) {
        if let write { self.write = write }
        if let sync { self.sync = sync }
        if let syncData { self.syncData = syncData }
        if let rename { self.rename = rename }
        if let link { self.link = link }
    }
}

/// Begins writing a file's bytes from `offset` on to the disk, without waiting; whoever waits later waits less. A hint, so
/// never an error.
package func startWriting(_ descriptor: Int32, from offset: Int = 0, count: Int) {
    _ = lc_start_writeback(descriptor, Int64(offset), Int64(count))
}

/// Writes all of `bytes` where the descriptor stands; 0, or why that failed, when some of them may have been written.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ calls: FileCalls) -> Int32 {
    var done = 0
    while done < bytes.count {
        let put = uninterrupted { calls.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[done...])) }
        guard put >= 0 else { return errno }
        // A write of nothing is how some file systems say that they are full.
        guard put > 0 else { return ENOSPC }
        done += put
    }
    return 0
}

/// Brings a folder's names to the disk: a file's name is durable only when its folder is.
package func syncFolder(_ folder: String, _ calls: FileCalls) throws(CameraError) {
    let descriptor = uninterrupted { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .fileError(folder, call: "open", errno: errno) }
    defer { close(descriptor) }
    try syncFolder(descriptor, named: folder, calls)
}

/// The same for an open folder. Errors speak of `folder`.
package func syncFolder(_ descriptor: Int32, named folder: String, _ calls: FileCalls) throws(CameraError) {
    // Some file systems cannot sync a directory and say so with EINVAL.
    guard uninterrupted({ calls.sync(descriptor) }) == 0 || errno == EINVAL else {
        throw .fileError(folder, call: "fsync", errno: errno)
    }
}
