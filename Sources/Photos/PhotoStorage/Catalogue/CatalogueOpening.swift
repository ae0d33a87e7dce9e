// SPDX-License-Identifier: MIT
// The ways to open a catalogue: shared with other programs, alone if the disk has no room for that, or for reading
// only.

import Glibc
import LivecapCSQLite
import LivecapFiles
import LivecapThreads

/// A connection that threads take turns with.
final class SharedConnection: Sendable {
    let guarded: Guarded<Connection>

    init(_ connection: consuming sending Connection) { guarded = Guarded(connection) }
}

/// The connections of an open catalogue; the same one twice if SQLite allows only one.
struct CatalogueConnections {
    let writing: SharedConnection
    let reading: SharedConnection
}

/// A catalogue to be opened.
struct CatalogueOpening {
    /// The path of the catalogue's file, reached through the library's open folder, or without links in it.
    let path: String
    /// That folder.
    var folder: LibraryFolder?
    /// The catalogue's name in errors.
    let name: String
    let options: LibraryOptions

    /// Opens it for reading and writing, and creates its tables if it is empty. Only one process at a time may do this.
    ///
    /// Programs that share it need an index of its log, for which a full disk may have no room. A program that will not
    /// add photos then opens the catalogue exclusively, with the index in memory.
    func toWrite() throws(LibraryError) -> CatalogueConnections {
        do throws(LibraryError) {
            return try toWrite(isExclusive: false)
        } catch .fileError(_, _, ENOSPC) where !options.mayCreate {
            return try toWrite(isExclusive: true)
        }
    }

    /// The same, shared or exclusively.
    func toWrite(isExclusive: Bool) throws(LibraryError) -> CatalogueConnections {
        var writer = try translating(name) { () throws(SQLiteError) in
            try opened(path, .toWrite, isExclusive: isExclusive)
        }
        // Checked before anything is changed: another program's database stays as it is.
        let version = try version(&writer)
        let reader = try translating(name) { () throws(SQLiteError) -> SharedConnection? in
            // Lets others read while one program writes. The mode is stored in the file.
            try writer.run("PRAGMA journal_mode = WAL")
            // A transaction is made durable by `sync`, together with the files it refers to.
            try writer.run("PRAGMA synchronous = NORMAL")
            try writer.run("PRAGMA foreign_keys = ON")
            if let most = options.maxPages { try writer.run("PRAGMA max_page_count = \(most)") }
            do throws(SQLiteError) {
                try Schema.migrate(&writer, from: version)
            } catch {
                // A full disk must not prevent anybody from freeing space: the migration waits.
                let mayWait = version >= Schema.oldestUsable && !options.mayCreate
                guard error.kind == SQLITE_FULL, mayWait else { throw error }
            }
            guard !isExclusive else { return nil }
            var reader = try opened(path, .toWrite, isExclusive: false)
            try reader.run("PRAGMA query_only = ON")
            // A first read, after which the log exists.
            _ = try Schema.kind(&reader)
            return SharedConnection(reader)
        }
        let writing = SharedConnection(writer)
        return CatalogueConnections(writing: writing, reading: reader ?? writing)
    }

    /// Opens it for reading where nothing may be written: without lock and index, and as a copy if the log is not
    /// empty.
    func toRead() throws(LibraryError) -> CatalogueConnections {
        let copy = try CatalogueCopy.ifNeeded(of: path, named: name)
        // Keeps the copy until it has been read from, and its log is open as well.
        defer { withExtendedLifetime(copy) {} }
        var reader = try translating(name) { () throws(SQLiteError) in
            if let copy { return try opened(copy.path, .toWrite, isExclusive: true) }
            return try opened(path, .unchanging, isExclusive: false)
        }
        // An older one would have to be migrated.
        guard try version(&reader) >= Schema.oldestUsable else { throw .readOnly(name) }
        try translating(name) { () throws(SQLiteError) in try reader.run("PRAGMA query_only = ON") }
        let reading = SharedConnection(reader)
        return CatalogueConnections(writing: reading, reading: reading)
    }

    /// The version of its schema; 0 if it is empty.
    private func version(_ connection: inout Connection) throws(LibraryError) -> Int {
        let kind = try translating(name) { () throws(SQLiteError) in try Schema.kind(&connection) }
        switch kind {
        case .empty: return 0
        case .ours(let found) where found <= Schema.version: return found
        case .ours(let found): throw .newerSchema(name, found: found, known: Schema.version)
        case .foreign: throw .notALibrary(name, detail: "its catalogue is another program's database")
        }
    }

    private func opened(
        _ path: String, _ access: Connection.Access, isExclusive: Bool
    ) throws(SQLiteError) -> sending Connection {
        // No photo's thumbnail or account comes near 16 MiB; a foreign file may claim any length.
        var connection = try Connection(
            path, in: folder, access, longestValue: 16 << 20,
            patience: Int32(clamping: options.patience.nanoseconds / 1_000_000))
        if isExclusive { try connection.run("PRAGMA locking_mode = EXCLUSIVE") }
        // With a mapped file, truncation of the file or a failing disk would end the process.
        try connection.run("PRAGMA mmap_size = 0")
        // Detects more kinds of damage, and earlier.
        try connection.run("PRAGMA cell_size_check = ON")
        return connection
    }
}

/// Translates SQLite's errors to the library's.
func translating<Result: ~Copyable>(
    _ name: String, _ body: () throws(SQLiteError) -> sending Result
) throws(LibraryError) -> sending Result {
    do throws(SQLiteError) {
        return try body()
    } catch {
        throw LibraryError(error, name)
    }
}
