// SPDX-License-Identifier: MIT
// Photos in the catalogue: inserted, looked up, updated.

import LivecapCSQLite
import LivecapFrames

/// A photo as stored in the catalogue.
struct PhotoRow: Sendable {
    var id: PhotoID
    var state: PhotoState
    var taken: CalendarTime
    var tap: Timestamp
    var reference: Timestamp
    var size: FrameSize
    var format: StillFormat?
    var qualityAsked: PhotoQuality?
    var qualityGiven: PhotoQuality?
    var finalPath: String
    var final: LibraryFile?
    var proxy: LibraryFile?
    var addedUTC: Int64
    var finishedUTC: Int64?
    var keptFrames = 0, keptBytes = 0
    /// Whether there is a mask of its current picture.
    var hasMask = false
    /// When it was put into the trash; nil if it is not there.
    var removedUTC: Int64?
    /// In stars; 0 if it has none.
    var rating = 0
    var group: PhotoGroup?

    /// Its current file. A catalogue written by another program may have neither a final nor a proxy.
    var file: LibraryFile {
        (state == .finished ? final : proxy) ?? LibraryFile(place: finalPath, byteCount: 0, checksum: 0)
    }

    init(_ id: PhotoID, _ photo: NewPhoto, state: PhotoState, finalPath: String, addedUTC: Int64) {
        self.id = id
        self.state = state
        self.finalPath = finalPath
        self.addedUTC = addedUTC
        taken = photo.taken
        tap = photo.tap
        reference = photo.reference
        size = photo.size
        format = photo.format
        qualityAsked = photo.qualityAsked
        qualityGiven = photo.qualityGiven
        group = photo.group
    }

    /// The selected columns but the last five, in the order in which `init` reads them: see `photoColumns`.
    static let columns = """
        id, state, reason, taken_utc_ns, zone_offset_s, tap_ns, reference_ns, width, height, suffix, quality_asked, \
        quality_given, final_place, final_bytes, final_checksum, proxy_place, proxy_bytes, proxy_checksum, added_utc_ns, \
        finished_utc_ns, (SELECT count(*) FROM uses WHERE uses.photo = photos.id), \(keptBytes)
        """
    /// The bytes of the frames a photo uses. The numbers of a foreign catalogue may add up to more than 64 bits hold.
    static let keptBytes = """
        (SELECT CAST(ifnull(total(frames.bytes), 0) AS INTEGER) FROM uses JOIN frames USING (burst, ordinal) \
        WHERE uses.photo = photos.id)
        """

    init(_ row: SQLiteRow) {
        id = PhotoID(number: row.integer(0))
        state =
            switch row.integer(1) {
            case 0: .finished
            case 1: .deferred
            default: .failed(reason: row.text(2))
            }
        taken = CalendarTime(
            utcNanoseconds: row.integer(3), zoneOffsetSeconds: Int32(clamping: row.integer(4)))
        tap = Timestamp(nanoseconds: row.integer(5))
        reference = Timestamp(nanoseconds: row.integer(6))
        size = FrameSize(width: row.int(7), height: row.int(8))
        format = StillFormat(suffixOf: row.text(9))
        qualityAsked = PhotoQuality(rawValue: row.text(10))
        qualityGiven = PhotoQuality(rawValue: row.text(11))
        finalPath = row.text(12)
        final = row.isNull(13) ? nil : LibraryFile(place: row.text(12), byteCount: row.int(13), checksum: row.bits(14))
        proxy = row.isNull(15) ? nil : LibraryFile(place: row.text(15), byteCount: row.int(16), checksum: row.bits(17))
        addedUTC = row.integer(18)
        finishedUTC = row.optionalInteger(19)
        keptFrames = row.int(20)
        keptBytes = row.int(21)
        hasMask = row.integer(22) != 0
        removedUTC = row.optionalInteger(23)
        rating = min(max(row.int(24), 0), 5)
        group = row.isNull(25) ? nil : PhotoGroup(id: row.text(25), stream: row.text(26))
    }
}

extension Connection {
    /// Inserts a photo with the frames it needs, and returns its number.
    mutating func insert(
        _ row: PhotoRow, _ photo: NewPhoto, _ frames: [KeptFrame]
    ) throws(SQLiteError) -> PhotoID {
        try run(
            """
            INSERT INTO photos (id, state, taken_utc_ns, zone_offset_s, tap_ns, reference_ns, width, height, suffix,
                quality_asked, quality_given, final_place, final_bytes, final_checksum, proxy_place, proxy_bytes,
                proxy_checksum, added_utc_ns, finished_utc_ns, on_disk)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
            """,
            [
                .optional(photo.number?.number), .number(row.state.number), .number(row.taken.utcNanoseconds),
                .number(row.taken.zoneOffsetSeconds), .number(row.tap.nanoseconds),
                .number(row.reference.nanoseconds), .number(row.size.width), .number(row.size.height),
                .text(photo.format.suffix), .text(photo.qualityAsked.rawValue), .text(photo.qualityGiven.rawValue),
                .text(row.finalPath),
                .optional(row.final?.byteCount), .optionalBits(row.final?.checksum), .optional(row.proxy?.place),
                .optional(row.proxy?.byteCount), .optionalBits(row.proxy?.checksum), .number(row.addedUTC),
                .optional(row.finishedUTC),
            ])
        let id = PhotoID(number: lastRow)
        try run(
            "INSERT INTO accounts (photo, request, provenance) VALUES (?, ?, ?)",
            [.number(id.number), .text(photo.request), .text(photo.provenance)])
        if let thumbnail = photo.thumbnail {
            try run(
                "INSERT INTO thumbnails (photo, jpeg) VALUES (?, ?)", [.number(id.number), .blob(thumbnail)])
        }
        if let mask = photo.mask { try setMask(mask, of: id) }
        if let group = photo.group { try setGroup(group, of: id) }
        try insert(frames, usedBy: id)
        if let other = photo.sharesFramesOf { try shareFrames(of: other, with: id) }
        return id
    }

