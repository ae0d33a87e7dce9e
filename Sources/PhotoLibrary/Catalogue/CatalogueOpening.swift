// SPDX-License-Identifier: MIT
// The ways to a catalogue: shared with other programs, alone where the disk has no room for that, or only to read.

import CSQLite
import Camera
import DurableFiles
import Glibc
import Threads

/// A connection that threads take turns with.
final class SharedConnection: Sendable {
    let guarded: Guarded<Connection>

    init(_ connection: consuming sending Connection) { guarded = Guarded(connection) }
}

/// The connections of a catalogue that was opened; where SQLite allows but one of them, it is the same.
struct CatalogueConnections {
    let writing: SharedConnection
    let reading: SharedConnection
}

/// A catalogue that is to be opened.
struct CatalogueOpening {
    /// The catalogue's file, reached through the library's open folder, or without links in its path.
    let path: String
    /// That folder.
    var folder: LibraryFolder?
    /// What it is called where something is said of it.
    let name: String
    let options: LibraryOptions

    /// Opens it to read and to write, and fills it where it is empty. One process at a time.
    ///
    /// Programs that share it need an index of its log, for which a full disk may have no room: who does not want to add
    /// anything has the catalogue to itself then, and the index in memory.
    func toWrite() throws(LibraryError) -> CatalogueConnections {
        do throws(LibraryError) {
            return try toWrite(isAlone: false)
        } catch .fileError(_, _, ENOSPC) where !options.mayCreate {
            return try toWrite(isAlone: true)
        }
    }

    /// The same, shared or alone.
    func toWrite(isAlone: Bool) throws(LibraryError) -> CatalogueConnections {
        var writer = try translating(name) { () throws(SQLiteError) in try opened(path, .toWrite, isAlone: isAlone) }
        // Looked at before anything is changed: a stranger's database stays what it is.
        let version = try version(&writer)
        let reader = try translating(name) { () throws(SQLiteError) -> SharedConnection? in
            // Also for those that only read, while another program writes; it stays so in the file.
            try writer.run("PRAGMA journal_mode = WAL")
            // A transaction is brought to the disk by `sync`, at the same time as the files it speaks of.
            try writer.run("PRAGMA synchronous = NORMAL")
            try writer.run("PRAGMA foreign_keys = ON")
            if let most = options.mostPages { try writer.run("PRAGMA max_page_count = \(most)") }
            do throws(SQLiteError) {
                try Schema.migrate(&writer, from: version)
            } catch {
                // A full disk must not keep anybody from making room: brought up to date another time.
                let mayWait = version >= Schema.oldestUsable && !options.mayCreate
                guard error.kind == SQLITE_FULL, mayWait else { throw error }
            }
            guard !isAlone else { return nil }
            var reader = try opened(path, .toWrite, isAlone: false)
            try reader.run("PRAGMA query_only = ON")
            // Looked at once, and the log is there.
            _ = try Schema.kind(&reader)
            return SharedConnection(reader)
        }
        let writing = SharedConnection(writer)
        return CatalogueConnections(writing: writing, reading: reader ?? writing)
    }

    /// Opens it to read where nothing may be written: no lock, no index, and of a log that has something in it a copy.
    func toRead() throws(LibraryError) -> CatalogueConnections {
        let copy = try CatalogueCopy.ifNeeded(of: path, named: name)
        // Until it has been looked into, and its log is open, too.
        defer { withExtendedLifetime(copy) {} }
        var reader = try translating(name) { () throws(SQLiteError) in
            if let copy { return try opened(copy.path, .toWrite, isAlone: true) }
            return try opened(path, .unchanging, isAlone: false)
        }
        // An older one would have to be brought up to date.
        guard try version(&reader) >= Schema.oldestUsable else { throw .readOnly(name) }
        try translating(name) { () throws(SQLiteError) in try reader.run("PRAGMA query_only = ON") }
        let reading = SharedConnection(reader)
        return CatalogueConnections(writing: reading, reading: reading)
    }

    /// The version of its schema; 0 where it is empty.
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
        _ path: String, _ access: Connection.Access, isAlone: Bool
    ) throws(SQLiteError) -> sending Connection {
        // No photo's thumbnail or account comes near 16 MiB; a strange file may claim any length.
        var connection = try Connection(
            path, in: folder, access, longestValue: 16 << 20,
            patience: Int32(clamping: options.patience.nanoseconds / 1_000_000))
        if isAlone { try connection.run("PRAGMA locking_mode = EXCLUSIVE") }
        // A mapped file ends the process where the file is cut, or its disk fails.
        try connection.run("PRAGMA mmap_size = 0")
        // Notices more kinds of damage, and earlier.
        try connection.run("PRAGMA cell_size_check = ON")
        return connection
    }
}

/// What SQLite throws, in the library's words.
func translating<Result: ~Copyable>(
    _ name: String, _ body: () throws(SQLiteError) -> sending Result
) throws(LibraryError) -> sending Result {
    do throws(SQLiteError) {
        return try body()
    } catch {
        throw LibraryError(error, name)
    }
}
