// SPDX-License-Identifier: MIT
// Finals: how one is claimed, and how it replaces the proxy.

import Glibc
import LivecapFiles
import LivecapFrameFiles

extension PhotoLibrary {
    /// Claims a photo that is to be finished: photo `id`, even if it failed before; or, without `id`, the first
    /// deferred photo that is not claimed yet and not in `others`: one that somebody waits for, or else the oldest.
    /// Returns nil if there is none, or if photo `id` is finished.
    ///
    /// - Throws: `beingFinished` if photo `id` is claimed already; `missing` or `damaged` if it is finished, has lost
    ///   its file or mask, and has no kept frames.
    package func claimUnfinished(_ id: PhotoID? = nil, besides others: Set<PhotoID> = []) throws(LibraryError)
        -> FinishingClaim?
    {
        if let id {
            let lock = try folder.openLock()
            guard try isUnfinished(photo(id)) else { return nil }
            guard lock.lock(at: id.number) else { throw .beingFinished(id) }
            return try claim(id, lock, isExplicit: true)
        }
        let deferred = try catalogue.read { (connection) throws(SQLiteError) in try connection.deferredPhotos() }
        for id in demand.first(deferred) where !others.contains(id) {
            let lock = try folder.openLock()
            guard lock.lock(at: id.number) else { continue }
            if let claim = try claim(id, lock, isExplicit: false) {
                demand.noteNext(id)
                return claim
            }
        }
        demand.noteNext(nil)
        return nil
    }

    /// The claim of a photo whose byte is locked; nil if its state was changed before it was locked.
    private func claim(
        _ id: PhotoID, _ lock: consuming LockFile, isExplicit: Bool
    ) throws(LibraryError) -> FinishingClaim? {
        let (row, account, attempts) = try catalogue.read { (connection) throws(SQLiteError) in
            (try connection.photo(id), try connection.account(of: id), try connection.attempts(at: id))
        }
        guard let row, let account else { return nil }
        let photo = libraryPhoto(row)
        if row.state != .deferred { guard isExplicit, try isUnfinished(photo) else { return nil } }
        return FinishingClaim(
            photo, account, brokenAttempts: attempts, isExplicit: isExplicit, lock)
    }

    /// Whether a photo has no final, or has lost it or its mask and can be made again from its kept frames.
    private func isUnfinished(_ photo: LibraryPhoto) throws(LibraryError) -> Bool {
        guard photo.state == .finished else { return true }
        do throws(LibraryError) {
            _ = try check(photo.file)
            if photo.hasMask { _ = try mask(of: photo.id) }
        } catch {
            guard photo.keptFrames > 0 else { throw error }
            return error.isLossOfFile
        }
        return false
    }

    /// After how many broken attempts a photo's final is only tried again when asked for by number. A broken attempt is
    /// one that ended with its process.
    public static var maxBrokenAttempts: Int { 3 }

    /// Counts an attempt at a photo's final, durably, before its work begins: a photo that ends every process that
    /// works on it is thus not tried for ever. `finish` and `fail` clear the count.
    package func beginAttempt(_ claim: borrowing FinishingClaim) throws(LibraryError) {
        let id = claim.photo.id
        let isThere = try catalogue.write { (connection) throws(SQLiteError) in try connection.beginAttempt(at: id) }
        guard isThere else { throw .noSuchPhoto(id) }
    }

    /// Takes back an attempt that was given up for a reason other than the photo itself.
    package func takeBackAttempt(_ claim: borrowing FinishingClaim) {
        let id = claim.photo.id
        // If that fails, one attempt too many is counted, which still leaves two.
        try? catalogue.write { (connection) throws(SQLiteError) in try connection.takeBackAttempt(at: id) }
    }

