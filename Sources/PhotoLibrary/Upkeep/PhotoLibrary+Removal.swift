// SPDX-License-Identifier: MIT
// Photos and kept frames that go.

import CSQLite
import Camera
import DurableFiles
import Frames
import Glibc

/// How long kept frames stay that no photo needs any more to be finished.
public struct CleanUpPolicy: Hashable, Sendable {
    /// So long since the last photo that uses them was added.
    public var age: TimeSpan
    /// All kept frames together may have so many bytes; those that are needed to finish photos count, and stay.
    public var budget: Int

    /// A week, and 2 GiB.
    public init(age: TimeSpan = .seconds(7 * 24 * 3600), budget: Int = 2 << 30) {
        (self.age, self.budget) = (age, budget)
    }
}

/// What a clean-up removed, and left.
public struct CleanUpReport: Hashable, Sendable {
    /// Files of kept frames that were removed, and their bytes.
    public var removedFiles = 0, removedBytes = 0
    /// Files of kept frames that are left, and their bytes.
    public var leftFiles = 0, leftBytes = 0
}

extension PhotoLibrary {
    /// Removes a photo, its proxy, and the frames that were kept for it alone. Not while somebody makes its final.
    public func remove(_ id: PhotoID) throws(LibraryError) {
        let lock = try folder.openLock()
        guard lock.lock(at: id.number) else { throw .beingFinished(id) }
        let (row, frames) = try catalogue.read { (connection) throws(SQLiteError) in
            (try connection.photo(id), try connection.frames(of: id))
        }
        guard let row else { throw .noSuchPhoto(id) }
        let places = [row.final?.place, row.proxy?.place].compactMap { $0 }
        if let strange = places.first(where: { PhotoNames.fileName(of: $0) == nil }) {
            throw .unsafePath(folder.path(of: strange), detail: "it is no place of a photo")
        }
        // Hidden first: whatever ends the program, a file whose row is gone is cleared up, and another one shown again.
        for place in places { try folder.hide(place) }
        do throws(LibraryError) {
            try writeRemoval { (connection) throws(SQLiteError) in try connection.removePhoto(id) }
        } catch .fileError(_, _, ENOSPC)
            where (row.final?.byteCount ?? 0).plus(row.proxy?.byteCount ?? 0) >= Self.roomForRemoval
        {
            // Taking a photo out of the catalogue takes room, too, on a disk that may be full: it is made by what goes anyway.
            for place in places { try folder.empty(place) }
            catalogue.makeRoom()
            try catalogue.write { (connection) throws(SQLiteError) in try connection.removePhoto(id) }
        } catch {
            for place in places { try folder.show(place) }
            throw error
        }
        for place in places { try folder.remove(place) }
        folder.setRoomAsideAgain()
        changes.announce()
        for burst in Set(frames.compactMap { $0?.burst }) { _ = try removeBurst(burst, ifUnused: true) }
    }

    /// Removes kept frames that no photo needs any more to be finished: those that are too old, and then the oldest, until the
    /// rest is within the budget. Frames of photos that are not finished stay, and so do those a living program adds to.
    ///
    /// `goesOn` is asked before each file that goes, and may wait; where it says no, the rest stays for another time.
    @discardableResult
    public func cleanUp(
        atUTC now: Int64? = nil, _ policy: CleanUpPolicy = CleanUpPolicy(), while goesOn: () -> Bool = { true }
    ) throws(LibraryError) -> CleanUpReport {
        try folder.checkWritable()
        let now = now ?? utcNow()
        let bursts = try catalogue.read { (connection) throws(SQLiteError) in try connection.burstsByAge() }
        var sizes: [BurstID: Int] = [:]
        for burst in bursts { sizes[burst.id] = byteCount(of: burst.id) }
        var report = CleanUpReport()
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

    /// Takes something out of the catalogue, on a full disk with the room that was set aside for it.
    private func writeRemoval<Result: Sendable>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        do throws(LibraryError) {
            return try catalogue.write(body)
        } catch .fileError(_, _, ENOSPC) {
            try folder.giveRoomBack()
            catalogue.makeRoom()
            return try catalogue.write(body)
        }
    }

    /// What a transaction that removes something takes of a full disk, with room to spare: so much has to go for it.
    private static var roomForRemoval: Int { 96 << 10 }

