// SPDX-License-Identifier: MIT
// Checks that everything in the catalogue exists and is unchanged.

import Glibc
import LivecapCSQLite
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapIntents

/// A problem found in a library.
public struct LibraryProblem: Hashable, Codable, Sendable {
    /// The kind of problem.
    public enum Kind: String, Hashable, Codable, Sendable {
        /// A file does not exist.
        case missing
        /// A file was changed.
        case damaged
        /// A link or a name leads out of the library.
        case unsafe
        /// The catalogue contradicts itself, or cannot be read.
        case catalogue
        /// A file could not be read.
        case unreadable
    }
    /// The kind of problem.
    public let kind: Kind
    /// The photo concerned, if any.
    public let photo: PhotoID?
    /// The file's path within the library.
    public let place: String
    /// The problem in words for people.
    public let detail: String
    /// Whether the photo can be made again from its kept frames, with its mask, as if it had not been finished yet.
    public var canBeMadeAgain = false
}

/// The progress of a verification.
public struct VerificationProgress: Hashable, Codable, Sendable {
    /// The number of photos checked, and of all photos.
    public var photos = 0, allPhotos = 0
    /// The number of kept frames checked, and of all kept frames.
    public var frames = 0, allFrames = 0
}

/// The result of a verification.
public struct VerificationReport: Hashable, Codable, Sendable {
    /// The number of photos, and of those that are not finished.
    public var photos = 0, unfinished = 0
    /// The photos whose finals could not be made, and why. They are only tried again when asked for by number.
    public var failed: [PhotoID: String] = [:]
    /// The number of kept frames.
    public var frames = 0
    /// The number of bytes read and compared with their checksums.
    public var bytes = 0
    /// The problems found.
    public var problems: [LibraryProblem] = []
    /// Files that are in the library's folders but not in its catalogue. Nothing in the library refers to them.
    public var unlisted: [String] = []
}

extension PhotoLibrary {
    /// Reads every photo, proxy, mask and kept frame and compares it with its checksum. `goesOn` is called with the
    /// progress; if it returns false, the report is of what was read by then. Photos added or removed meanwhile cause
    /// no problem.
    package func verify(
        while goesOn: (VerificationProgress) -> Bool = { _ in true }
    ) throws(LibraryError) -> VerificationReport {
        var verification = Verification(library: self)
        try verification.checkCatalogue()
        try verification.checkPhotos(goesOn)
        try verification.checkFrames(goesOn)
        try verification.findUnlisted()
        return verification.report
    }
}

private struct Verification {
    let library: PhotoLibrary
    var report = VerificationReport()
    var progress = VerificationProgress()
    private var isStopped = false

    init(library: PhotoLibrary) { self.library = library }

    private mutating func note(_ kind: LibraryProblem.Kind, photo: PhotoID?, place: String, detail: String) {
        report.problems.append(LibraryProblem(kind: kind, photo: photo, place: place, detail: detail))
    }

    private mutating func note(_ error: LibraryError, _ photo: PhotoID?, _ place: String) {
        switch error {
        // It is being removed: its row follows.
        case .missing where library.folder.isEmptied(place): return
        case .missing: note(.missing, photo: photo, place: place, detail: "it is not there")
        case .damaged(_, let detail): note(.damaged, photo: photo, place: place, detail: detail)
        case .unsafePath(_, let detail): note(.unsafe, photo: photo, place: place, detail: detail)
        default: note(.unreadable, photo: photo, place: place, detail: error.message)
        }
    }

    /// Runs SQLite's own checks.
    mutating func checkCatalogue() throws(LibraryError) {
        let (faults, strays, counts) = try library.catalogue.read { (connection) throws(SQLiteError) in
            (
                try connection.all("PRAGMA integrity_check(20)") { $0.text(0) },
                try connection.all("PRAGMA foreign_key_check") { "\($0.text(0)) refers to a row that is not there" },
                try connection.first("SELECT (SELECT count(*) FROM photos), (SELECT count(*) FROM frames)") {
                    ($0.int(0), $0.int(1))
                }
            )
        }
        for fault in faults + strays where fault != "ok" {
            note(.catalogue, photo: nil, place: LibraryFolder.catalogue, detail: fault)
        }
        (progress.allPhotos, progress.allFrames) = counts ?? (0, 0)
    }

