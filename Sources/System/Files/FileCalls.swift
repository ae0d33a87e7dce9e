// SPDX-License-Identifier: MIT
// The system calls that make a file durable, gathered so that tests can make each of them fail.

import Glibc
import LivecapCSystem

/// A path resolved relative to an open folder.
package struct RelativePath: Sendable {
    /// The folder's descriptor, or AT_FDCWD to resolve the path as `open(2)` does.
    package let folder: Int32
    /// The path relative to the folder.
    package let path: String

    /// Creates the place of `path` relative to `folder`.
    package init(_ path: String, in folder: Int32 = AT_FDCWD) { (self.path, self.folder) = (path, folder) }
}

/// The system calls used to store a file. Each returns what the call of its name returns.
package struct FileCalls: Sendable {
    /// `write(2)`.
    package var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int = { descriptor, bytes in
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
    /// `fsync(2)`.
    package var sync: @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }
    /// `fdatasync(2)`.
    package var syncData: @Sendable (_ descriptor: Int32) -> Int32 = { fdatasync($0) }
    /// `renameat2(2)`, returning a negative errno. Without `mayReplace` it fails if the new name exists.
    package var rename: @Sendable (_ from: RelativePath, _ to: RelativePath, _ mayReplace: Bool) -> Int32 = {
        from, to, mayReplace in
        renameAt(from.folder, from.path, to.folder, to.path, mayReplace ? 1 : 0)
    }
    /// `linkat(2)`, which never replaces.
    package var link: @Sendable (_ from: RelativePath, _ to: RelativePath) -> Int32 = { from, to in
        linkat(from.folder, from.path, to.folder, to.path, 0)
    }

    /// Creates calls to the system, with replacements for those given.
    package init(
        write: (@Sendable (Int32, UnsafeRawBufferPointer) -> Int)? = nil, sync: (@Sendable (Int32) -> Int32)? = nil,
        syncData: (@Sendable (Int32) -> Int32)? = nil,
        rename: (@Sendable (RelativePath, RelativePath, Bool) -> Int32)? = nil,
        link: (@Sendable (RelativePath, RelativePath) -> Int32)? = nil
    ) {
        if let write { self.write = write }
        if let sync { self.sync = sync }
        if let syncData { self.syncData = syncData }
        if let rename { self.rename = rename }
        if let link { self.link = link }
    }
}

/// Starts flushing a file's bytes from `offset` on, without waiting, which shortens a later sync. Only a hint, so
/// errors are ignored.
package func startWriting(_ descriptor: Int32, from offset: Int = 0, count: Int) {
    _ = lc_start_writeback(descriptor, Int64(offset), Int64(count))
}

/// Writes all of `bytes` at the descriptor's current position. Returns 0 or an errno; on failure some bytes may have
/// been written.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ calls: FileCalls) -> Int32 {
    var done = 0
    while done < bytes.count {
        let put = uninterrupted { calls.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[done...])) }
        guard put >= 0 else { return errno }
        // Some file systems report that they are full by writing zero bytes.
        guard put > 0 else { return ENOSPC }
        done += put
    }
    return 0
}

/// Makes the names in a folder durable: a file's name is durable only after its folder has been synced.
package func syncFolder(_ folder: String, _ calls: FileCalls) throws(FileError) {
    let descriptor = uninterrupted { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .failed(folder, call: "open", errno: errno) }
    defer { close(descriptor) }
    try syncFolder(descriptor, named: folder, calls)
}

/// Makes the names in an open folder durable. Errors refer to `folder`.
package func syncFolder(_ descriptor: Int32, named folder: String, _ calls: FileCalls) throws(FileError) {
    // Some file systems cannot sync a directory and fail with EINVAL.
    guard uninterrupted({ calls.sync(descriptor) }) == 0 || errno == EINVAL else {
        throw .failed(folder, call: "fsync", errno: errno)
    }
}
