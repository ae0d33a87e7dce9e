// SPDX-License-Identifier: MIT
// The trash: photos that were removed, and can be had back for a while. And ratings.

import LivecapFrames

extension PhotoLibrary {
    /// Moves a photo to the trash: it is no longer listed, and its final is not made by itself. Its file, and the
    /// frames kept for it, stay until a clean-up finds it older than `CleanUpPolicy.trashAge`, or the trash is emptied.
    /// Photos that are moved at the same `moment` can be restored together. Returns false if it was there already.
    /// - Throws: `noTrash` if the catalogue is of an older version and there is no room to bring it up to date.
    @discardableResult
    package func moveToTrash(_ id: PhotoID, at moment: CalendarTime? = nil) throws(LibraryError) -> Bool {
        try changeOpinion { (connection) throws(SQLiteError) -> Bool? in
            guard try connection.photo(id) != nil else { return nil }
            return try connection.putInTrash(id, atUTC: moment?.utcNanoseconds ?? utcNow(), options.uptime())
        }.found(id)
    }

    /// Takes a photo out of the trash. Returns false if it was not there.
    @discardableResult
    package func restore(_ id: PhotoID) throws(LibraryError) -> Bool {
        try changeOpinion { (connection) throws(SQLiteError) -> Bool? in
            guard try connection.photo(id) != nil else { return nil }
            return try connection.takeFromTrash(id)
        }.found(id)
    }

    /// The photos that were moved to the trash last, all those of one moment.
    package func lastTrashed() throws(LibraryError) -> [PhotoID] {
        try catalogue.read { (connection) throws(SQLiteError) in try connection.lastTrashed() }
    }

    /// The photos in the trash, those that were moved there first at the beginning.
    package func trashed() throws(LibraryError) -> [PhotoID] {
        try catalogue.read { (connection) throws(SQLiteError) in try connection.trashed(before: .all) }
    }

    /// Sets the rating of a photo, from 1 to 5 stars; 0 takes it away.
    package func rate(_ id: PhotoID, stars: Int) throws(LibraryError) {
        guard PhotoLibrary.ratings.contains(stars) else {
            throw .badPhoto("a rating of \(stars) is not from 0 to \(PhotoLibrary.ratings.upperBound)")
        }
        _ = try changeOpinion { (connection) throws(SQLiteError) -> Bool? in
            guard try connection.photo(id) != nil else { return nil }
            try connection.setRating(stars, of: id)
            return true
        }.found(id)
    }

    /// The ratings that a photo can have; 0 is none.
    public static var ratings: ClosedRange<Int> { 0...5 }

    /// Changes the catalogue, if it has the tables. It takes no part of the space that is reserved for removals:
    /// nothing is freed by it.
    private func changeOpinion(
        _ body: (inout Connection) throws(SQLiteError) -> Bool?
    ) throws(LibraryError) -> Change {
        let change = try catalogue.write { (connection) throws(SQLiteError) -> Change in
            guard try connection.keepsOpinions() else { return .impossible }
            return switch try body(&connection) {
            case nil: .noSuchPhoto
            case let isNew?: .made(isNew)
            }
        }
        if case .impossible = change { throw .noTrash(path) }
        changes.announce()
        return change
    }
}

/// What became of a change.
private enum Change: Sendable {
    case made(Bool)
    case noSuchPhoto
    case impossible

    func found(_ id: PhotoID) throws(LibraryError) -> Bool {
        guard case .made(let isNew) = self else { throw .noSuchPhoto(id) }
        return isNew
    }
}
