// SPDX-License-Identifier: MIT
// Removes photos and kept frames.

import Glibc
import LivecapCSQLite
import LivecapFiles
import LivecapFrames

/// How long kept frames stay that no photo needs any more to be finished, and photos in the trash.
public struct CleanUpPolicy: Hashable, Codable, Sendable {
    /// The maximum time since the last photo that uses them was added.
    public var age: Duration
    /// The maximum size of all kept frames together, in bytes. Frames needed to finish photos count too, but are never
    /// removed, and neither are those of photos with effects.
    public var budget: Int
    /// How long photos stay in the trash before they are removed for good.
    public var trashAge: Duration

    /// A policy with a maximum age, a budget, and a time in the trash (default: one week, 2 GiB and 30 days).
    public init(
        age: Duration = .seconds(7 * 24 * 3600), budget: Int = 2 << 30,
        trashAge: Duration = .seconds(30 * 24 * 3600)
    ) {
        self.age = age
        self.budget = budget
        self.trashAge = trashAge
    }

    /// Decodes a policy; photos stay in the trash for 30 days if an older version wrote it.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            age: try fields.decode(Duration.self, forKey: .age), budget: try fields.decode(Int.self, forKey: .budget))
        if let age = try fields.decodeIfPresent(Duration.self, forKey: .trashAge) { trashAge = age }
    }
}

/// The result of a clean-up.
public struct CleanUpReport: Hashable, Codable, Sendable {
    /// The number of files of kept frames removed, and their size in bytes.
    public var removedFiles = 0, removedBytes = 0
    /// The number of files of kept frames that remain, and their size in bytes.
    public var leftFiles = 0, leftBytes = 0
    /// The number of photos that had been in the trash for too long, and were removed.
    public var removedPhotos = 0
}

extension CleanUpReport {
    /// Decodes a report, also as versions wrote it that knew nothing of the trash.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        removedFiles = try fields.decode(Int.self, forKey: .removedFiles)
        removedBytes = try fields.decode(Int.self, forKey: .removedBytes)
        leftFiles = try fields.decode(Int.self, forKey: .leftFiles)
        leftBytes = try fields.decode(Int.self, forKey: .leftBytes)
        removedPhotos = try fields.decodeIfPresent(Int.self, forKey: .removedPhotos) ?? 0
    }
}

extension PhotoLibrary {
    /// Removes a photo for good, in the trash or not: its file, its proxy, and the frames kept for it alone. Throws
    /// `beingFinished` while its final is being made.
    package func remove(_ id: PhotoID) throws(LibraryError) { try remove(id, ifTrashedBefore: nil) }

    /// Removes a photo for good if it is in the trash. Returns false if it has been restored meanwhile. Otherwise the
    /// same as `remove`.
    package func removeFromTrash(_ id: PhotoID) throws(LibraryError) -> Bool { try remove(id, ifTrashedBefore: .all) }

    @discardableResult
    private func remove(_ id: PhotoID, ifTrashedBefore end: TrashEnd?) throws(LibraryError) -> Bool {
        let lock = try folder.openLock()
        guard lock.lock(at: id.number) else { throw .beingFinished(id) }
        let (row, frames) = try catalogue.read { (connection) throws(SQLiteError) in
            (try connection.photo(id), try connection.frames(of: id))
        }
        guard let row else { throw .noSuchPhoto(id) }
        let places = [row.final?.place, row.proxy?.place].compactMap { $0 }
        if let strange = places.first(where: { PhotoNames.fileName(of: $0) == nil }) {
            throw .unsafePath(folder.path(of: strange), detail: "not a photo's path")
        }
        // Hidden first: however the program ends, a hidden file without a row is then removed, and one with a row is
        // shown again.
        for place in places { try folder.hide(place) }
        let isRemoved: Bool
        do throws(LibraryError) {
            isRemoved = try writeRemoval { (connection) throws(SQLiteError) in
                try connection.removePhoto(id, ifTrashedBefore: end)
            }
        } catch .fileError(_, _, ENOSPC)
            where (row.final?.byteCount ?? 0).plus(row.proxy?.byteCount ?? 0) >= Self.roomForRemoval
        {
            isRemoved = try removeOnFullDisk(id, at: places, ifTrashedBefore: end)
        } catch {
            for place in places { try folder.show(place) }
            throw error
        }
        for place in places { if isRemoved { try folder.remove(place) } else { try folder.show(place) } }
        folder.reserveSpaceAgain()
        guard isRemoved else { return false }
        changes.announce()
        for burst in Set(frames.compactMap { $0?.burst }) { _ = try removeBurst(burst, ifUnused: true) }
        return true
    }

