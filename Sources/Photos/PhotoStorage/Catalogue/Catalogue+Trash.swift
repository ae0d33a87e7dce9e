// SPDX-License-Identifier: MIT
// What people think of photos, in the catalogue: those that are in the trash, and ratings.

import LivecapCSQLite
import LivecapFrames

extension Connection {
    /// Whether there is a trash, and are ratings. A catalogue that could not be migrated has neither.
    mutating func keepsOpinions() throws(SQLiteError) -> Bool { try hasSchema(4) }

    /// The columns of these tables that `PhotoRow.init` reads.
    mutating func opinionColumns() throws(SQLiteError) -> String {
        guard try keepsOpinions() else { return "NULL, 0" }
        return "(SELECT removed_utc_ns FROM trash WHERE trash.photo = photos.id), "
            + "ifnull((SELECT rating FROM ratings WHERE ratings.photo = photos.id), 0)"
    }

    /// The condition that a row of `photos` is in the trash.
    mutating func isInTrash() throws(SQLiteError) -> String {
        try keepsOpinions() ? "EXISTS (SELECT 1 FROM trash WHERE trash.photo = photos.id)" : "0"
    }

    /// Puts a photo into the trash. Returns whether it was not there yet.
    mutating func putInTrash(_ id: PhotoID, atUTC now: Int64) throws(SQLiteError) -> Bool {
        try run(
            "INSERT OR IGNORE INTO trash (photo, removed_utc_ns) VALUES (?, ?)", [.number(id.number), .number(now)])
        return changes == 1
    }

    /// Takes a photo out of the trash. Returns whether it was there.
    mutating func takeFromTrash(_ id: PhotoID) throws(SQLiteError) -> Bool {
        guard try keepsOpinions() else { return false }
        try run("DELETE FROM trash WHERE photo = ?", [.number(id.number)])
        return changes == 1
    }

    /// The photos that were put into the trash before a moment, the oldest removal first.
    mutating func trashed(beforeUTC end: Int64) throws(SQLiteError) -> [PhotoID] {
        guard try keepsOpinions() else { return [] }
        return try all(
            "SELECT photo FROM trash WHERE removed_utc_ns < ? ORDER BY removed_utc_ns, photo", [.number(end)]
        ) { PhotoID(number: $0.integer(0)) }
    }

    /// Whether a photo is in the trash, where it was put before a moment.
    mutating func isTrashed(_ id: PhotoID, beforeUTC end: Int64) throws(SQLiteError) -> Bool {
        guard try keepsOpinions() else { return false }
        return try first(
            "SELECT 1 FROM trash WHERE photo = ? AND removed_utc_ns < ?", [.number(id.number), .number(end)]
        ) { _ in true } ?? false
    }

    /// The photos that were put into the trash last, in one go.
    mutating func lastTrashed() throws(SQLiteError) -> [PhotoID] {
        guard try keepsOpinions() else { return [] }
        return try all(
            "SELECT photo FROM trash WHERE removed_utc_ns = (SELECT max(removed_utc_ns) FROM trash) ORDER BY photo"
        ) { PhotoID(number: $0.integer(0)) }
    }

    /// Sets the rating of a photo; 0 is none.
    mutating func setRating(_ rating: Int, of id: PhotoID) throws(SQLiteError) {
        guard rating > 0 else { return try run("DELETE FROM ratings WHERE photo = ?", [.number(id.number)]) }
        try run(
            """
            INSERT INTO ratings (photo, rating) VALUES (?, ?)
            ON CONFLICT (photo) DO UPDATE SET rating = excluded.rating
            """, [.number(id.number), .number(rating)])
    }
}
