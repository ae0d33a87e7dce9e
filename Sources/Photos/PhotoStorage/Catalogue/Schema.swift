// SPDX-License-Identifier: MIT
// The catalogue's tables, and their migrations from older versions. docs/library.md explains them.

import LivecapCSQLite

/// The catalogue's schema.
enum Schema {
    /// "LCLB" in the database's header, which marks the file as ours.
    static let applicationID: Int64 = 0x4C43_4C42
    /// The version this program writes.
    static var version: Int { migrations.count }
    /// The oldest version whose photos can be read, shown and removed without migration: newer versions only add tables
    /// for finishing, for masks, for the trash and ratings, and for groups.
    static let oldestUsable = 1

    /// The statements that migrate each version to the next; the first ones start from an empty file.
    private static let migrations: [[String]] = [
        [
            """
            CREATE TABLE photos (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
                reason TEXT,
                taken_utc_ns INTEGER NOT NULL,
                zone_offset_s INTEGER NOT NULL,
                tap_ns INTEGER NOT NULL,
                reference_ns INTEGER NOT NULL,
                width INTEGER NOT NULL,
                height INTEGER NOT NULL,
                suffix TEXT NOT NULL,
                quality_asked TEXT NOT NULL,
                quality_given TEXT NOT NULL,
                final_place TEXT NOT NULL UNIQUE,
                final_bytes INTEGER,
                final_checksum INTEGER,
                proxy_place TEXT UNIQUE,
                proxy_bytes INTEGER,
                proxy_checksum INTEGER,
                added_utc_ns INTEGER NOT NULL,
                finished_utc_ns INTEGER,
                on_disk INTEGER NOT NULL CHECK (on_disk IN (0, 1)),
                CHECK (state <> 0 OR final_bytes IS NOT NULL),
                CHECK (state = 0 OR proxy_place IS NOT NULL)
            ) STRICT
            """,
            "CREATE INDEX photos_by_time ON photos (taken_utc_ns, id)",
            "CREATE INDEX photos_unfinished ON photos (taken_utc_ns, id) WHERE state <> 0",
            "CREATE INDEX photos_unsure ON photos (id) WHERE on_disk = 0",
            """
            CREATE TABLE accounts (
                photo INTEGER PRIMARY KEY REFERENCES photos ON DELETE CASCADE,
                request TEXT NOT NULL,
                provenance TEXT NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE thumbnails (
                photo INTEGER PRIMARY KEY REFERENCES photos ON DELETE CASCADE,
                jpeg BLOB NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE bursts (
                id INTEGER PRIMARY KEY,
                made_utc_ns INTEGER NOT NULL,
                used_bytes INTEGER NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE frames (
                burst INTEGER NOT NULL REFERENCES bursts ON DELETE CASCADE,
                ordinal INTEGER NOT NULL,
                start INTEGER NOT NULL,
                bytes INTEGER NOT NULL,
                checksum INTEGER NOT NULL,
                epoch INTEGER NOT NULL,
                counter INTEGER NOT NULL,
                time_ns INTEGER NOT NULL,
                PRIMARY KEY (burst, ordinal)
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TABLE uses (
                photo INTEGER NOT NULL REFERENCES photos ON DELETE CASCADE,
                place INTEGER NOT NULL,
                burst INTEGER NOT NULL,
                ordinal INTEGER NOT NULL,
                PRIMARY KEY (photo, place),
                FOREIGN KEY (burst, ordinal) REFERENCES frames ON DELETE CASCADE
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX uses_by_frame ON uses (burst, ordinal)",
            """
            CREATE TABLE looked_through (
                place TEXT PRIMARY KEY,
                changed_ns INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
        ],
        [
            """
            CREATE TABLE attempts (
                photo INTEGER PRIMARY KEY REFERENCES photos ON DELETE CASCADE,
                begun INTEGER NOT NULL
            ) STRICT
            """
        ],
        [
            """
            CREATE TABLE masks (
                photo INTEGER PRIMARY KEY REFERENCES photos ON DELETE CASCADE,
                checksum INTEGER NOT NULL,
                png BLOB NOT NULL
            ) STRICT
            """
        ],
        [
            """
            CREATE TABLE trash (
                photo INTEGER PRIMARY KEY REFERENCES photos ON DELETE CASCADE,
                removed_utc_ns INTEGER NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE ratings (
                photo INTEGER PRIMARY KEY REFERENCES photos ON DELETE CASCADE,
                rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5)
            ) STRICT
            """,
        ],
        [
            """
            CREATE TABLE groups (
                photo INTEGER PRIMARY KEY REFERENCES photos ON DELETE CASCADE,
                id TEXT NOT NULL,
                stream TEXT NOT NULL
            ) STRICT
            """,
            "CREATE INDEX groups_by_id ON groups (id)",
            """
            CREATE TABLE removals (
                photo INTEGER PRIMARY KEY REFERENCES trash ON DELETE CASCADE,
                boot TEXT NOT NULL,
                uptime_ns INTEGER NOT NULL
            ) STRICT
            """,
        ],
    ]

    /// The kind of a database, by its header and its tables.
    enum Kind {
        case empty
        case ours(version: Int)
        case foreign
    }

    static func kind(_ connection: inout Connection) throws(SQLiteError) -> Kind {
        let id = try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0
        let version = try connection.first("PRAGMA user_version") { $0.int(0) } ?? 0
        let tables = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } ?? 0
        if id == applicationID, version > 0 { return .ours(version: version) }
        return id == 0 && version == 0 && tables == 0 ? .empty : .foreign
    }

    /// Migrates the catalogue from version `found` to this program's, entirely or not at all.
    static func migrate(_ connection: inout Connection, from found: Int) throws(SQLiteError) {
        guard found < version else { return }
        try connection.transaction { (connection) throws(SQLiteError) in
            for step in migrations[found...] {
                for statement in step { try connection.run(statement) }
            }
            try connection.run("PRAGMA application_id = \(applicationID)")
            try connection.run("PRAGMA user_version = \(version)")
        }
    }
}

extension Connection {
    /// Whether the catalogue has the tables of a version. An older one lacks them while it may only be read, or if
    /// there was no room to migrate it.
    mutating func hasSchema(_ version: Int) throws(SQLiteError) -> Bool {
        try first("PRAGMA user_version") { $0.integer(0) >= version } ?? false
    }
}