    /// Stores a photo's final, which replaces the proxy, or the final of a photo that is made again, and the final's
    /// mask, a PNG of where people are, which replaces that of the picture before. It is durable when this
    /// returns.
    @discardableResult
    package func finish(
        _ claim: borrowing FinishingClaim, _ bytes: [UInt8], provenance: String, mask: [UInt8]? = nil
    ) throws(LibraryError) -> LibraryPhoto {
        let id = claim.photo.id
        let asked = claim.photo.finalPath
        guard let askedName = PhotoNames.fileName(of: asked) else {
            throw .unsafePath(folder.path(of: asked), detail: "not a photo's path")
        }
        let dayPlace = String(asked.dropLast(askedName.count + 1))
        // The library's owner may have moved the day's folder.
        let day = try folder.makeFolder(dayPlace)
        // The claim is exclusive: a hidden file of that name was left by a process that was killed.
        let wasHidden = unlinkat(day.number, HiddenName.of(askedName), 0) == 0
        let isAgain = claim.photo.state == .finished
        // The file with a finished photo's name is its final, unless that was hidden.
        let isReplacing = isAgain && !wasHidden
        let name = isReplacing ? askedName : try freeName(askedName, in: day.number, dayPlace)
        let place = "\(dayPlace)/\(name)"
        let whole = folder.path(of: place)
        guard var pending = try PendingFile(name, in: day.number, of: folder, path: whole) else {
            throw .beingFinished(id)
        }
        try pending.write(bytes)
        try pending.sync()
        try pending.syncName()
        let final = LibraryFile(
            place: place, byteCount: bytes.count, checksum: bytes.withUnsafeBytes { Checksum.of($0) })
        let edited = try claim.photo.isProxy ? keepEdit(ofProxyOf: id) : nil
        var isUncertain = false
        let isDone: Bool
        do throws(LibraryError) {
            isDone = try catalogue.write(isUncertain: &isUncertain) { (connection) throws(SQLiteError) in
                try connection.finish(
                    id, final, provenance: provenance, mask: mask, isAgain: isAgain, atUTC: utcNow())
            }
        } catch {
            if isUncertain { pending.leave() }
            throw error
        }
        guard isDone else { throw .noSuchPhoto(id) }
        pending.keep(mayReplace: isReplacing)
        demand.settle(id)
        // Nothing refers to the proxy any more. If it cannot be removed now, it is cleaned up later.
        _ = try? removeProxy(claim.photo.file.place)
        changes.announce()
        var photo = try photo(id)
        photo.editedProxy = edited
        return photo
    }

    /// Gives a proxy that another program has changed a second name, which stays when the proxy is removed. Returns its
    /// path; nil if the proxy is what the library wrote, or gone.
    private func keepEdit(ofProxyOf id: PhotoID) throws(LibraryError) -> String? {
        let file = try photo(id).file
        do throws(LibraryError) { _ = try check(file) } catch .damaged {
            return try folder.link(file.place) { PhotoNames.edited(file.place, number: $0) }
        } catch {
            // It is gone, or no file of the library's: there is nothing to keep, and nothing of it is removed.
        }
        return nil
    }

    /// The name of the final, or, if a file that is not the library's has it, the next one with a free number.
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

    private func isTaken(_ finalPath: String) throws(LibraryError) -> Bool {
        try catalogue.read { (connection) throws(SQLiteError) in try connection.isTaken(finalPath) }
    }

    /// Removes a proxy that no photo has any more. In a catalogue that was tampered with, any file could be called a
    /// proxy.
    private func removeProxy(_ place: String) throws(LibraryError) {
        guard let name = PhotoNames.fileName(of: place), PhotoNames.isProxy(name) else { return }
        let isNeeded = try catalogue.read { (connection) throws(SQLiteError) in try connection.hasFile(place) }
        if !isNeeded { try folder.remove(place) }
    }

    /// Records that a photo's final cannot be made, and why. Its proxy and frames stay.
    package func fail(_ claim: borrowing FinishingClaim, reason: String) throws(LibraryError) {
        let id = claim.photo.id
        // A finished photo that lost its final remains finished.
        guard claim.photo.state != .finished else { throw .unfinishable(id, reason: reason) }
        let isNoted = try catalogue.write { (connection) throws(SQLiteError) in
            try connection.fail(id, reason: reason)
        }
        guard isNoted else { throw .noSuchPhoto(id) }
        demand.settle(id)
        changes.announce()
    }
}
