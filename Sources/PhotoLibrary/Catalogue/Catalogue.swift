// SPDX-License-Identifier: MIT
// The catalogue of a library, open: one connection that writes, one that reads meanwhile.

import CSQLite
import Camera
import DurableFiles
import Frames
import Glibc
import Threads

/// A library's catalogue. Any number of threads; those that write take turns, and hold up nobody who reads.
final class Catalogue: Sendable {
    private let name: String
    private let writing: Guarded<Connection>
    /// The file that transactions are appended to, and how it is brought to the disk.
    private let log: Descriptor
    private let calls: FileCalls
    /// Whether it could not be: what it has is then brought into the catalogue's own file before anything else is.
    private let isLogBroken = Guarded(false)
    private let reading: Guarded<Connection>

    /// Opens the file at `path`, called `name` where something is said of it, and fills it where it is empty. One process at
    /// a time.
    init(_ path: String, named name: String, _ options: LibraryOptions) throws(LibraryError) {
        self.name = name
        var writer = try translating(name) { () throws(SQLiteError) in try Connection.opening(path, options) }
        // Looked at before anything is changed: a stranger's database stays what it is.
        let kind = try translating(name) { () throws(SQLiteError) in try Schema.kind(&writer) }
        let version: Int
        switch kind {
        case .empty: version = 0
        case .ours(let found) where found <= Schema.version: version = found
        case .ours(let found): throw .newerSchema(name, found: found, known: Schema.version)
        case .foreign: throw .notALibrary(name, detail: "its catalogue is another program's database")
        }
        let reader = try translating(name) { () throws(SQLiteError) in
            // Also for those that only read, while another program writes; it stays so in the file.
            try writer.run("PRAGMA journal_mode = WAL")
            // A transaction is brought to the disk by `sync`, at the same time as the files it speaks of.
            try writer.run("PRAGMA synchronous = NORMAL")
            try writer.run("PRAGMA foreign_keys = ON")
            if let most = options.mostPages { try writer.run("PRAGMA max_page_count = \(most)") }
            try Schema.migrate(&writer, from: version)
            var reader = try Connection.opening(path, options)
            try reader.run("PRAGMA query_only = ON")
            // Looked at once, and the log is there.
            _ = try Schema.kind(&reader)
            return reader
        }
        calls = options.calls
        let opened = uninterrupted { open(path + "-wal", O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard opened >= 0 else { throw .fileError(name, call: "open", errno: errno) }
        log = Descriptor(number: opened)
        writing = Guarded(writer)
        reading = Guarded(reader)
    }

    /// Looks something up.
    func read<Result: Sendable>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        try translating(name) { () throws(SQLiteError) in
            try reading.withLock { (connection) throws(SQLiteError) in try body(&connection) }
        }
    }

    /// Changes something, as a whole or not at all; it is on the disk after `sync`. When it throws, `isUncertain` says whether
    /// it may have happened all the same.
    func commit<Result: Sendable>(
        isUncertain: inout Bool, _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        var failedInCommit = false
        defer { isUncertain = failedInCommit }
        try mendLog()
        return try translating(name) { () throws(SQLiteError) in
            do throws(SQLiteError) {
                return try writing.withLock { (connection) throws(SQLiteError) in
                    try connection.transaction { (connection) throws(SQLiteError) in try body(&connection) }
                }
            } catch {
                failedInCommit = error.isInCommit
                throw error
            }
        }
    }

    /// The same, and it is on the disk when this returns.
    func write<Result: Sendable>(
        isUncertain: inout Bool, _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        let result = try commit(isUncertain: &isUncertain, body)
        isUncertain = true
        try sync()
        isUncertain = false
        return result
    }

    /// Waits until everything committed so far is on the disk.
    func sync() throws(LibraryError) {
        guard uninterrupted({ calls.syncData(log.number) }) != 0 else { return }
        let reason = errno
        // The system tells of a failure once: what was lost would be taken for written by the next one who asks.
        isLogBroken.withLock { $0 = true }
        throw .fileError(name, call: "fdatasync", errno: reason)
    }

    /// Brings what a log has that failed into the catalogue's own file, and begins it anew.
    private func mendLog() throws(LibraryError) {
        guard isLogBroken.withLock({ $0 }) else { return }
        let isBusy = try translating(name) { () throws(SQLiteError) in
            try writing.withLock { (connection) throws(SQLiteError) in
                try connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) != 0 } ?? true
            }
        }
        guard !isBusy else { throw .busy(name) }
        isLogBroken.withLock { $0 = false }
    }

    /// Puts what was written last into the catalogue's own file, as far as there is room, and gives the room it had back.
    func makeRoom() {
        writing.withLock { try? $0.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// The same where it does not matter whether what failed has happened.
    func write<Result: Sendable>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        var isUncertain = false
        return try write(isUncertain: &isUncertain, body)
    }
}

extension Connection {
    fileprivate static func opening(_ path: String, _ options: LibraryOptions) throws(SQLiteError) -> Connection {
        // No photo's thumbnail or account comes near 16 MiB; a strange file may claim any length.
        var connection = try Connection(
            path, longestValue: 16 << 20, patience: Int32(clamping: options.patience.nanoseconds / 1_000_000))
        // Notices more kinds of damage, and earlier.
        try connection.run("PRAGMA cell_size_check = ON")
        return connection
    }
}

/// What SQLite throws, in the library's words.
private func translating<Result: ~Copyable>(
    _ name: String, _ body: () throws(SQLiteError) -> Result
) throws(LibraryError) -> Result {
    do throws(SQLiteError) {
        return try body()
    } catch {
        throw LibraryError(error, name)
    }
}