    /// Removing a row needs disk space as well. If the disk is full, it comes from the hidden files that are removed
    /// anyway. Returns false if the photo is to be in the trash and is not; its files are then whole.
    private func removeOnFullDisk(
        _ id: PhotoID, at places: [String], ifTrashedBefore end: TrashEnd?
    ) throws(LibraryError) -> Bool {
        guard let end else {
            for place in places { try folder.empty(place) }
            catalogue.makeRoom()
            return try catalogue.write { (connection) throws(SQLiteError) in
                try connection.removePhoto(id, ifTrashedBefore: nil)
            }
        }
        var isEmptied = false
        do throws(LibraryError) {
            // In one transaction, so that nobody restores a photo whose file is emptied.
            return try catalogue.write { (connection) throws(SQLiteError) in
                guard try connection.isTrashed(id, before: end) else { return false }
                isEmptied = true
                for place in places { try? folder.empty(place) }
                return try connection.removePhoto(id, ifTrashedBefore: nil)
            }
        } catch {
            if !isEmptied { for place in places { try folder.show(place) } }
            throw error
        }
    }

    /// Removes photos for good that have been in the trash for too long, and then kept frames that no photo needs any
    /// more to be finished: first those that are too old, then the oldest until the rest is within the budget. Frames
    /// of unfinished photos stay, and so do those of photos with effects, which show what a photo is without them, and
    /// files that a running program is adding to.
    ///
    /// `goesOn` is called before each file is removed, and may wait; if it returns false, the remaining files are left
    /// for another time.
    @discardableResult
    package func cleanUp(
        _ policy: CleanUpPolicy = CleanUpPolicy(), at now: CalendarTime? = nil, while goesOn: () -> Bool = { true }
    ) throws(LibraryError) -> CleanUpReport {
        try folder.checkWritable()
        let now = now?.utcNanoseconds ?? utcNow()
        let removedPhotos = try trashEnd(policy.trashAge, at: now).map { (end) throws(LibraryError) in
            try removeTrash(before: end, while: goesOn)
        }
        let bursts = try catalogue.read { (connection) throws(SQLiteError) in try connection.burstsByAge() }
        var sizes: [BurstID: Int] = [:]
        for burst in bursts { sizes[burst.id] = byteCount(of: burst.id) }
        var report = CleanUpReport()
        report.removedPhotos = removedPhotos ?? 0
        report.leftBytes = sizes.values.reduce(0) { $0.plus($1) }
        report.leftFiles = bursts.count
        for burst in bursts where !burst.isNeeded {
            let isOld = now.minus(burst.lastUsedUTC) > policy.age.nanoseconds
            guard isOld || report.leftBytes > policy.budget else { continue }
            guard goesOn() else { break }
            guard try removeBurst(burst.id, ifUnused: false) else { continue }
            let bytes = sizes[burst.id] ?? 0
            report.removedFiles += 1
            report.removedBytes = report.removedBytes.plus(bytes)
            report.leftFiles -= 1
            report.leftBytes -= bytes
        }
        return report
    }

    /// No clock of ours is right that shows a time before this program was made: 2026. Boards without a battery begin
    /// in 1970.
    static let earliestUTC: Int64 = 1_767_225_600_000_000_000

    /// Which photos in the trash are older than `age`; nil if nobody can say, because the clock is wrong.
    private func trashEnd(_ age: Duration, at now: Int64) throws(LibraryError) -> TrashEnd? {
        guard age > .zero else { return .all }
        guard now >= Self.earliestUTC else { return nil }
        // Clocks of machines that share a library differ a little.
        let latest = now.plus(Duration.seconds(24 * 3600).nanoseconds)
        let wrong = try catalogue.read { (connection) throws(SQLiteError) in
            try connection.wrongRemovals(earliest: Self.earliestUTC, latest: latest)
        }
        if !wrong.isEmpty {
            try catalogue.write { (connection) throws(SQLiteError) in
                try connection.beginRemovals(wrong, atUTC: now)
            }
        }
        let uptime = options.uptime().map { uptime in
            Uptime(boot: uptime.boot, nanoseconds: uptime.nanoseconds.minus(age.nanoseconds))
        }
        return TrashEnd(utc: now.minus(age.nanoseconds), uptime: uptime)
    }

