// SPDX-License-Identifier: MIT
// Files on their way out of a library: hidden, shown again, emptied, removed.

import Camera
import DurableFiles
import Glibc

extension LibraryFolder {
    /// Removes a file, under whichever of its names.
    func remove(_ place: String) throws(LibraryError) {
        try inFolder(of: place) { (folder, name) throws(LibraryError) in
            // What has its own name while it is hidden is somebody else's.
            for name in [HiddenName.gone(name), HiddenName.of(name), name] {
                if unlinkat(folder, name, 0) == 0 { return }
                guard errno == ENOENT else { throw .fileError(path(of: place), call: "unlink", errno: errno) }
            }
        }
    }

    /// Gives a file its hidden name, durably: it is on its way out.
    func hide(_ place: String) throws(LibraryError) {
        try inFolder(of: place) { (folder, name) throws(LibraryError) in
            // Hidden already: what has its own name is somebody else's.
            if [HiddenName.gone(name), HiddenName.of(name)].contains(where: { hasFile($0, in: folder) }) { return }
            try rename(name, to: HiddenName.of(name), in: folder, of: place)
            do throws(LibraryError) { try sync(folder, path(of: place)) } catch {
                show(name, in: folder)
                throw error
            }
        }
    }

    /// Frees the blocks of a hidden file, also while others have it open. Its name says so first: whatever ends the program,
    /// its row goes the next time the library is opened.
    func empty(_ place: String) throws(LibraryError) {
        try inFolder(of: place) { (folder, name) throws(LibraryError) in
            try rename(HiddenName.of(name), to: HiddenName.gone(name), in: folder, of: place)
            try sync(folder, path(of: place))
            let opened = uninterrupted {
                openat(folder, HiddenName.gone(name), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            }
            guard opened >= 0 else { return }
            let file = Descriptor(number: opened)
            _ = ftruncate(file.number, 0)
        }
    }

    /// Whether a file was emptied, and its row is to go.
    func isEmptied(_ place: String) -> Bool {
        var isEmptied = false
        try? inFolder(of: place) { (folder, name) throws(LibraryError) in
            isEmptied = hasFile(HiddenName.gone(name), in: folder)
        }
        return isEmptied
    }

    /// Gives a file its own name back.
    func show(_ place: String) throws(LibraryError) {
        try inFolder(of: place) { (folder, name) throws(LibraryError) in show(name, in: folder) }
    }

    /// Gives a file of an open folder its own name. Where somebody else's file has that, both stay what they are, and the
    /// library finds its own by the hidden name.
    func show(_ name: String, in folder: Int32) {
        let (hidden, own) = (FilePlace(HiddenName.of(name), in: folder), FilePlace(name, in: folder))
        // A file system that cannot refuse to replace says so.
        guard calls.rename(hidden, own, false) == -EINVAL, !hasFile(name, in: folder) else { return }
        _ = calls.rename(hidden, own, true)
    }

    /// Lends the folder of a place, and the file's own name; nothing where there is no such folder.
    private func inFolder(
        of place: String, _ body: (Int32, String) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        var names = try names(in: place)
        let name = names.removeLast()
        guard let folder = try openFolder(names.joined(separator: "/")) else { return }
        try body(folder.number, name)
    }

    /// Renames a file, where it is there.
    private func rename(
        _ name: String, to other: String, in folder: Int32, of place: String
    ) throws(LibraryError) {
        let reason = calls.rename(FilePlace(name, in: folder), FilePlace(other, in: folder), true)
        guard reason == 0 || reason == -ENOENT else {
            throw .fileError(path(of: place), call: "rename", errno: -reason)
        }
    }
}
