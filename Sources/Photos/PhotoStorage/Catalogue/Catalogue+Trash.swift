// SPDX-License-Identifier: MIT
// What people think of photos, in the catalogue: those that are in the trash, and ratings.

import LivecapCSQLite
import LivecapFrames

/// Which photos in the trash are old enough to be removed.
struct TrashEnd: Sendable {
    /// Those that were moved there before this moment, in nanoseconds UTC.
    var utc: Int64
    /// But none that was moved there later than this in the same run of the system, whatever the clock said.
    var uptime: Uptime?

    /// All of them.
    static let all = TrashEnd(utc: .max, uptime: nil)
}

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
    mutating func putInTrash(_ id: PhotoID, atUTC now: Int64, _ uptime: Uptime?) throws(SQLiteError) -> Bool {
        try run(
            "INSERT OR IGNORE INTO trash (photo, removed_utc_ns) VALUES (?, ?)", [.number(id.number), .number(now)])
        guard changes == 1 else { return false }
        if let uptime, try hasSchema(5) {
            try run(
                "INSERT OR REPLACE INTO removals (photo, boot, uptime_ns) VALUES (?, ?, ?)",
                [.number(id.number), .text(uptime.boot), .number(uptime.nanoseconds)])
        }
        return true
    }

    /// The moments at which photos were moved to the trash by a wrong clock, in their order: before this program was
    /// made, before the photo was added (unless that was by a wrong clock, too), or after `latest`.
    mutating func wrongRemovals(earliest: Int64, latest: Int64) throws(SQLiteError) -> [Int64] {
        guard try keepsOpinions() else { return [] }
        return try all(
            """
            SELECT DISTINCT removed_utc_ns FROM trash JOIN photos ON photos.id = trash.photo
            WHERE removed_utc_ns < ?1 OR removed_utc_ns > ?2
                OR (removed_utc_ns < added_utc_ns AND added_utc_ns <= ?2) ORDER BY removed_utc_ns
            """, [.number(earliest), .number(latest)]
        ) { $0.integer(0) }
    }

    /// Has the time in the trash begin now for photos that were moved there at `moments`. Those that were moved
    /// together stay together.
    mutating func beginRemovals(_ moments: [Int64], atUTC now: Int64) throws(SQLiteError) {
        for (place, moment) in moments.enumerated() {
            try run(
                "UPDATE trash SET removed_utc_ns = ? WHERE removed_utc_ns = ?",
                [.number(now.minus(Int64(moments.count - 1 - place))), .number(moment)])
        }
    }

    /// Takes a photo out of the trash. Returns whether it was there.
    mutating func takeFromTrash(_ id: PhotoID) throws(SQLiteError) -> Bool {
        guard try keepsOpinions() else { return false }
        try run("DELETE FROM trash WHERE photo = ?", [.number(id.number)])
        return changes == 1
    }

    /// The photos in the trash that are old enough, the oldest removal first.
    mutating func trashed(before end: TrashEnd) throws(SQLiteError) -> [PhotoID] {
        guard try keepsOpinions() else { return [] }
        let (condition, values) = try condition(end)
        return try all("SELECT photo FROM trash WHERE \(condition) ORDER BY removed_utc_ns, photo", values) {
            PhotoID(number: $0.integer(0))
        }
    }

    /// Whether a photo is in the trash, and old enough.
    mutating func isTrashed(_ id: PhotoID, before end: TrashEnd) throws(SQLiteError) -> Bool {
        guard try keepsOpinions() else { return false }
        let (condition, values) = try condition(end)
        return try first(
            "SELECT 1 FROM trash WHERE \(condition) AND photo = ?", values + [.number(id.number)]
        ) { _ in true } ?? false
    }

    private mutating func condition(_ end: TrashEnd) throws(SQLiteError) -> (sql: String, values: [SQLiteValue]) {
        guard let uptime = end.uptime, try hasSchema(5) else { return ("removed_utc_ns < ?", [.number(end.utc)]) }
        let isNew = "SELECT 1 FROM removals WHERE removals.photo = trash.photo AND boot = ? AND uptime_ns > ?"
        return (
            "removed_utc_ns < ? AND NOT EXISTS (\(isNew))",
            [.number(end.utc), .text(uptime.boot), .number(uptime.nanoseconds)]
        )
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
