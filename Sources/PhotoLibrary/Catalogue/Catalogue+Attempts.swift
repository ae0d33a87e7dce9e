// SPDX-License-Identifier: MIT
// How often making a photo's final was begun and never came to an end.

import CSQLite

extension Connection {
    /// How many attempts at a photo's final were begun and have not been forgotten since.
    mutating func attempts(at id: PhotoID) throws(SQLiteError) -> Int {
        guard try countsAttempts() else { return 0 }
        return try first("SELECT begun FROM attempts WHERE photo = ?", [.number(id.number)]) { $0.int(0) } ?? 0
    }

    /// Counts one more; false where the photo is gone.
    mutating func beginAttempt(at id: PhotoID) throws(SQLiteError) -> Bool {
        guard try countsAttempts() else { throw SQLiteError(code: SQLITE_FULL, message: "no room for a newer schema") }
        try run(
            """
            INSERT INTO attempts (photo, begun) SELECT id, 1 FROM photos WHERE id = ?
            ON CONFLICT (photo) DO UPDATE SET begun = begun + 1
            """, [.number(id.number)])
        return changes == 1
    }

    /// Takes the last attempt back: what ended it was not the photo.
    mutating func takeBackAttempt(at id: PhotoID) throws(SQLiteError) {
        try run("UPDATE attempts SET begun = max(0, begun - 1) WHERE photo = ?", [.number(id.number)])
    }

    /// The photo has come to an end of its own.
    mutating func forgetAttempts(at id: PhotoID) throws(SQLiteError) {
        guard try countsAttempts() else { return }
        try run("DELETE FROM attempts WHERE photo = ?", [.number(id.number)])
    }

    /// A catalogue of the first version, opened where there was no room to bring it up to date, has no such table.
    private mutating func countsAttempts() throws(SQLiteError) -> Bool {
        try first("PRAGMA user_version") { $0.integer(0) >= 2 } ?? false
    }
}
