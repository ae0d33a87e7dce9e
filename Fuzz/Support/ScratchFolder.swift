// SPDX-License-Identifier: MIT
// Folders in memory for targets that need more than one file.

import Glibc
import LivecapFiles

/// A folder in memory, removed at the end of its lifetime.
public struct ScratchFolder: ~Copyable, Sendable {
    /// The path of the folder.
    public let path: String

    /// Makes an empty folder.
    public init() {
        var name = Array("/dev/shm/livecap-fuzz-XXXXXX".utf8CString)
        precondition(mkdtemp(&name) != nil, "no folder in memory: errno \(errno)")
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Removes a folder and everything in it.
    public static func remove(_ path: String) {
        for name in fileNames(in: path) where name != "." && name != ".." {
            if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        }
        rmdir(path)
    }
}
