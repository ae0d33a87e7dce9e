// SPDX-License-Identifier: MIT
// Removes hidden files of recordings that programs left when they were killed.

import Glibc
import LivecapFiles

extension RecordingFile {
    /// Removes the hidden files that programs left in `folder` when they were killed: where file systems know no files
    /// without a name, such as copies of movies with their index first. A file of a running program is locked, or has
    /// the number of its process in its name. One that cannot be removed does no harm.
    static func sweep(_ folder: String) {
        for name in fileNames(in: folder.isEmpty ? "." : folder) {
            guard let writer = writer(of: name), kill(writer, 0) != 0, errno == ESRCH else { continue }
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            // The process may be alive in another container, which has its own numbers of processes.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
        }
    }

    /// The number of the process in a hidden file's name, `.NAME.PROCESS-NUMBER.part`; nil for all other names.
    static func writer(of name: String) -> pid_t? {
        guard name.hasPrefix("."), name.hasSuffix(".part") else { return nil }
        let parts = name.dropLast(5).split(separator: ".", omittingEmptySubsequences: false)
        let numbers = (parts.last ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3, numbers.count == 2, let writer = pid_t(numbers[0]), writer > 0,
            UInt32(numbers[1], radix: 16) != nil
        else { return nil }
        return writer
    }
}
