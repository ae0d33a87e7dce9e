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
    /// Where it is, as it was named.
    public let path: String
    let options: LibraryOptions
    let folder: LibraryFolder
    let catalogue: Catalogue
    let changes = LibraryChanges()

    /// Opens the library at `path`, or makes one: of a folder that is empty or not there.
    public init(_ path: String, _ options: LibraryOptions = LibraryOptions()) throws(LibraryError) {
        (self.path, self.options) = (path, options)
        folder = try LibraryFolder(path, mayCreate: options.mayCreate, options.calls)
        if try !folder.hasCatalogue(), !options.mayCreate { throw .noLibrary(path) }
        let lock = try folder.openLock()
        try Self.takeTurn(lock, path, options.patience)
        if try !folder.hasCatalogue() { try folder.makeCatalogue() }
        let file = try "\(folder.resolvedPath())/\(LibraryFolder.catalogue)"
        catalogue = try Catalogue(file, named: folder.path(of: LibraryFolder.catalogue), options)
        try recover()
    }

    /// Waits until no other process opens the library: one at a time makes it, brings it up to date, and clears up in it.
    private static func takeTurn(
        _ lock: borrowing Descriptor, _ path: String, _ patience: TimeSpan
    ) throws(LibraryError) {
        let deadline = Timestamp.now + patience
        while !lockByte(lock.number, at: 0) {
            guard Timestamp.now < deadline else { throw .busy(path) }
            usleep(5000)
        }
    }

    // MARK: Adding

    /// Keeps source frames of a stream. One for each stream and format; its files grow with the photos that need them.
    public func openBurst(_ header: DumpHeader) throws(LibraryError) -> BurstWriter {
        BurstWriter(header, in: folder, burstBytes: options.burstBytes)
    }

    /// Adds a photo that is as good as it will be. It is on the disk when this returns.
    ///
    /// Frames may be kept for it all the same, so that it can be developed again.
    public func addFinished(
        _ photo: NewPhoto, _ bytes: [UInt8], frames: [KeptFrame] = []
    ) throws(LibraryError) -> LibraryPhoto {
        try add(photo, bytes, frames, isProxy: false)
    }

    /// Adds a photo whose final is to be made of `frames` later. Proxy and frames are on the disk when this returns.
    public func addDeferred(
        _ photo: NewPhoto, proxy: [UInt8], frames: [KeptFrame]
    ) throws(LibraryError) -> LibraryPhoto {
        guard !frames.isEmpty else { throw .badPhoto("a final is made of frames, and there are none") }
        return try add(photo, proxy, frames, isProxy: true)
    }

    private func add(
        _ photo: NewPhoto, _ bytes: [UInt8], _ frames: [KeptFrame], isProxy: Bool
    ) throws(LibraryError) -> LibraryPhoto {
        guard let names = PhotoNames(photo.taken, suffix: photo.suffix) else {
            throw .badPhoto("'\(photo.suffix)' is no suffix")
        }
        let day = try folder.makeFolder(names.folder)
        var number = 1
        while true {
            // Whether the number is free is certain only when the photo is in the catalogue.
            number = firstFree(number, names, in: day)
            let row = try add(
                photo, bytes, frames, names, number, in: day.number, isProxy: isProxy)
            if let row { return libraryPhoto(row) }
            number += 1
        }
    }

    private func firstFree(_ number: Int, _ names: PhotoNames, in day: borrowing Descriptor) -> Int {
        var number = number
        var status = stat()
        while fstatat(day.number, names.final(number), &status, AT_SYMLINK_NOFOLLOW) == 0
            || fstatat(day.number, names.proxy(number), &status, AT_SYMLINK_NOFOLLOW) == 0
        {
            number += 1
        }
        return number
    }

    /// Adds a photo under a number; nil where another photo has it.
    private func add(
        _ photo: NewPhoto, _ bytes: [UInt8], _ frames: [KeptFrame], _ names: PhotoNames, _ number: Int,
        in day: Int32, isProxy: Bool
    ) throws(LibraryError) -> PhotoRow? {
        let final = "\(names.folder)/\(names.final(number))"
        let name = isProxy ? names.proxy(number) : names.final(number)
        let file = LibraryFile(
            place: "\(names.folder)/\(name)", byteCount: bytes.count,
            checksum: bytes.withUnsafeBytes { Checksum.of($0) })
        let now = utcNow()
        var row = PhotoRow(
            PhotoID(number: 0), photo, state: isProxy ? .deferred : .finished, finalPlace: final, addedUTC: now)
        if isProxy { row.proxy = file } else { (row.final, row.finishedUTC) = (file, now) }

        // What the catalogue says is there has to be there, whenever the power fails: files first, then the row.
        let whole = folder.path(of: file.place)
        guard var pending = try PendingFile(name, in: day, of: folder, path: whole) else { return nil }
        try pending.write(bytes)
        let segments = Self.ends(of: frames)
        // The disk begins with all of it before anything is waited for.
        startWriting(pending.descriptor, count: bytes.count)
        try pending.sync()
        for (segment, end) in segments { try segment.sync(upTo: end) }
        try folder.sync(day, whole)
        var isUncertain = false
        do throws(LibraryError) {
            row.id = try catalogue.write(isUncertain: &isUncertain) { (connection) throws(SQLiteError) in
                guard try !connection.isTaken(final) else { return PhotoID(number: 0) }
                return try connection.insert(row, photo, frames)
            }
        } catch {
            if isUncertain {
                pending.leave()
                for (segment, _) in segments { segment.leave() }
            }
            throw error
        }
        guard row.id.number > 0 else { return nil }
        for (segment, _) in segments { segment.keep() }
        pending.keep()
        row.keptFrames = frames.count
        return row
    }

    /// The files the frames are in, and how much of each they need.
    private static func ends(of frames: [KeptFrame]) -> [(segment: BurstSegment, end: Int)] {
        var ends: [(segment: BurstSegment, end: Int)] = []
        for frame in frames {
            if let known = ends.firstIndex(where: { $0.segment === frame.segment }) {
                ends[known].end = max(ends[known].end, frame.end)
            } else {
                ends.append((frame.segment, frame.end))
            }
        }
        return ends
    }

    // MARK: Looking up

    /// The photo of a number.
    public func photo(_ id: PhotoID) throws(LibraryError) -> LibraryPhoto {
        let row = try catalogue.read { (connection) throws(SQLiteError) in try connection.photo(id) }
        guard let row else { throw .noSuchPhoto(id) }
        return libraryPhoto(row)
    }

    /// A page of photos, the newest first.
    public func photos(_ page: LibraryPage = LibraryPage()) throws(LibraryError) -> [LibraryPhoto] {
        let before = try page.after.map { (id) throws(LibraryError) in try photo(id) }
        let rows = try catalogue.read { (connection) throws(SQLiteError) in
            try connection.photos(
                behind: before.map { ($0.taken.utcNanoseconds, $0.id) }, limit: page.limit,
                unfinishedOnly: page.unfinishedOnly)
        }
        return rows.map(libraryPhoto)
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
            keptFrames: row.keptFrames, addedUTC: row.addedUTC, finishedUTC: row.finishedUTC)
    }
}
