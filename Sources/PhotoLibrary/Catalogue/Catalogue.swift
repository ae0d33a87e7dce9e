// SPDX-License-Identifier: MIT
// The catalogue of a library, open: one connection that writes, and one that reads meanwhile.

import CSQLite
import Camera
import DurableFiles
import Frames
import Glibc
import Threads

/// A library's catalogue. Any number of threads; those that write take turns, and hold up nobody who reads.
final class Catalogue: Sendable {
    private let name: String
    private let writing: SharedConnection
    private let reading: SharedConnection
    /// Whether it was opened to write, too.
    private let mayWrite: Bool
    /// The file that transactions are appended to, and how it is brought to the disk.
    private let log: Int32
    /// Keeps it open.
    private let logsOwner: Descriptor?
    private let calls: FileCalls
    /// Whether it could not be: what it has is then brought into the catalogue's own file before anything else is.
    private let isLogBroken = Guarded(false)
    /// Held during a sync: the system reports a failure once, and of two syncs at once only one would learn of it.
    private let syncing = Guarded(())

    /// Opens the catalogue of a folder, and fills it where it is empty. One process at a time.
    init(in folder: LibraryFolder, _ options: LibraryOptions) throws(LibraryError) {
        let (path, name) = (folder.cataloguePath, folder.path(of: LibraryFolder.catalogue))
        (self.name, calls, mayWrite) = (name, options.calls, true)
        let connections = try CatalogueOpening(path: path, folder: folder, name: name, options: options).toWrite()
        let opened = uninterrupted { open(path + "-wal", O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard opened >= 0 else { throw .fileError(name, call: "open", errno: errno) }
        log = opened
        logsOwner = Descriptor(number: opened)
        (writing, reading) = (connections.writing, connections.reading)
    }

    /// Opens it to read, where nothing may be written.
    init(reading folder: LibraryFolder, _ options: LibraryOptions) throws(LibraryError) {
        let (path, name) = (folder.cataloguePath, folder.path(of: LibraryFolder.catalogue))
        (self.name, calls, mayWrite) = (name, options.calls, false)
        let connections = try CatalogueOpening(path: path, folder: folder, name: name, options: options).toRead()
        log = -1
        logsOwner = nil
        (writing, reading) = (connections.writing, connections.reading)
    }

    /// Looks something up: all of it in one state of the catalogue.
    func read<Result: Sendable>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        try translating(name) { () throws(SQLiteError) in
            try reading.guarded.withLock { (connection) throws(SQLiteError) in try connection.snapshot(body) }
        }
    }

    /// Changes something, as a whole or not at all; it is on the disk after `sync`. When it throws, `isUncertain` says whether
    /// it may have happened all the same.
    func commit<Result: Sendable>(
        isUncertain: inout Bool, _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        var failedInCommit = false
        defer { isUncertain = failedInCommit }
        guard mayWrite else { throw .readOnly(name) }
        try mendLog()
        return try translating(name) { () throws(SQLiteError) in
            do throws(SQLiteError) {
                return try writing.guarded.withLock { (connection) throws(SQLiteError) in
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
        try syncing.withLock { _ throws(LibraryError) in
            // A log that failed meanwhile: what was committed is then in the catalogue's own file.
            guard !isLogBroken.withLock({ $0 }) else { return try mendLog() }
            guard uninterrupted({ calls.syncData(log) }) != 0 else { return }
            let reason = errno
            // The next sync would treat what was lost as written.
            isLogBroken.withLock { $0 = true }
            // At once: what any program appends to the log comes after what was lost, and could not be read again. SQLite's
            // own descriptor has the failure still to report, so that its first attempt may fail.
            do throws(LibraryError) { try mendLog() } catch { _ = try? mendLog() }
            throw .fileError(name, call: "fdatasync", errno: reason)
        }
    }

    /// Brings what a log has that failed into the catalogue's own file, and begins it anew.
    private func mendLog() throws(LibraryError) {
        guard isLogBroken.withLock({ $0 }) else { return }
        let isBusy = try translating(name) { () throws(SQLiteError) in
            try writing.guarded.withLock { (connection) throws(SQLiteError) in
                try connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) != 0 } ?? true
            }
        }
        guard !isBusy else { throw .busy(name) }
        isLogBroken.withLock { $0 = false }
    }

    /// Puts what was written last into the catalogue's own file, as far as there is room, and gives the room it had back.
    func makeRoom() {
        writing.guarded.withLock { try? $0.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// The same where it does not matter whether what failed has happened.
    func write<Result: Sendable>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        var isUncertain = false
        return try write(isUncertain: &isUncertain, body)
    }
}
