// SPDX-License-Identifier: MIT
// Names that come, go or change in folders, and files that are written, reported by the kernel itself.

import Glibc

/// A change of a name in a folder.
package struct FolderChange: Hashable, Sendable {
    package let folder: String
    /// Empty if changes were lost.
    package let name: String
    /// Whether the name is gone.
    package let isGone: Bool
}

/// Watches folders: `inotify(7)`.
package struct FolderWatch: ~Copyable {
    /// Readable when something has changed; -1 if the system has no watch to give.
    package let descriptor: Int32
    private var folders: [Int32: String] = [:]

    /// Watches nothing yet.
    package init() { descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches the names in `folder` and, if asked to, what is written to its files. Returns false if that is
    /// impossible.
    package mutating func add(_ folder: String, andWrites: Bool = false) -> Bool {
        let names = IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB
        return add(folder, UInt32(andWrites ? names | IN_MODIFY : names))
    }

    /// Reports whenever a program closes the file at `path`, by a change without a name. Returns false if that is
    /// impossible.
    package mutating func addClosings(of path: String) -> Bool {
        add(path, UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE))
    }

    private mutating func add(_ path: String, _ what: UInt32) -> Bool {
        let watch = path.withFileName { inotify_add_watch(descriptor, $0, what) }
        if watch >= 0 { folders[watch] = path }
        return watch >= 0
    }

    /// The changes since the last call, in their order.
    package func changes() -> [FolderChange] {
        var changes: [FolderChange] = []
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            while case let count = read(descriptor, buffer.baseAddress!, buffer.count), count > 0 {
                var place = 0
                // Each is a struct inotify_event of 16 bytes, and a name of `len` bytes with zeros at its end.
                while place + 16 <= count {
                    let watch = buffer.load(fromByteOffset: place, as: Int32.self)
                    let mask = Int(buffer.load(fromByteOffset: place + 4, as: UInt32.self))
                    let length = Int(buffer.load(fromByteOffset: place + 12, as: UInt32.self))
                    let name = FileName.text(buffer[(place + 16)..<(place + 16 + length)].prefix { $0 != 0 })
                    place += 16 + length
                    if mask & Int(IN_Q_OVERFLOW) != 0 {
                        changes += folders.values.map { FolderChange(folder: $0, name: "", isGone: false) }
                    } else if let folder = folders[watch] {
                        let isGone = mask & Int(IN_DELETE | IN_MOVED_FROM) != 0
                        changes.append(FolderChange(folder: folder, name: name, isGone: isGone))
                    }
                }
            }
        }
        return changes
    }
}
