// SPDX-License-Identifier: MIT
// A library of photos on disk, which loses nothing that it said it has.

import Camera
import DurableFiles
import Frames
import Glibc
import Threads

/// A library: a folder of plain files, and a catalogue of them. docs/library.md describes both.
///
/// Any number of threads, and of processes, may use one library at once. When a call that adds or finishes a photo returns,
/// the photo survives a power failure; when it throws, the library is as before. Calls wait for the disk: none is for a
/// thread that must not.
public final class PhotoLibrary: Sendable {
    /// Where it is, as it was named, without a slash at its end.
    public let path: String
    let options: LibraryOptions
    let folder: LibraryFolder
    let catalogue: Catalogue
    let changes = LibraryChanges()

    /// Opens the library at `path`, or makes one: of a folder that is empty or not there.
    public init(_ path: String, _ options: LibraryOptions = LibraryOptions()) throws(LibraryError) {
        folder = try LibraryFolder(path, mayCreate: options.mayCreate, options.calls)
        (self.path, self.options) = (folder.path, options)
        if try folder.catalogueState() != .filled, !options.mayCreate { throw .noLibrary(folder.path) }
        guard !folder.isReadOnly || options.mayCreate else {
            catalogue = try Catalogue(reading: folder, options)
            return
        }
        // Looked at before anything is made there: a folder that is refused stays what it is.
        try folder.checkUsable()
        let hadLock = folder.hasLock
        let lock = try folder.openLock()
        try Self.takeTurn(lock, folder.path, options.patience)
        folder.setRoomAside(lock)
        if try folder.catalogueState() == .missing { try folder.makeCatalogue() }
        do throws(LibraryError) {
            catalogue = try Catalogue(in: folder, options)
        } catch {
            if error.isRefusal, !hadLock { folder.removeLock() }
            throw error
        }
        // SQLite's own files have names, too.
        try folder.syncRoot()
        do throws(LibraryError) {
            try recover()
        } catch .fileError(_, _, ENOSPC) {
            // What a full disk leaves unsettled is settled by whoever opens it when there is room.
        }
    }

    /// Waits until no other process opens the library: one at a time makes it, brings it up to date, and clears up in it.
    private static func takeTurn(
        _ lock: borrowing LockFile, _ path: String, _ patience: TimeSpan
    ) throws(LibraryError) {
        let deadline = Timestamp.now + patience
        while !lock.lock(at: 0) {
            guard Timestamp.now < deadline else { throw .busy(path) }
            usleep(5000)
        }
    }

    // MARK: Looking up

    /// The photo of a number.
    public func photo(_ id: PhotoID) throws(LibraryError) -> LibraryPhoto {
        let row = try catalogue.read { (connection) throws(SQLiteError) in try connection.photo(id) }
        guard let row else { throw .noSuchPhoto(id) }
        return libraryPhoto(row)
    }

    /// A page of photos, the newest first unless the page says otherwise.
    public func photos(_ page: LibraryPage = LibraryPage()) throws(LibraryError) -> [LibraryPhoto] {
        let rows = try catalogue.read { (connection) throws(SQLiteError) -> [PhotoRow]? in
            var place: (utc: Int64, id: PhotoID)?
            if let after = page.after {
                place = try connection.place(of: after)
                if place == nil { return nil }
            }
            return try connection.photos(page, after: place)
        }
        guard let rows else { throw .noSuchPhoto(page.after ?? PhotoID(number: 0)) }
        return rows.map(libraryPhoto)
    }

    /// The photos whose numbers lie in a range, the smallest first.
    public func photoIDs(in numbers: ClosedRange<Int64>) throws(LibraryError) -> [PhotoID] {
        try catalogue.read { (connection) throws(SQLiteError) in try connection.photoIDs(in: numbers) }
    }

    /// What the library has in all. It looks at every photo.
    public func summary() throws(LibraryError) -> LibrarySummary {
        try catalogue.read { (connection) throws(SQLiteError) in try connection.summary() }
    }

    /// How many of these photos are still left for later: any program may have finished some.
    public func countDeferred(among photos: some Sequence<PhotoID>) throws(LibraryError) -> Int {
        let photos = Array(photos)
        return try catalogue.read { (connection) throws(SQLiteError) in
            var count = 0
            for id in photos where try connection.photo(id)?.state == .deferred { count += 1 }
            return count
        }
    }

    /// What the library keeps of a photo as it was given.
    public func account(of id: PhotoID) throws(LibraryError) -> PhotoAccount {
        let account = try catalogue.read { (connection) throws(SQLiteError) in try connection.account(of: id) }
        guard let account else { throw .noSuchPhoto(id) }
        return account
    }

    /// The small picture of a photo; nil where it was given none.
    public func thumbnail(of id: PhotoID) throws(LibraryError) -> [UInt8]? {
        let (photo, thumbnail) = try catalogue.read { (connection) throws(SQLiteError) in
            (try connection.photo(id), try connection.thumbnail(of: id))
        }
        guard photo != nil else { throw .noSuchPhoto(id) }
        return thumbnail
    }

    /// The frames kept for a photo, in the order they were given; none where none were kept, or those of a finished photo were
    /// cleaned up. An error where their files are not what they were.
    public func frames(of id: PhotoID) throws(LibraryError) -> [StoredFrame] {
        let (photo, rows) = try catalogue.read { (connection) throws(SQLiteError) in
            (try connection.photo(id), try connection.frames(of: id))
        }
        guard photo != nil else { throw .noSuchPhoto(id) }
        var files: [BurstID: BurstFile] = [:]
        var frames: [StoredFrame] = []
        for row in rows {
            guard let row else { throw .damagedCatalogue(path, detail: "photo \(id) has a frame that cannot be") }
            let file = if let known = files[row.burst] { known } else { try BurstFile(row.burst, in: folder) }
            files[row.burst] = file
            frames.append(try StoredFrame(row, in: file))
        }
        return frames
    }

    func libraryPhoto(_ row: PhotoRow) -> LibraryPhoto {
        LibraryPhoto(
            id: row.id, state: row.state, taken: row.taken, tap: row.tap, reference: row.reference, size: row.size,
            suffix: row.suffix, qualityAsked: row.qualityAsked, qualityGiven: row.qualityGiven,
            finalPlace: row.finalPlace, file: row.file, path: folder.path(of: row.file.place),
            keptFrames: row.keptFrames, keptBytes: row.keptBytes, addedUTC: row.addedUTC, finishedUTC: row.finishedUTC)
    }
}