    /// Removes photos for good that were moved to the trash before a moment. One that cannot be removed stays: somebody
    /// makes its final, or its file is none of the library's, as `verify` reports.
    private func removeTrash(before end: TrashEnd, while goesOn: () -> Bool) throws(LibraryError) -> Int {
        let old = try catalogue.read { (connection) throws(SQLiteError) in try connection.trashed(before: end) }
        var count = 0
        for id in old {
            guard goesOn() else { break }
            do throws(LibraryError) {
                // It may have been restored since, or while `goesOn` waited.
                if try remove(id, ifTrashedBefore: end) { count += 1 }
            } catch .beingFinished, .noSuchPhoto, .unsafePath {
                continue
            }
        }
        return count
    }

    /// Removes something from the catalogue. On a full disk, it uses the space reserved for that.
    private func writeRemoval<Result: Sendable>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        do throws(LibraryError) {
            return try catalogue.write(body)
        } catch .fileError(_, _, ENOSPC) {
            try folder.releaseSpace()
            catalogue.makeRoom()
            return try catalogue.write(body)
        }
    }

    /// The space, with a margin, that a removal needs on a full disk: at least this much has to be freed for it.
    private static var roomForRemoval: Int { 96 << 10 }

    /// The size of a file of kept frames; 0 if it is not the library's, or cannot be read.
    private func byteCount(of burst: BurstID) -> Int {
        guard let file = try? folder.openFile(burst.place) else { return 0 }
        var status = stat()
        return fstat(file.number, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Removes a file of kept frames and its rows. Returns false if a photo needs it, or, with `ifUnused`,
    /// if any photo uses it. Also returns false if a process has it open to add frames, or if the file is not the
    /// library's, which `verify` reports.
    func removeBurst(_ burst: BurstID, ifUnused: Bool) throws(LibraryError) -> Bool {
        // Locked meanwhile, so that no process takes it for a leftover. While it has a writer, the writer holds the
        // lock.
        var file: Descriptor?
        do throws(LibraryError) { file = try folder.openFile(burst.place) } catch .missing { file = nil } catch {
            return false
        }
        if let number = file?.number, flock(number, LOCK_EX | LOCK_NB) != 0 { return false }
        try folder.hide(burst.place)
        let isRemoved: Bool
        do throws(LibraryError) {
            isRemoved = try writeRemoval { (connection) throws(SQLiteError) in
                try connection.removeBurst(burst, ifUnused: ifUnused)
            }
        } catch .fileError(_, _, ENOSPC) {
            isRemoved = try removeInSteps(burst, ifUnused: ifUnused)
        } catch {
            try folder.show(burst.place)
            throw error
        }
        if isRemoved { try folder.remove(burst.place) } else { try folder.show(burst.place) }
        folder.reserveSpaceAgain()
        return isRemoved
    }

    /// Does the same in transactions that need little space each, and empties the log between them. A photo never keeps
    /// only some of its frames: it loses all of them in one step.
    private func removeInSteps(_ burst: BurstID, ifUnused: Bool) throws(LibraryError) -> Bool {
        // No frames can be added meanwhile, because the file is locked; but photos may come to share those it has.
        let photos = try catalogue.read { (connection) throws(SQLiteError) -> [PhotoID]? in
            try connection.isNeeded(burst, byAny: ifUnused) ? nil : connection.photos(using: burst)
        }
        guard let photos else { return false }
        // A large file frees enough space by itself.
        if byteCount(of: burst) >= Self.roomForRemoval { try folder.empty(burst.place) }
        do throws(LibraryError) {
            for id in photos { try step { (connection) throws(SQLiteError) in try connection.forgetFrames(of: id) } }
            while try step({ (connection) throws(SQLiteError) in try connection.removeSomeFrames(in: burst) }) {}
            return try step { (connection) throws(SQLiteError) in
                for id in try connection.photos(using: burst) { try connection.forgetFrames(of: id) }
                return try connection.removeBurst(burst, ifUnused: ifUnused)
            }
        } catch {
            try folder.show(burst.place)
            throw error
        }
    }

    private func step<Result: Sendable>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        catalogue.makeRoom()
        return try catalogue.write(body)
    }
}

/// A file of kept frames, with what decides whether it may be removed.
private struct BurstUse: Sendable {
    let id: BurstID
    /// When the last photo that uses it was added, in nanoseconds since 1970, UTC.
    let lastUsedUTC: Int64
    /// Whether an unfinished photo needs it, or one with effects.
    let isNeeded: Bool
}

