// SPDX-License-Identifier: MIT
// The one way to open a photo's file, which another one may be about to replace.

import Glibc
import LivecapFiles

extension LibraryFolder {
    /// Opens a photo's file, of the size that the catalogue has. While one file replaces another, both exist; their
    /// sizes differ.
    /// - Throws: `unsafePath` if the path is not one of photos, leads through a link, or to no regular file; `damaged`
    ///   if the file has another size.
    func openPhoto(_ file: LibraryFile) throws(LibraryError) -> Descriptor {
        guard let name = PhotoNames.fileName(of: file.place) else {
            throw .unsafePath(path(of: file.place), detail: "not a photo's path")
        }
        let folder = try openFolder(try names(in: file.place).dropLast(), of: file.place)
        // The replacement gets the plain name at any time.
        for candidate in [name, HiddenName.of(name), HiddenName.next(name), name] {
            guard let opened = try? openRegularFile(candidate, in: folder.number) else { continue }
            let found = Descriptor(number: opened)
            if size(of: found) == file.byteCount { return found }
        }
        // Whatever any reader would open, for the reason why it is not that one.
        let other = try openFile(file.place)
        let size = size(of: other)
        guard size == file.byteCount else {
            let words = size > file.byteCount ? "more" : "fewer"
            throw .damaged(path(of: file.place), detail: "it has \(words) bytes than it had")
        }
        return other
    }

    private func size(of file: borrowing Descriptor) -> Int {
        var status = stat()
        return fstat(file.number, &status) == 0 ? Int(status.st_size) : -1
    }
}