    /// Marks photos, with everything they need, as known to be durable.
    mutating func noteOnDisk(_ photos: [PhotoID]) throws(SQLiteError) {
        for id in photos { try run("UPDATE photos SET on_disk = 1 WHERE id = ?", [.number(id.number)]) }
    }

    /// The photos not marked as durable: those a program was adding, or had just added, when it ended.
    mutating func unsurePhotos() throws(SQLiteError) -> [PhotoRow] {
        try all("SELECT \(photoColumns()) FROM photos WHERE on_disk = 0") { PhotoRow($0) }
    }

    /// Whether a photo is not marked as durable.
    mutating func isUnsure(_ id: PhotoID) throws(SQLiteError) -> Bool {
        try first("SELECT 1 FROM photos WHERE id = ? AND on_disk = 0", [.number(id.number)]) { _ in true } ?? false
    }

    /// Whether a photo has that path for its final, now or later.
    mutating func isTaken(_ finalPath: String) throws(SQLiteError) -> Bool {
        try first("SELECT 1 FROM photos WHERE final_place = ?", [.text(finalPath)]) { _ in true } ?? false
    }

    /// The photo with that number.
    mutating func photo(_ id: PhotoID) throws(SQLiteError) -> PhotoRow? {
        try first("SELECT \(photoColumns()) FROM photos WHERE id = ?", [.number(id.number)]) { PhotoRow($0) }
    }

    /// The position after which a page continues, even if its photo has been removed since; nil if no photo ever had
    /// the number.
    mutating func place(of id: PhotoID) throws(SQLiteError) -> (utc: Int64, id: PhotoID)? {
        if let photo = try photo(id) { return (photo.taken.utcNanoseconds, id) }
        let largest = try first("SELECT seq FROM sqlite_sequence WHERE name = 'photos'") { $0.integer(0) } ?? 0
        guard (1...max(1, largest)).contains(id.number), largest > 0 else { return nil }
        let before = try first(
            "SELECT taken_utc_ns FROM photos WHERE id < ? ORDER BY id DESC LIMIT 1", [.number(id.number)]
        ) { $0.integer(0) }
        // The photo found here still sorts below this position, because its number is smaller.
        return (before ?? .min, id)
    }

    /// The photos to be finished, oldest first: not those in the trash.
    mutating func deferredPhotos() throws(SQLiteError) -> [PhotoID] {
        let isInTrash = try isInTrash()
        return try all(
            "SELECT id FROM photos WHERE state <> 0 AND state = 1 AND NOT \(isInTrash) ORDER BY taken_utc_ns, id"
        ) { PhotoID(number: $0.integer(0)) }
    }

    /// The data the library stores for a photo without interpreting it.
    mutating func account(of id: PhotoID) throws(SQLiteError) -> PhotoAccount? {
        try first("SELECT request, provenance FROM accounts WHERE photo = ?", [.number(id.number)]) {
            PhotoAccount(request: $0.text(0), provenance: $0.text(1))
        }
    }

    /// The thumbnail of a photo, if it has one.
    mutating func thumbnail(of id: PhotoID) throws(SQLiteError) -> [UInt8]? {
        try first("SELECT jpeg FROM thumbnails WHERE photo = ?", [.number(id.number)]) { $0.blob(0) }
    }

    /// Records that a photo's final is there, with its mask, and drops its proxy. Returns false if the photo is gone,
    /// or if it was finished already and is not being made again.
    mutating func finish(
        _ id: PhotoID, _ final: LibraryFile, provenance: String, mask: [UInt8]?, isAgain: Bool = false,
        atUTC now: Int64
    ) throws(SQLiteError) -> Bool {
        try run(
            """
            UPDATE photos SET state = 0, reason = NULL, final_place = ?, final_bytes = ?, final_checksum = ?,
                proxy_place = NULL, proxy_bytes = NULL, proxy_checksum = NULL, finished_utc_ns = ?, on_disk = 1
            WHERE id = ? AND (state <> 0 OR ?)
            """,
            [
                .text(final.place), .number(final.byteCount), .bits(final.checksum), .number(now),
                .number(id.number), .number(isAgain ? 1 : 0),
            ])
        guard changes == 1 else { return false }
        try run("UPDATE accounts SET provenance = ? WHERE photo = ?", [.text(provenance), .number(id.number)])
        try setMask(mask, of: id)
        try forgetAttempts(at: id)
        return true
    }

    /// Records that a photo's final cannot be made. Returns false if the photo is gone or finished.
    mutating func fail(_ id: PhotoID, reason: String) throws(SQLiteError) -> Bool {
        try run(
            "UPDATE photos SET state = 2, reason = ? WHERE id = ? AND state <> 0", [.text(reason), .number(id.number)])
        guard changes == 1 else { return false }
        try forgetAttempts(at: id)
        return true
    }
}

extension PhotoState {
    /// The state's number in the catalogue.
    fileprivate var number: Int {
        switch self {
        case .finished: 0
        case .deferred: 1
        case .failed: 2
        }
    }
}
