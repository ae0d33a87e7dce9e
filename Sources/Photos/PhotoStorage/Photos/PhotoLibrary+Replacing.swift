// SPDX-License-Identifier: MIT
// A photo's file is replaced by one with more in it: the movie of the moments around.

import Glibc
import LivecapCSQLite
import LivecapFiles
import LivecapFrameFiles

extension PhotoLibrary {
    /// Replaces the current file of a photo, a final or a proxy, by what `change` makes of it, which must have another
    /// size. Nil if `change` makes nothing of it. It is durable when this returns; whatever ends the program meanwhile,
    /// the photo has either file, whole. A final in the making is waited for, and then gets the change.
    package func replaceFile(
        of id: PhotoID, _ change: ([UInt8]) -> [UInt8]?
    ) throws(LibraryError) -> LibraryPhoto? {
        let lock = try folder.openLock()
        try lock.waitForLock(at: id.number, of: folder.path)
        let photo = try photo(id)
        let whole = folder.path(of: photo.file.place)
        guard let name = PhotoNames.fileName(of: photo.file.place) else {
            throw .unsafePath(whole, detail: "not a photo's path")
        }
        let day = try folder.makeFolder(String(photo.file.place.dropLast(name.count + 1)))
        // Left by a process that was killed.
        guard try settleNext(HiddenName.next(name), photo.file.place, in: day.number) else { throw .beingFinished(id) }
        guard let bytes = change(try self.bytes(of: photo.file)), bytes.count != photo.file.byteCount else {
            return nil
        }
        guard
            var pending = try PendingFile(
                name, in: day.number, of: folder, path: whole, as: HiddenName.next(name))
        else { throw .beingFinished(id) }
        try pending.write(bytes)
        try pending.sync()
        try pending.syncName()
        let file = LibraryFile(
            place: photo.file.place, byteCount: bytes.count, checksum: bytes.withUnsafeBytes { Checksum.of($0) })
        var isUncertain = false
        let isDone: Bool
        do throws(LibraryError) {
            isDone = try catalogue.write(isUncertain: &isUncertain) { (connection) throws(SQLiteError) in
                try connection.replace(photo.file, of: id, by: file, isProxy: photo.isProxy)
            }
        } catch {
            if isUncertain { pending.leave() }
            throw error
        }
        guard isDone else { throw .noSuchPhoto(id) }
        pending.keep(mayReplace: true)
        changes.announce()
        return try self.photo(id)
    }

    /// A photo and the bytes of its current file.
    func currentFile(of id: PhotoID) throws(LibraryError) -> (photo: LibraryPhoto, bytes: [UInt8]) {
        try withCurrentFile(of: id) { (photo) throws(LibraryError) in (photo, try bytes(of: photo.file)) }
    }

    /// A photo and its current file, open for reading. Its size is the catalogue's, and so is its checksum if the whole
    /// file was `compared`. The caller closes the descriptor.
    package func openFile(
        of id: PhotoID, compared: Bool
    ) throws(LibraryError) -> (photo: LibraryPhoto, descriptor: Int32) {
        try withCurrentFile(of: id) { (photo) throws(LibraryError) in
            let file = try folder.openPhoto(photo.file)
            if compared { try read(photo.file, from: file.number) { _ in } }
            return (photo, file.release())
        }
    }

    /// Reads a photo's current file, which may be replaced at any time: then its successor is read instead.
    private func withCurrentFile<Result>(
        of id: PhotoID, _ body: (LibraryPhoto) throws(LibraryError) -> Result
    ) throws(LibraryError) -> Result {
        var photo = try photo(id)
        while true {
            do throws(LibraryError) { return try body(photo) } catch {
                let now = try self.photo(id)
                guard error.isLossOfFile, now.file != photo.file else { throw error }
                photo = now
            }
        }
    }

    /// The bytes of a photo's file, compared with the catalogue.
    package func bytes(of file: LibraryFile) throws(LibraryError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(file) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Lets a hidden file replace the one of that path if it is the one that the catalogue means, and removes it if
    /// not. Returns false if a process works on it.
    func settleNext(_ hidden: String, _ place: String, in parent: Int32) throws(LibraryError) -> Bool {
        guard let opened = try? openRegularFile(hidden, in: parent) else { return true }
        let next = Descriptor(number: opened)
        guard flock(next.number, LOCK_EX | LOCK_NB) == 0 else { return false }
        let file = try catalogue.read { (connection) throws(SQLiteError) in try connection.photo(at: place)?.file }
        var isCurrent = false
        if let file, let name = PhotoNames.fileName(of: place) {
            do throws(LibraryError) {
                try read(file, from: next.number) { _ in }
                isCurrent = true
            } catch .damaged {}
            if isCurrent { folder.show(name, in: parent, from: hidden, mayReplace: true) }
        }
        if !isCurrent { unlinkat(parent, hidden, 0) }
        return true
    }
}

extension Connection {
    /// Records that another file has the place of a photo's. Returns false if the photo is gone, or has other files.
    fileprivate mutating func replace(
        _ old: LibraryFile, of id: PhotoID, by new: LibraryFile, isProxy: Bool
    ) throws(SQLiteError) -> Bool {
        let kind = isProxy ? "proxy" : "final"
        try run(
            """
            UPDATE photos SET \(kind)_bytes = ?, \(kind)_checksum = ?
            WHERE id = ? AND (state = 0) = ? AND \(kind)_place = ?
            """,
            [
                .number(new.byteCount), .bits(new.checksum), .number(id.number), .number(isProxy ? 0 : 1),
                .text(old.place),
            ])
        return changes == 1
    }
}
