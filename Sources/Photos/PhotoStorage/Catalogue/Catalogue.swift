// SPDX-License-Identifier: MIT
// An open catalogue of a library: one connection writes while another reads.

import Glibc
import LivecapCSQLite
import LivecapFiles
import LivecapFrames
import LivecapThreads

/// A library's catalogue. Any number of threads may use it; writers take turns, and do not block readers.
final class Catalogue: Sendable {
    private let name: String
    private let writing: SharedConnection
    private let reading: SharedConnection
    /// Whether it was opened for writing.
    private let mayWrite: Bool
    /// The descriptor of the log, the file that transactions are appended to and that is flushed to make them durable.
    private let log: Int32
    /// Keeps the log open.
    private let logsOwner: Descriptor?
    private let calls: FileCalls
    /// Whether a flush of the log failed. The log must then be copied into the catalogue's own file before anything
    /// else happens.
    private let isLogBroken = Guarded(false)
    /// Locked during a sync: the system reports a failure once, and if two syncs ran at once only one would learn of
    /// it.
    private let syncing = Guarded(())

    /// Opens the catalogue of a folder, and creates its tables if it is empty. Only one process at a time may do this.
    init(in folder: LibraryFolder, _ options: LibraryOptions) throws(LibraryError) {
        let (path, name) = (folder.cataloguePath, folder.path(of: LibraryFolder.catalogue))
        self.name = name
        calls = options.calls
        mayWrite = true
        let connections = try CatalogueOpening(path: path, folder: folder, name: name, options: options).toWrite()
        let opened = uninterrupted { open(path + "-wal", O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard opened >= 0 else { throw .fileError(name, call: "open", errno: errno) }
        log = opened
        logsOwner = Descriptor(number: opened)
        writing = connections.writing
        reading = connections.reading
    }

    /// Opens it for reading only, where nothing may be written.
    init(reading folder: LibraryFolder, _ options: LibraryOptions) throws(LibraryError) {
        let (path, name) = (folder.cataloguePath, folder.path(of: LibraryFolder.catalogue))
        self.name = name
        calls = options.calls
        mayWrite = false
        let connections = try CatalogueOpening(path: path, folder: folder, name: name, options: options).toRead()
        log = -1
        logsOwner = nil
        writing = connections.writing
        reading = connections.reading
    }

    /// Reads from the catalogue. All reads in `body` see the same state of it.
    func read<Result: Sendable>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        try translating(name) { () throws(SQLiteError) in
            try reading.guarded.withLock { (connection) throws(SQLiteError) in try connection.snapshot(body) }
        }
    }

    /// Runs `body` as one transaction, entirely or not at all. It is durable after `sync`. If this throws,
    /// `isUncertain` is whether it may have happened all the same.
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

    /// The same, but the transaction is durable when this returns.
    func write<Result: Sendable>(
        isUncertain: inout Bool, _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        let result = try commit(isUncertain: &isUncertain, body)
        isUncertain = true
        try sync()
        isUncertain = false
        return result
    }

    /// Waits until everything committed so far is durable.
    func sync() throws(LibraryError) {
        try syncing.withLock { _ throws(LibraryError) in
            // If the log failed meanwhile, the committed transactions are copied into the catalogue's own file.
            guard !isLogBroken.withLock({ $0 }) else { return try mendLog() }
            guard uninterrupted({ calls.syncData(log) }) != 0 else { return }
            let reason = errno
            // The next sync would treat the lost pages as written.
            isLogBroken.withLock { $0 = true }
            // Done at once: anything that a program appends to the log comes after the lost pages, and could not be
            // read again. SQLite's own descriptor has yet to report the failure, so the first attempt may fail.
            do throws(LibraryError) { try mendLog() } catch { _ = try? mendLog() }
            throw .fileError(name, call: "fdatasync", errno: reason)
        }
    }

    /// Copies a log that failed into the catalogue's own file, and begins the log anew.
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

    /// Copies the latest transactions into the catalogue's own file, as far as there is room, and frees the log's disk
    /// space.
    func makeRoom() {
        writing.guarded.withLock { try? $0.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// The same, for callers to whom it does not matter whether a failed transaction happened.
    func write<Result: Sendable>(
        _ body: (inout Connection) throws(SQLiteError) -> Result
    ) throws(LibraryError) -> Result {
        var isUncertain = false
        return try write(isUncertain: &isUncertain, body)
    }
}
