// SPDX-License-Identifier: MIT
// Counts the attempts at a photo's final that began and never ended.

import LivecapCSQLite

extension Connection {
    /// The number of attempts at a photo's final that began since the count was last cleared.
    mutating func attempts(at id: PhotoID) throws(SQLiteError) -> Int {
        guard try countsAttempts() else { return 0 }
        return try first("SELECT begun FROM attempts WHERE photo = ?", [.number(id.number)]) { $0.int(0) } ?? 0
    }

    /// Counts one more attempt. Returns false if the photo is gone.
    mutating func beginAttempt(at id: PhotoID) throws(SQLiteError) -> Bool {
        guard try countsAttempts() else { throw SQLiteError(code: SQLITE_FULL, message: "no room for a newer schema") }
        try run(
            """
            INSERT INTO attempts (photo, begun) SELECT id, 1 FROM photos WHERE id = ?
            ON CONFLICT (photo) DO UPDATE SET begun = begun + 1
            """, [.number(id.number)])
        return changes == 1
    }

    /// Takes back the last attempt, because something other than the photo ended it.
    mutating func takeBackAttempt(at id: PhotoID) throws(SQLiteError) {
        try run("UPDATE attempts SET begun = max(0, begun - 1) WHERE photo = ?", [.number(id.number)])
    }

    /// Clears the count: the photo was finished, or failed for a reason of its own.
    mutating func forgetAttempts(at id: PhotoID) throws(SQLiteError) {
        guard try countsAttempts() else { return }
        try run("DELETE FROM attempts WHERE photo = ?", [.number(id.number)])
    }

    private mutating func countsAttempts() throws(SQLiteError) -> Bool { try hasSchema(2) }
}
