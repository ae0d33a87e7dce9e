// SPDX-License-Identifier: MIT
// A library of photos on disk. It never loses a photo that it has accepted.

import Glibc
import LivecapFiles
import LivecapFrames
import LivecapThreads

/// A photo library: a folder of plain files, and a catalogue of them. docs/library.md describes both.
///
/// Any number of threads and processes may use one library at once. When a call that adds or finishes a photo returns,
/// the photo survives a power failure. When it throws, the library is as before; if the failing disk prevents even
/// that, the next process that opens the library completes the change or undoes it.
///
/// Calls wait for the disk on threads of their own, while the caller's task is suspended.
public final class PhotoLibrary: Sendable {
    /// Its path as given, without a slash at its end.
    public let path: String
    let options: LibraryOptions
    let folder: LibraryFolder
    let catalogue: Catalogue
    let changes: LibraryChanges
    /// The finals that this program's tasks wait for.
    package let demand = FinalDemand()

    /// Opens the library at `path`. If the folder is empty or does not exist, creates a library, provided `mayCreate`
    /// is set. Blocks.
    package init(_ path: String, _ options: LibraryOptions = LibraryOptions()) throws(LibraryError) {
        folder = try LibraryFolder(path, mayCreate: options.mayCreate, options.calls)
        self.path = folder.path
        changes = LibraryChanges(in: folder)
        self.options = options
        if try folder.catalogueState() != .filled, !options.mayCreate { throw .noLibrary(folder.path) }
        guard !folder.isReadOnly || options.mayCreate else {
            catalogue = try Catalogue(reading: folder, options)
            return
        }
        // Checked before anything is created there: a folder that is refused stays as it is.
        try folder.checkUsable()
        let hadLock = folder.hasLock
        let lock = try folder.openLock()
        try Self.takeTurn(lock, folder.path, options.patience)
        folder.reserveSpace(lock)
        if try folder.catalogueState() == .missing { try folder.makeCatalogue() }
        do throws(LibraryError) {
            catalogue = try Catalogue(in: folder, options)
        } catch {
            if error.isRefusal, !hadLock { folder.removeLock() }
            throw error
        }
        // The names of SQLite's own files have to be durable, too.
        try folder.syncRoot()
        do throws(LibraryError) {
            try recover()
        } catch .fileError(_, _, ENOSPC) {
            // The rest is settled by the next process that opens the library when there is room.
        }
    }

    /// Waits until no other process is opening the library: only one at a time creates it, migrates it, and recovers
    /// it.
    private static func takeTurn(
        _ lock: borrowing LockFile, _ path: String, _ patience: Duration
    ) throws(LibraryError) {
        let deadline = Timestamp.now + patience
        while !lock.lock(at: 0) {
            guard Timestamp.now < deadline else { throw .busy(path) }
            usleep(5000)
        }
    }

    // MARK: Looking up

    /// The photo with that number, which may be in the trash.
    package func photo(_ id: PhotoID) throws(LibraryError) -> LibraryPhoto {
        let row = try catalogue.read { (connection) throws(SQLiteError) in try connection.photo(id) }
        guard let row else { throw .noSuchPhoto(id) }
        return libraryPhoto(row)
    }

    /// A page of photos, newest first unless the page sets another order.
    package func photos(_ page: LibraryPage = LibraryPage()) throws(LibraryError) -> [LibraryPhoto] {
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

    /// The numbers of the photos in a range, smallest first: of those in the trash, or of all others.
    package func photoIDs(
        in numbers: ClosedRange<PhotoID>, ofTrash: Bool = false
    ) throws(LibraryError) -> [PhotoID] {
        try catalogue.read { (connection) throws(SQLiteError) in
            try connection.photoIDs(in: numbers, ofTrash: ofTrash)
        }
    }

    /// The totals of the library. It reads every photo's row.
    package func summary() throws(LibraryError) -> LibrarySummary {
        try catalogue.read { (connection) throws(SQLiteError) in try connection.summary() }
    }

    /// How many of these photos are still deferred. Any program may have finished some of them, or moved them to the
    /// trash.
    package func countDeferred(among photos: some Sequence<PhotoID>) throws(LibraryError) -> Int {
        let photos = Array(photos)
        return try catalogue.read { (connection) throws(SQLiteError) in
            var count = 0
            for id in photos {
                guard let photo = try connection.photo(id), photo.removedUTC == nil else { continue }
                if photo.state == .deferred { count += 1 }
            }
            return count
        }
    }

    /// The further data of a photo, as it was given.
    package func account(of id: PhotoID) throws(LibraryError) -> PhotoAccount {
        let account = try catalogue.read { (connection) throws(SQLiteError) in try connection.account(of: id) }
        guard let account else { throw .noSuchPhoto(id) }
        return account
    }

    /// The thumbnail of a photo; nil if it has none.
    package func thumbnail(of id: PhotoID) throws(LibraryError) -> [UInt8]? {
        let (photo, thumbnail) = try catalogue.read { (connection) throws(SQLiteError) in
            (try connection.photo(id), try connection.thumbnail(of: id))
        }
        guard photo != nil else { throw .noSuchPhoto(id) }
        return thumbnail
    }

    /// The frames kept for a photo, in the order they were given. Empty if none were kept, or if those of a finished
    /// photo were cleaned up. Throws if their files were changed.
    package func frames(of id: PhotoID) throws(LibraryError) -> [StoredFrame] {
        let (photo, rows) = try catalogue.read { (connection) throws(SQLiteError) in
            (try connection.photo(id), try connection.frames(of: id))
        }
        guard photo != nil else { throw .noSuchPhoto(id) }
        return try frames(rows, of: id)
    }

    /// The frames of a photo that these rows describe.
    func frames(_ rows: [FrameRow?], of id: PhotoID) throws(LibraryError) -> [StoredFrame] {
        var files: [BurstID: BurstFile] = [:]
        var frames: [StoredFrame] = []
        for row in rows {
            guard let row else { throw .damagedCatalogue(path, detail: "photo \(id) has an impossible frame") }
            let file = if let known = files[row.burst] { known } else { try BurstFile(row.burst, in: folder) }
            files[row.burst] = file
            frames.append(try StoredFrame(row, in: file))
        }
        return frames
    }

    func libraryPhoto(_ row: PhotoRow) -> LibraryPhoto {
        LibraryPhoto(
            id: row.id, state: row.state, taken: row.taken, tap: row.tap, reference: row.reference, size: row.size,
            format: row.format, qualityAsked: row.qualityAsked, qualityGiven: row.qualityGiven,
            finalPath: row.finalPath, file: row.file, path: folder.path(of: row.file.place),
            keptFrames: row.keptFrames, keptBytes: row.keptBytes, hasMask: row.hasMask,
            added: CalendarTime(utcNanoseconds: row.addedUTC),
            finished: row.finishedUTC.map { CalendarTime(utcNanoseconds: $0) },
            removed: row.removedUTC.map { CalendarTime(utcNanoseconds: $0) }, rating: row.rating,
            group: row.group)
    }
}
