// SPDX-License-Identifier: MIT
// Finals: who makes one, and how it takes the proxy's place.

import Camera
import DurableFiles
import Glibc

extension PhotoLibrary {
    /// Claims a photo that is to be finished: `id`, also one that failed before; or, without it, the oldest that nobody
    /// is at and that is none of `others`. Nil where there is none, or where the photo is finished. A photo somebody else is at
    /// is an error.
    public func claimUnfinished(_ id: PhotoID? = nil, besides others: Set<PhotoID> = []) throws(LibraryError)
        -> FinishingClaim?
    {
        if let id {
            let lock = try folder.openLock()
            guard try isUnfinished(photo(id)) else { return nil }
            guard lock.lock(at: id.number) else { throw .beingFinished(id) }
            return try claim(id, lock, isAskedFor: true)
        }
        let candidates = try catalogue.read { (connection) throws(SQLiteError) in try connection.deferredPhotos() }
        for id in candidates where !others.contains(id) {
            let lock = try folder.openLock()
            guard lock.lock(at: id.number) else { continue }
            if let claim = try claim(id, lock, isAskedFor: false) { return claim }
        }
        return nil
    }

    /// The claim of a photo whose byte is locked; nil where somebody brought it further before that.
    private func claim(
        _ id: PhotoID, _ lock: consuming LockFile, isAskedFor: Bool
    ) throws(LibraryError) -> FinishingClaim? {
        let (row, account, attempts) = try catalogue.read { (connection) throws(SQLiteError) in
            (try connection.photo(id), try connection.account(of: id), try connection.attempts(at: id))
        }
        guard let row, let account else { return nil }
        let photo = libraryPhoto(row)
        guard row.state == .deferred || (isAskedFor && isUnfinished(photo)) else { return nil }
        return FinishingClaim(
            photo, account, brokenAttempts: attempts, isAskedFor: isAskedFor, lock)
    }

    /// Whether a photo has no final, or has lost it and can be made again of its kept frames.
    private func isUnfinished(_ photo: LibraryPhoto) -> Bool {
        guard photo.state == .finished else { return true }
        guard photo.keptFrames > 0 else { return false }
        do throws(LibraryError) { _ = try check(photo.file) } catch { return error.isLossOfFile }
        return false
    }

    /// The most attempts at a photo's final that may end with their process; after that it is tried only when asked for by number.
    public static var mostBrokenAttempts: Int { 3 }

    /// Counts an attempt at a photo's final before its work begins: durable when this returns, so that a photo that ends every
    /// process that works on it is not tried for ever. `finish` and `fail` forget all attempts.
    public func beginAttempt(_ claim: borrowing FinishingClaim) throws(LibraryError) {
        let id = claim.photo.id
        let isThere = try catalogue.write { (connection) throws(SQLiteError) in try connection.beginAttempt(at: id) }
        guard isThere else { throw .noSuchPhoto(id) }
    }

    /// Takes an attempt back that was given up for a reason that is not the photo's.
    public func takeBackAttempt(_ claim: borrowing FinishingClaim) {
        let id = claim.photo.id
        // Where that fails, one attempt is counted that was none: two are left.
        try? catalogue.write { (connection) throws(SQLiteError) in try connection.takeBackAttempt(at: id) }
    }

    /// Gives a photo its final, which takes the proxy's place. It is on the disk when this returns.
    @discardableResult
    public func finish(
        _ claim: borrowing FinishingClaim, _ bytes: [UInt8], provenance: String
    ) throws(LibraryError) -> LibraryPhoto {
        let id = claim.photo.id
        let asked = claim.photo.finalPlace
        guard let askedName = PhotoNames.fileName(of: asked) else {
            throw .unsafePath(folder.path(of: asked), detail: "it is no place of a photo")
        }
        let dayPlace = String(asked.dropLast(askedName.count + 1))
        // Its owner may have put the day's photos elsewhere.
        let day = try folder.makeFolder(dayPlace)
        // Nobody else is at this photo: what is there was left by one who was killed.
        unlinkat(day.number, HiddenName.of(askedName), 0)
        let name = try freeName(askedName, in: day.number, dayPlace)
        let place = "\(dayPlace)/\(name)"
        let whole = folder.path(of: place)
        guard var pending = try PendingFile(name, in: day.number, of: folder, path: whole) else {
            throw .beingFinished(id)
        }
        try pending.write(bytes)
        try pending.sync()
        try folder.sync(day.number, whole)
        let final = LibraryFile(
            place: place, byteCount: bytes.count, checksum: bytes.withUnsafeBytes { Checksum.of($0) })
        var isUncertain = false
        let isAgain = claim.photo.state == .finished
        let isDone: Bool
        do throws(LibraryError) {
            isDone = try catalogue.write(isUncertain: &isUncertain) { (connection) throws(SQLiteError) in
                try connection.finish(id, final, provenance: provenance, isAgain: isAgain, atUTC: utcNow())
            }
        } catch {
            if isUncertain { pending.leave() }
            throw error
        }
        guard isDone else { throw .noSuchPhoto(id) }
        pending.keep()
        // Nothing speaks of it any more; where it cannot be removed now, it is cleared up later.
        _ = try? removeProxy(claim.photo.file.place)
        changes.announce()
        return try photo(id)
    }

    /// The name of a final, or, where somebody's own file has it, one with the next number that nobody has.
    private func freeName(_ asked: String, in day: Int32, _ place: String) throws(LibraryError) -> String {
        var name = asked
        while folder.hasFile(name, in: day) {
            repeat {
                guard let next = PhotoNames.next(after: name) else {
                    throw .alreadyThere(folder.path(of: "\(place)/\(asked)"))
                }
                name = next
            } while try isTaken("\(place)/\(name)")
        }
        return name
    }

    private func isTaken(_ finalPlace: String) throws(LibraryError) -> Bool {
        try catalogue.read { (connection) throws(SQLiteError) in try connection.isTaken(finalPlace) }
    }

    /// Removes a proxy that no photo has any more. Of a catalogue that was tampered with, any file could be called one.
    private func removeProxy(_ place: String) throws(LibraryError) {
        guard let name = PhotoNames.fileName(of: place), PhotoNames.isProxy(name) else { return }
        let isNeeded = try catalogue.read { (connection) throws(SQLiteError) in try connection.hasFile(place) }
        if !isNeeded { try folder.remove(place) }
    }

    /// Notes that a photo's final cannot be made, and why. Its proxy and frames stay.
    public func fail(_ claim: borrowing FinishingClaim, reason: String) throws(LibraryError) {
        let id = claim.photo.id
        // One that lost its final stays what it is.
        guard claim.photo.state != .finished else { throw .unfinishable(id, reason: reason) }
        let isNoted = try catalogue.write { (connection) throws(SQLiteError) in
            try connection.fail(id, reason: reason)
        }
        guard isNoted else { throw .noSuchPhoto(id) }
        changes.announce()
    }
}