    mutating func checkPhotos(_ goesOn: (VerificationProgress) -> Bool) throws(LibraryError) {
        var last = PhotoID(number: .min)
        while !isStopped {
            let rows = try library.catalogue.read { (connection) throws(SQLiteError) in
                try connection.photosByNumber(after: last, limit: 100)
            }
            guard let newest = rows.last else { return }
            for (row, account) in rows {
                try check(row, account)
                progress.photos += 1
                guard goesOn(progress) else {
                    isStopped = true
                    return
                }
            }
            last = newest.row.id
        }
    }

    private mutating func check(_ row: PhotoRow, _ account: PhotoAccount?) throws(LibraryError) {
        report.photos += 1
        if row.state != .finished { report.unfinished += 1 }
        if case .failed(let reason) = row.state { report.failed[row.id] = reason }
        for (name, text) in [("request", account?.request), ("account", account?.provenance)] {
            guard let text else {
                note(
                    .catalogue, photo: row.id, place: LibraryFolder.catalogue, detail: "photo \(row.id) has no \(name)")
                continue
            }
            if JSON(parsing: Array(text.utf8), depth: 32) == nil {
                note(
                    .catalogue, photo: row.id, place: LibraryFolder.catalogue,
                    detail: "the \(name) of photo \(row.id) is no JSON")
            }
        }
        if row.state != .finished, PhotoNames.fileName(of: row.finalPath) == nil {
            note(.unsafe, photo: row.id, place: row.finalPath, detail: "not a photo's path")
        }
        if row.hasMask {
            do throws(LibraryError) { report.bytes += try library.mask(of: row.id)?.count ?? 0 } catch .noSuchPhoto {
                // It was removed since its row was read.
            } catch {
                note(error, of: row, at: LibraryFolder.catalogue)
            }
        }
        do throws(LibraryError) {
            report.bytes += try library.check(row.file)
        } catch {
            // It may have been finished or removed since its row was read; the current row decides.
            let now = try library.catalogue.read { (connection) throws(SQLiteError) in try connection.photo(row.id) }
            guard let now else { return }
            guard now.file != row.file else { return note(error, of: row, at: row.file.place) }
            do throws(LibraryError) {
                report.bytes += try library.check(now.file)
            } catch {
                note(error, of: now, at: now.file.place)
            }
        }
    }

    private mutating func note(_ error: LibraryError, of row: PhotoRow, at place: String) {
        let count = report.problems.count
        note(error, row.id, place)
        guard report.problems.count > count, row.state == .finished, row.keptFrames > 0, error.isLossOfFile else {
            return
        }
        report.problems[count].canBeMadeAgain = true
    }

    mutating func checkFrames(_ goesOn: (VerificationProgress) -> Bool) throws(LibraryError) {
        let bursts = try library.catalogue.read { (connection) throws(SQLiteError) in try connection.burstIDs() }
        for burst in bursts where !isStopped { try check(burst, goesOn) }
    }

    private mutating func check(
        _ burst: BurstID, _ goesOn: (VerificationProgress) -> Bool
    ) throws(LibraryError) {
        let rows = try library.catalogue.read { (connection) throws(SQLiteError) in try connection.frames(in: burst) }
        let file: BurstFile
        do throws(LibraryError) {
            file = try BurstFile(burst, in: library.folder)
        } catch {
            // It may have been cleaned up since it was listed.
            let isThere = try library.catalogue.read { (connection) throws(SQLiteError) in
                try connection.hasBurst(burst)
            }
            if isThere { note(error, nil, burst.place) }
            return
        }
        for row in rows {
            guard let row else {
                note(.catalogue, photo: nil, place: LibraryFolder.catalogue, detail: "\(burst) has an impossible frame")
                continue
            }
            report.frames += 1
            progress.frames += 1
            do throws(LibraryError) {
                report.bytes += try StoredFrame(row, in: file).bytes().count
            } catch {
                // It may have been removed since the rows were read.
                let isThere = try library.catalogue.read { (connection) throws(SQLiteError) in
                    try connection.hasFrame(row)
                }
                if isThere, !library.folder.isEmptied(burst.place) { note(error, nil, burst.place) }
            }
            guard goesOn(progress) else {
                isStopped = true
                return
            }
        }
    }

