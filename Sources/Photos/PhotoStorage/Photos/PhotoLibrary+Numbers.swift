// SPDX-License-Identifier: MIT
// Reserves numbers for photos that are still in progress.

import LivecapCSQLite

extension PhotoLibrary {
    /// Reserves the next `count` consecutive numbers; nil if the library has run out of them. No other photo gets one
    /// of them, in any process, even if they are never used. The reservation is durable as soon as a photo with one of
    /// the numbers is.
    package func reserveNumbers(_ count: Int) throws(LibraryError) -> [PhotoID]? {
        var isUncertain = false
        return try catalogue.commit(isUncertain: &isUncertain) { (connection) throws(SQLiteError) in
            try connection.reserveNumbers(count)
        }
    }
}

extension Connection {
    fileprivate mutating func reserveNumbers(_ count: Int) throws(SQLiteError) -> [PhotoID]? {
        let given = try first("SELECT seq FROM sqlite_sequence WHERE name = 'photos'") { $0.integer(0) }
        let largest = try first("SELECT ifnull(max(id), 0) FROM photos") { $0.integer(0) } ?? 0
        let last = max(given ?? 0, largest, 0)
        let (end, isTooMany) = last.addingReportingOverflow(Int64(count))
        guard !isTooMany else { return nil }
        // SQLite's own record for AUTOINCREMENT, which it allows programs to change.
        try run(
            given == nil
                ? "INSERT INTO sqlite_sequence (seq, name) VALUES (?, 'photos')"
                : "UPDATE sqlite_sequence SET seq = ? WHERE name = 'photos'", [.number(end)])
        return (0..<Int64(count)).map { PhotoID(number: last + 1 + $0) }
    }
}
