// SPDX-License-Identifier: MIT
// The catalogue's interface to SQLite: a connection, prepared statements, bound values.

import Glibc
import LivecapCCatalogueFiles
import LivecapCSQLite
import LivecapFiles

/// An error reported by SQLite.
struct SQLiteError: Error {
    /// The extended result code.
    let code: Int32
    /// SQLite's own message.
    let message: String
    /// The system's errno if a file could not be opened, read or written; meaningless otherwise.
    var systemReason: Int32 = 0
    /// Whether COMMIT itself failed. In that case the transaction may be in the file, which shows when it is opened
    /// again.
    var isInCommit = false

    /// The primary result code: one of the first list in `sqlite3.h`.
    var kind: Int32 { code & 0xFF }
}

/// A value of a row, or for a statement's parameter.
enum SQLiteValue {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// An integer, clamped to 64 bits.
    static func number(_ value: some BinaryInteger) -> SQLiteValue { .integer(Int64(clamping: value)) }
    static func optional(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
    static func optional(_ value: (some BinaryInteger)?) -> SQLiteValue { value.map { .number($0) } ?? .null }
    /// 64 bits that are not a number to calculate with, such as a checksum.
    static func bits(_ value: UInt64) -> SQLiteValue { .integer(Int64(bitPattern: value)) }
    static func optionalBits(_ value: UInt64?) -> SQLiteValue { value.map { .bits($0) } ?? .null }
}

/// An open database. Only one thread at a time may use it.
struct Connection: ~Copyable, @unchecked Sendable {  // not copyable: its owner is its only user
    private let handle: OpaquePointer
    /// Prepared statements, by their text.
    private var statements: [String: OpaquePointer] = [:]
    /// The folder through which the file is reached, open as long as SQLite may look up a name in it.
    private let folder: LibraryFolder?

    /// The mode in which a file is opened.
    enum Access {
        case toWrite
        /// For reading a file that nothing writes meanwhile: no locks are taken, and no files beside it are looked for.
        case unchanging
    }

    /// Opens an existing file, following no symbolic link. `longestValue` limits the texts and blobs read or written,
    /// in bytes.
    init(
        _ path: String, in folder: LibraryFolder?, _ access: Access, longestValue: Int32, patience milliseconds: Int32
    ) throws(SQLiteError) {
        self.folder = folder
        guard let vfs = lc_catalogue_vfs() else { throw SQLiteError(code: SQLITE_NOMEM, message: "out of memory") }
        var opened: OpaquePointer?
        // The library locks each connection itself.
        let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        let code =
            switch access {
            case .toWrite:
                path.withFileName { sqlite3_open_v2($0, &opened, flags | SQLITE_OPEN_READWRITE, vfs) }
            case .unchanging:
                sqlite3_open_v2(
                    "file:\(Self.quoted(path))?immutable=1", &opened, flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                    vfs)
            }
        guard code == SQLITE_OK, let opened else {
            let error = SQLiteError(
                code: code, message: opened.map(Self.words) ?? "out of memory",
                systemReason: opened.map(sqlite3_system_errno) ?? 0)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        lc_sqlite_trust_nothing(opened)
        sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, longestValue)
        sqlite3_busy_timeout(opened, milliseconds)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// A path as in a URI.
    private static func quoted(_ path: String) -> String {
        let bytes = path.withFileName { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        return bytes.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"):
                String(UnicodeScalar(byte))
            default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }.joined()
    }

    private static func words(_ handle: OpaquePointer) -> String { String(cString: sqlite3_errmsg(handle)) }

    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, message: Self.words(handle), systemReason: sqlite3_system_errno(handle))
    }

    private mutating func prepared(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ values: [SQLiteValue], to statement: OpaquePointer) throws(SQLiteError) {
        precondition(sqlite3_bind_parameter_count(statement) == Int32(values.count), "every parameter has a value")
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(statement, place)
                case .integer(let number): sqlite3_bind_int64(statement, place, number)
                case .text(let text): lc_sqlite_bind_text(statement, place, text, Int32(clamping: text.utf8.count))
                case .blob(let bytes):
                    bytes.withUnsafeBytes {
                        lc_sqlite_bind_blob(statement, place, $0.baseAddress, Int32(clamping: $0.count))
                    }
                }
            guard code == SQLITE_OK else { throw error(code) }
        }
    }

    /// Runs one statement and passes each row of its result to `row`, which returns whether it wants more.
    mutating func each(
        _ sql: String, _ values: [SQLiteValue] = [], _ row: (SQLiteRow) -> Bool
    ) throws(SQLiteError) {
        let statement = try prepared(sql)
        // Releases the bound values, and the lock that a partly read result holds.
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        try bind(values, to: statement)
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: guard row(SQLiteRow(statement: statement)) else { return }
            case SQLITE_DONE: return
            case let code: throw error(code)
            }
        }
    }

    /// Runs one statement and ignores its rows.
    mutating func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        try each(sql, values) { _ in true }
    }

    /// All rows of a result.
    mutating func all<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ element: (SQLiteRow) -> Element
    ) throws(SQLiteError) -> [Element] {
        var elements: [Element] = []
        try each(sql, values) {
            elements.append(element($0))
            return true
        }
        return elements
    }

    /// The first row of a result; nil if there is none.
    mutating func first<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ element: (SQLiteRow) -> Element
    ) throws(SQLiteError) -> Element? {
        var found: Element?
        try each(sql, values) {
            found = element($0)
            return false
        }
        return found
    }

    /// The number of the row inserted last.
    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The number of rows changed by the last statement.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Runs `body` as one transaction, entirely or not at all, while no other process writes. The transaction is
    /// durable only after `Catalogue.sync`.
    mutating func transaction<Result>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try run("BEGIN IMMEDIATE")
        let result: Result
        do throws(SQLiteError) {
            result = try body(&self)
        } catch {
            rollBack()
            throw error
        }
        do throws(SQLiteError) {
            try run("COMMIT")
        } catch {
            var error = error
            error.isInCommit = true
            rollBack()
            throw error
        }
        return result
    }

    /// Runs `body` so that all its reads see the same state of the database, whatever others write meanwhile.
    mutating func snapshot<Result>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try run("BEGIN")
        let result: Result
        do throws(SQLiteError) { result = try body(&self) } catch {
            rollBack()
            throw error
        }
        rollBack()
        return result
    }

    /// Rolls back, unless SQLite has done so already after a failure.
    private mutating func rollBack() {
        if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
    }
}

/// A row of a result, valid until the statement moves on. A value of another type than asked for is converted by
/// SQLite's rules, so a foreign file cannot cause a trap here.
struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func int(_ column: Int32) -> Int { Int(integer(column)) }
    func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String {
        guard let text = sqlite3_column_text(statement, column) else { return "" }
        // The count is that of the text just asked for.
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
}