extension Connection {
    /// Removes a photo's rows, and those of frames that no other uses. With `end`, only if it is in the trash, and old
    /// enough. Returns whether it did.
    @discardableResult
    mutating func removePhoto(_ id: PhotoID, ifTrashedBefore end: TrashEnd? = nil) throws(SQLiteError) -> Bool {
        if let end, try !isTrashed(id, before: end) { return false }
        let frames = try frames(of: id)
        // Its account, thumbnail and uses of frames are removed with it.
        try run("DELETE FROM photos WHERE id = ?", [.number(id.number)])
        for frame in frames {
            guard let frame else { continue }
            try run(
                """
                DELETE FROM frames WHERE burst = ?1 AND ordinal = ?2
                    AND NOT EXISTS (SELECT 1 FROM uses WHERE burst = ?1 AND ordinal = ?2)
                """, [.bits(frame.burst.recording), .bits(frame.ordinal)])
        }
        return true
    }

    /// The files of kept frames, least recently used first.
    fileprivate mutating func burstsByAge() throws(SQLiteError) -> [BurstUse] {
        try all(
            """
            SELECT bursts.id, max(bursts.made_utc_ns, ifnull(max(photos.added_utc_ns), 0)) AS used,
                ifnull(max(\(Self.needsFrames)), 0)
            FROM bursts LEFT JOIN uses ON uses.burst = bursts.id LEFT JOIN photos ON photos.id = uses.photo
            GROUP BY bursts.id ORDER BY used, bursts.id
            """
        ) { BurstUse(id: BurstID(recording: $0.bits(0)), lastUsedUTC: $0.integer(1), isNeeded: $0.integer(2) != 0) }
    }

    /// Whether a photo needs its frames: it is unfinished, or has effects or a date that may be taken back. Its request
    /// says so. What is no JSON has none; asking it for a member would be an error.
    private static let needsFrames = """
        (photos.state <> 0 OR EXISTS (
            SELECT 1 FROM accounts WHERE accounts.photo = photos.id
            AND CASE WHEN json_valid(request) THEN coalesce(
                json_extract(request, '$.settings.effects'), json_extract(request, '$.settings.date')) IS NOT NULL END))
        """

    /// Whether any photo, or with `byAny` false any that needs them, uses a file of kept frames.
    fileprivate mutating func isNeeded(_ burst: BurstID, byAny: Bool) throws(SQLiteError) -> Bool {
        try first(
            """
            SELECT 1 FROM uses JOIN photos ON photos.id = uses.photo
            WHERE uses.burst = ? \(byAny ? "" : "AND \(Self.needsFrames)") LIMIT 1
            """, [.bits(burst.recording)]
        ) { _ in true } ?? false
    }

    /// The photos that use frames of a file.
    fileprivate mutating func photos(using burst: BurstID) throws(SQLiteError) -> [PhotoID] {
        try all("SELECT DISTINCT photo FROM uses WHERE burst = ?", [.bits(burst.recording)]) {
            PhotoID(number: $0.integer(0))
        }
    }

    /// Removes the uses of frames by a photo that does not need them, in all files.
    fileprivate mutating func forgetFrames(of id: PhotoID) throws(SQLiteError) {
        try run(
            """
            DELETE FROM uses WHERE photo = ?1
                AND EXISTS (SELECT 1 FROM photos WHERE id = ?1 AND NOT \(Self.needsFrames))
            """, [.number(id.number)])
    }

    /// Removes up to 500 consecutive frames of a file that no photo uses. Returns whether there were any.
    fileprivate mutating func removeSomeFrames(in burst: BurstID) throws(SQLiteError) -> Bool {
        try run(
            """
            DELETE FROM frames WHERE burst = ?1
                AND ordinal IN (SELECT ordinal FROM frames WHERE burst = ?1 ORDER BY ordinal LIMIT 500)
                AND NOT EXISTS (SELECT 1 FROM uses WHERE uses.burst = ?1 AND uses.ordinal = frames.ordinal)
            """, [.bits(burst.recording)])
        return changes > 0
    }

    /// Removes the rows of a file of kept frames, if they may be removed. Returns whether they were.
    @discardableResult
    mutating func removeBurst(_ burst: BurstID, ifUnused: Bool) throws(SQLiteError) -> Bool {
        try run(
            """
            DELETE FROM bursts WHERE id = ?1 AND NOT EXISTS (
                SELECT 1 FROM uses JOIN photos ON photos.id = uses.photo
                WHERE uses.burst = ?1 \(ifUnused ? "" : "AND \(Self.needsFrames)"))
            """, [.bits(burst.recording)])
        return changes == 1
    }
}