    /// What a file of kept frames takes; of one that is not ours to touch, or cannot be, nothing is known.
    private func byteCount(of burst: BurstID) -> Int {
        guard let file = try? folder.openFile(burst.place) else { return 0 }
        var status = stat()
        return fstat(file.number, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Removes a file of kept frames and its rows; false where a photo that is to be finished needs it, or, if wanted, any
    /// photo uses it, somebody has it open to add frames, or something else has its name, which `verify` speaks of.
    func removeBurst(_ burst: BurstID, ifUnused: Bool) throws(LibraryError) -> Bool {
        // Locked meanwhile, so that nobody takes it for one that was left; its writer, while there is one, has the lock.
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
        folder.setRoomAsideAgain()
        return isRemoved
    }

    /// The same in transactions that each take little room, with the log emptied between them. No photo refers to some of its
    /// frames only: it loses all of them in one step.
    private func removeInSteps(_ burst: BurstID, ifUnused: Bool) throws(LibraryError) -> Bool {
        // Nobody can add frames meanwhile: the file is locked.
        let photos = try catalogue.read { (connection) throws(SQLiteError) -> [PhotoID]? in
            try connection.isNeeded(burst, byAny: ifUnused) ? nil : connection.photos(using: burst)
        }
        guard let photos else { return false }
        // Of a large file the bytes make the room.
        if byteCount(of: burst) >= Self.roomForRemoval { try folder.empty(burst.place) }
        do throws(LibraryError) {
            for id in photos { try step { (connection) throws(SQLiteError) in try connection.forgetFrames(of: id) } }
            while try step({ (connection) throws(SQLiteError) in try connection.removeSomeFrames(in: burst) }) {}
            return try step { (connection) throws(SQLiteError) in
                try connection.removeBurst(burst, ifUnused: ifUnused)
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

/// A file of kept frames, for who decides whether it goes.
private struct BurstUse: Sendable {
    let id: BurstID
    /// When the last photo that uses it was added.
    let lastUsedUTC: Int64
    /// Whether a photo needs it that is not finished.
    let isNeeded: Bool
}

extension Connection {
    mutating func removePhoto(_ id: PhotoID) throws(SQLiteError) {
        let frames = try frames(of: id)
        // Its account, thumbnail and uses of frames go with it.
        try run("DELETE FROM photos WHERE id = ?", [.number(id.number)])
        for frame in frames {
            guard let frame else { continue }
            try run(
                """
                DELETE FROM frames WHERE burst = ?1 AND ordinal = ?2
                    AND NOT EXISTS (SELECT 1 FROM uses WHERE burst = ?1 AND ordinal = ?2)
                """, [.bits(frame.burst.recording), .bits(frame.ordinal)])
        }
    }

    /// The files of kept frames, those that were used last the last.
    fileprivate mutating func burstsByAge() throws(SQLiteError) -> [BurstUse] {
        try all(
            """
            SELECT bursts.id, max(bursts.made_utc_ns, ifnull(max(photos.added_utc_ns), 0)) AS used,
                ifnull(max(photos.state <> 0), 0)
            FROM bursts LEFT JOIN uses ON uses.burst = bursts.id LEFT JOIN photos ON photos.id = uses.photo
            GROUP BY bursts.id ORDER BY used, bursts.id
            """
        ) { BurstUse(id: BurstID(recording: $0.bits(0)), lastUsedUTC: $0.integer(1), isNeeded: $0.integer(2) != 0) }
    }

    /// Whether a photo that is not finished, or any at all, uses a file of kept frames.
    fileprivate mutating func isNeeded(_ burst: BurstID, byAny: Bool) throws(SQLiteError) -> Bool {
        try first(
            """
            SELECT 1 FROM uses JOIN photos ON photos.id = uses.photo
            WHERE uses.burst = ? \(byAny ? "" : "AND photos.state <> 0") LIMIT 1
            """, [.bits(burst.recording)]
        ) { _ in true } ?? false
    }

    /// The photos that use frames of a file.
    fileprivate mutating func photos(using burst: BurstID) throws(SQLiteError) -> [PhotoID] {
        try all("SELECT DISTINCT photo FROM uses WHERE burst = ?", [.bits(burst.recording)]) {
            PhotoID(number: $0.integer(0))
        }
    }

    /// Forgets the frames of a finished photo, whatever files they are in.
    fileprivate mutating func forgetFrames(of id: PhotoID) throws(SQLiteError) {
        try run(
            "DELETE FROM uses WHERE photo = ?1 AND EXISTS (SELECT 1 FROM photos WHERE id = ?1 AND state = 0)",
            [.number(id.number)])
    }

    /// Removes some frames of a file that no photo uses, neighbours in the catalogue; whether there were any.
    fileprivate mutating func removeSomeFrames(in burst: BurstID) throws(SQLiteError) -> Bool {
        try run(
            """
            DELETE FROM frames WHERE burst = ?1
                AND ordinal IN (SELECT ordinal FROM frames WHERE burst = ?1 ORDER BY ordinal LIMIT 500)
                AND NOT EXISTS (SELECT 1 FROM uses WHERE uses.burst = ?1 AND uses.ordinal = frames.ordinal)
            """, [.bits(burst.recording)])
        return changes > 0
    }

    /// Removes the rows of a file of kept frames where they may go; whether they did.
    @discardableResult
    mutating func removeBurst(_ burst: BurstID, ifUnused: Bool) throws(SQLiteError) -> Bool {
        try run(
            """
            DELETE FROM bursts WHERE id = ?1 AND NOT EXISTS (
                SELECT 1 FROM uses JOIN photos ON photos.id = uses.photo
                WHERE uses.burst = ?1 \(ifUnused ? "" : "AND photos.state <> 0"))
            """, [.bits(burst.recording)])
        return changes == 1
    }
}
