// SPDX-License-Identifier: MIT
// Files being removed from a library: hidden, shown again, emptied, removed.

import Glibc
import LivecapFiles

extension LibraryFolder {
    /// Removes a file, under whichever of its names it has.
    func remove(_ place: String) throws(LibraryError) {
        try inFolder(of: place) { (folder, name) throws(LibraryError) in
            unlinkat(folder, HiddenName.next(name), 0)
            // If a hidden file is found, a file with the plain name is not the library's, and stays.
            for name in [HiddenName.gone(name), HiddenName.of(name), name] {
                if unlinkat(folder, name, 0) == 0 { return }
                guard errno == ENOENT else { throw .fileError(path(of: place), call: "unlink", errno: errno) }
            }
        }
    }

    /// Gives a file a second name, the first of `others` that is free, durably. Where a file can have only one, it gets
    /// that. Returns the path it has then; nil if there is no such file.
    func link(_ place: String, _ others: (Int) -> String) throws(LibraryError) -> String? {
        var linked: String?
        try inFolder(of: place) { (folder, name) throws(LibraryError) in
            var number = 1
            while linked == nil {
                let other = others(number)
                let otherName = String(other.dropFirst(place.count - name.count))
                if linkat(folder, name, folder, otherName, 0) == 0 {
                    linked = path(of: other)
                } else if errno == EEXIST {
                    // An earlier attempt may have got as far as this.
                    if areSame(name, otherName, in: folder) { linked = path(of: other) }
                    number += 1
                } else if errno == ENOENT {
                    return
                } else if [EPERM, EOPNOTSUPP, EMLINK].contains(errno) {
                    if hasFile(otherName, in: folder) {
                        number += 1
                        continue
                    }
                    // Files have one name on this file system.
                    try rename(name, to: otherName, in: folder, of: place)
                    linked = path(of: other)
                } else {
                    throw .fileError(path(of: place), call: "link", errno: errno)
                }
            }
            try sync(folder, path(of: place))
        }
        return linked
    }

    /// Whether two names are those of one file.
    private func areSame(_ name: String, _ other: String, in folder: Int32) -> Bool {
        var found = (stat(), stat())
        return fstatat(folder, name, &found.0, AT_SYMLINK_NOFOLLOW) == 0
            && fstatat(folder, other, &found.1, AT_SYMLINK_NOFOLLOW) == 0
            && found.0.st_dev == found.1.st_dev && found.0.st_ino == found.1.st_ino
    }

    /// Removes an emptied file, and no other file of the same name.
    func removeEmptied(_ place: String) throws(LibraryError) {
        try inFolder(of: place) { (folder, name) throws(LibraryError) in
            guard unlinkat(folder, HiddenName.gone(name), 0) == 0 || errno == ENOENT else {
                throw .fileError(path(of: place), call: "unlink", errno: errno)
            }
        }
    }

    /// Gives a file its hidden name, durably, before its removal.
    func hide(_ place: String) throws(LibraryError) {
        try inFolder(of: place) { (folder, name) throws(LibraryError) in
            // It is hidden already: a file with the plain name is not the library's.
            if [HiddenName.gone(name), HiddenName.of(name)].contains(where: { hasFile($0, in: folder) }) { return }
            try rename(name, to: HiddenName.of(name), in: folder, of: place)
            do throws(LibraryError) { try sync(folder, path(of: place)) } catch {
                show(name, in: folder)
                throw error
            }
        }
    }

    /// Frees the blocks of a hidden file, even while others have it open. The file is first renamed to mark it as
    /// emptied, so that, however the program ends, its row is removed when the library is next opened.
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

    /// Whether a file was emptied, so that its row has to be removed.
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

    /// Gives a file in an open folder its own name. If the name is taken, `mayReplace` replaces that
    /// file. Otherwise it is not the library's: both keep their names, and the library finds its own by the hidden one.
    func show(_ name: String, in folder: Int32, from hidden: String? = nil, mayReplace: Bool = false) {
        let (hidden, own) = (
            RelativePath(hidden ?? HiddenName.of(name), in: folder), RelativePath(name, in: folder)
        )
        if !mayReplace {
            // EINVAL: the file system cannot rename without replacing.
            guard calls.rename(hidden, own, false) == -EINVAL, !hasFile(name, in: folder) else { return }
        }
        _ = calls.rename(hidden, own, true)
    }

    /// Calls `body` with the folder of a path and the file's own name; does nothing if there is no such folder.
    private func inFolder(
        of place: String, _ body: (Int32, String) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        var names = try names(in: place)
        let name = names.removeLast()
        guard let folder = try openFolder(names.joined(separator: "/")) else { return }
        try body(folder.number, name)
    }

    /// Renames a file, if it exists.
    private func rename(
        _ name: String, to other: String, in folder: Int32, of place: String
    ) throws(LibraryError) {
        let reason = calls.rename(RelativePath(name, in: folder), RelativePath(other, in: folder), true)
        guard reason == 0 || reason == -ENOENT else {
            throw .fileError(path(of: place), call: "rename", errno: -reason)
        }
    }
}
