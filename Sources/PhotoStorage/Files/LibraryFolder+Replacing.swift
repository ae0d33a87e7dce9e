// SPDX-License-Identifier: MIT
// Opens a photo's file while another one takes its place.

import Glibc
import LivecapFiles

extension LibraryFolder {
    /// Opens the file of a photo that has `byteCount` bytes. While one file replaces another, both exist; their sizes
    /// differ, and the catalogue has that of the right one. If neither has this size, it opens the one that any reader
    /// would.
    func openFile(_ place: String, byteCount: Int) throws(LibraryError) -> Descriptor {
        var names = try names(in: place)
        let name = names.removeLast()
        let folder = try openFolder(names, of: place)
        // The replacement gets the plain name at any time.
        for candidate in [name, HiddenName.of(name), HiddenName.next(name), name] {
            let opened = uninterrupted {
                openat(folder.number, candidate, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            }
            guard opened >= 0 else { continue }
            let file = Descriptor(number: opened)
            var status = stat()
            guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                Int(status.st_size) == byteCount
            else { continue }
            return file
        }
        return try openFile(place)
    }
}
