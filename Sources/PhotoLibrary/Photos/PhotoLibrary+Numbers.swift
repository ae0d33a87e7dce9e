// SPDX-License-Identifier: MIT
// Numbers that are set aside for photos which are still on their way.

import CSQLite

extension PhotoLibrary {
    /// Sets the next `count` numbers aside, in a row; nil where the library has no more of them. No other photo gets one of them, in
    /// any process, also when they are never used. They are known to be on the disk as soon as a photo is that has one.
    public func reserveNumbers(_ count: Int) throws(LibraryError) -> [PhotoID]? {
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
        // SQLite's own account of AUTOINCREMENT, which it lets programs change.
        try run(
            given == nil
                ? "INSERT INTO sqlite_sequence (seq, name) VALUES (?, 'photos')"
                : "UPDATE sqlite_sequence SET seq = ? WHERE name = 'photos'", [.number(end)])
        return (0..<Int64(count)).map { PhotoID(number: last + 1 + $0) }
    }
}