    mutating func findUnlisted() throws(LibraryError) {
        guard !isStopped else { return }
        if let photos = try library.folder.openFolder(LibraryFolder.photos) {
            for day in fileNames(in: photos.number).sorted() where !day.hasPrefix(".") {
                try findUnlisted(in: "\(LibraryFolder.photos)/\(day)")
            }
        }
        guard let bursts = try library.folder.openFolder(LibraryFolder.bursts) else { return }
        for name in fileNames(in: bursts.number).sorted() where !name.hasPrefix(".") {
            let isListed = try BurstID(fileName: name).map { (id) throws(LibraryError) in
                try library.catalogue.read { (connection) throws(SQLiteError) in try connection.hasBurst(id) }
            }
            // Checked again: it may have been removed since the folder was read.
            guard isListed != true, library.folder.hasFile(name, in: bursts.number) else { continue }
            report.unlisted.append("\(LibraryFolder.bursts)/\(name)")
        }
    }

    private mutating func findUnlisted(in day: String) throws(LibraryError) {
        let opened: Descriptor?
        do throws(LibraryError) {
            opened = try library.folder.openFolder(day)
        } catch .unsafePath {
            report.unlisted.append(day)
            return
        }
        guard let opened else { return }
        for name in fileNames(in: opened.number).sorted() where !name.hasPrefix(".") {
            let place = "\(day)/\(name)"
            let isListed = try library.catalogue.read { (connection) throws(SQLiteError) in
                if try connection.hasFile(place) { return true }
                // A proxy is removed just after its final is stored.
                guard PhotoNames.isProxy(name) else { return false }
                return try connection.isFinished(stem: String(place.dropLast(PhotoNames.proxySuffix.count)))
            }
            if !isListed, library.folder.hasFile(name, in: opened.number) { report.unlisted.append(place) }
        }
    }
}

extension PhotoLibrary {
    /// Reads a photo's file piece by piece and compares it with the catalogue. Returns its size in bytes.
    func check(_ file: LibraryFile) throws(LibraryError) -> Int {
        try read(file) { _ in }
        return file.byteCount
    }

    /// Reads a photo's file and passes on its bytes. Throws at the end if they were changed.
    func read(
        _ file: LibraryFile, _ piece: (UnsafeRawBufferPointer) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        let opened = try folder.openPhoto(file)
        try read(file, from: opened.number, piece)
    }

    /// The same for a file that is open already.
    func read(
        _ file: LibraryFile, from opened: Int32, _ piece: (UnsafeRawBufferPointer) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        let path = folder.path(of: file.place)
        var sum = RunningChecksum()
        var offset = 0
        while true {
            let bytes = try readBytes(opened, path, at: offset, count: 1 << 20)
            if bytes.isEmpty { break }
            let reason = bytes.withUnsafeBytes { bytes -> LibraryError? in
                sum.add(bytes)
                do throws(LibraryError) { try piece(bytes) } catch { return error }
                return nil
            }
            if let reason { throw reason }
            offset += bytes.count
            // A file that is not the library's could be endless.
            guard offset <= file.byteCount else { break }
        }
        guard offset == file.byteCount else {
            throw .damaged(path, detail: "it has \(offset > file.byteCount ? "more" : "fewer") bytes than it had")
        }
        guard sum.value == file.checksum else { throw .damaged(path, detail: "it has a wrong checksum") }
    }
}

extension Connection {
    /// Photos in the order of their numbers.
    fileprivate mutating func photosByNumber(
        after last: PhotoID, limit: Int
    ) throws(SQLiteError) -> [(row: PhotoRow, account: PhotoAccount?)] {
        let rows = try all(
            "SELECT \(photoColumns()) FROM photos WHERE id > ? ORDER BY id LIMIT ?",
            [.number(last.number), .number(limit)]
        ) { PhotoRow($0) }
        var photos: [(row: PhotoRow, account: PhotoAccount?)] = []
        for row in rows { photos.append((row, try account(of: row.id))) }
        return photos
    }

    fileprivate mutating func burstIDs() throws(SQLiteError) -> [BurstID] {
        try all("SELECT id FROM bursts ORDER BY made_utc_ns, id") { BurstID(recording: $0.bits(0)) }
    }

    fileprivate mutating func hasFrame(_ row: FrameRow) throws(SQLiteError) -> Bool {
        try first(
            "SELECT 1 FROM frames WHERE burst = ? AND ordinal = ?", [.bits(row.burst.recording), .bits(row.ordinal)]
        ) { _ in true } ?? false
    }

    /// The frames of a file, in their order; nil stands for a row with impossible numbers.
    fileprivate mutating func frames(in burst: BurstID) throws(SQLiteError) -> [FrameRow?] {
        try all(
            "SELECT \(FrameRow.columns) FROM frames WHERE burst = ? ORDER BY ordinal", [.bits(burst.recording)]
        ) { FrameRow($0) }
    }
}
