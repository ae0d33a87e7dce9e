// SPDX-License-Identifier: MIT
// Opens files in folders that other people may have filled.

import Glibc

/// Why a name was not opened.
package enum RegularFileRefusal: Error, Hashable {
    /// The name is a symbolic link.
    case link
    /// The name is a folder, a pipe, a device or a socket.
    case notRegular
    /// The system's reason.
    case system(errno: Int32)
}

/// Opens a regular file of an open folder, and nothing else: a link is not followed, and what is no file is not even
/// opened, because opening a pipe or a device can wait or have effects. `name` has no slash. The caller closes the
/// descriptor.
package func openRegularFile(
    _ name: String, in folder: Int32, toWrite: Bool = false
) throws(RegularFileRefusal) -> Int32 {
    guard !name.isEmpty, name != "..", !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else {
        throw .system(errno: name.isEmpty ? ENOENT : EINVAL)
    }
    var status = stat()
    guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .system(errno: errno) }
    try check(status)
    let access = toWrite ? O_RDWR : O_RDONLY
    let descriptor = uninterrupted { openat(folder, name, access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    guard descriptor >= 0 else { throw errno == ELOOP ? .link : .system(errno: errno) }
    // Something else may have taken the name meanwhile.
    do throws(RegularFileRefusal) {
        guard fstat(descriptor, &status) == 0 else { throw .system(errno: errno) }
        try check(status)
    } catch {
        close(descriptor)
        throw error
    }
    return descriptor
}

private func check(_ status: stat) throws(RegularFileRefusal) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK: throw .link
    default: throw .notRegular
    }
}
