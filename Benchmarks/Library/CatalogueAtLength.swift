// SPDX-License-Identifier: MIT
// The time to open a library of a hundred thousand photos, list it, and add to it.

import Glibc
import LivecapCSQLite
import LivecapFiles
import LivecapFrames
import LivecapPhotoStorage

struct CatalogueAtLength: FallibleBenchmark {
    let name = "library.catalogue"

    private static let photos = 100_000

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let folder = try BenchFolder(options)
        let path = "\(folder.path)/library"
        do { _ = try PhotoLibrary(path) }
        try fill("\(path)/catalogue.sqlite")

        var result = BenchmarkResult(name, frames: Self.photos)
        let begun = Timestamp.now
        let library = try PhotoLibrary(path)
        let opened = Timestamp.now
        let first = try library.photos()
        let listed = Timestamp.now
        guard first.count == 50, first[0].id.number == Int64(Self.photos) else {
            result.faults.append("the first page is not that of the newest photos")
            return result
        }
        let pages = try spans(200) { _ in _ = try library.photos() }
        let deep = LibraryPage(after: PhotoID(number: Int64(Self.photos / 2)))
        let deepPages = try spans(200) { _ in _ = try library.photos(deep) }

        let count = options.isThorough ? 1000 : 200
        let added = try spans(count) { number in _ = try library.addFinished(photo(number), [1]) }
        // Everything except waiting for the disk.
        var without = LibraryOptions()
        without.calls = FileCalls(sync: { _ in 0 }, syncData: { _ in 0 })
        let inserting = try PhotoLibrary(path, without)
        let log = try SyncedLog("\(folder.path)/log")
        var (inserts, syncs): ([Duration], [Duration]) = ([], [])
        for number in 0..<count {
            inserts += try spans(1) { _ in _ = try inserting.addFinished(photo(count + number), [1]) }
            syncs += try spans(1) { _ in try log.append() }
        }
        let (insert, sync) = (Timings(of: inserts).median / 1e6, Timings(of: syncs).median / 1e6)
        result.figures = [
            ("openMs", (opened - begun).milliseconds), ("firstPageMs", (listed - opened).milliseconds),
            ("pageP50Ms", Timings(of: pages).median / 1e6), ("pageP99Ms", Timings(of: pages).quantile(0.99) / 1e6),
            ("deepPageP50Ms", Timings(of: deepPages).median / 1e6), ("insertP50Ms", insert), ("fsyncP50Ms", sync),
            ("addP50Ms", Timings(of: added).median / 1e6),
        ]
        result.targets = ["firstPageMs": .atMost(20), "insertP50Ms": .atMost(2)]
        result.notes = [
            "pages of 50; insert: adding a photo of a byte, without waiting for the disk; fsync: fdatasync of 64 KiB "
                + "appended to a log, in turns with it; add: inserting it, and waiting for it, its folder and the row"
        ]
        return result
    }

    private func photo(_ number: Int) -> NewPhoto { .measured(number, thumbnail: noise(4000, seed: UInt64(number))) }

    private func spans(_ count: Int, _ body: (Int) throws -> Void) rethrows -> [Duration] {
        var spans: [Duration] = []
        for round in 0..<count {
            let begun = Timestamp.now
            try body(round)
            spans.append(Timestamp.now - begun)
        }
        return spans
    }

    /// Fills the catalogue with as many photos as a library has after years, each with 2 kB of provenance, and with
    /// thumbnails for the latest tenth of them.
    private func fill(_ catalogue: String) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(catalogue, &opened, SQLITE_OPEN_READWRITE, nil)
        defer { sqlite3_close_v2(opened) }
        guard code == SQLITE_OK, let database = opened else { throw FillError(message: "it cannot be opened") }
        let numbers =
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(Self.photos))"
        for statement in [
            "PRAGMA synchronous = OFF", "BEGIN",
            """
            \(numbers) INSERT INTO photos (id, state, taken_utc_ns, zone_offset_s, tap_ns, reference_ns, width, height,
                suffix, quality_asked, quality_given, final_place, final_bytes, final_checksum, added_utc_ns, on_disk)
            SELECT n, 0, 1700000000000000000 + n * 900000000000, 3600, n, n, 1280, 720, '.jpg', 'quality', 'quality',
                printf('photos/%04d-%02d-%02d/120000-%03d-1.jpg', 2000 + n / 3650, n / 300 % 12 + 1, n / 10 % 28 + 1,
                    n % 1000) || n, 200000, n, n, 1 FROM numbers
            """,
            "\(numbers) INSERT INTO accounts SELECT n, '{}', printf('{\"text\":\"%.2000c\"}', 'x') FROM numbers",
            "\(numbers) INSERT INTO thumbnails SELECT n, randomblob(4000) FROM numbers WHERE n > \(Self.photos * 9 / 10)",
            "COMMIT", "PRAGMA wal_checkpoint(TRUNCATE)",
        ] {
            guard sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK else {
                throw FillError(message: String(cString: sqlite3_errmsg(database)))
            }
        }
    }
}

private struct FillError: Error {
    let message: String
}

/// A file that is appended to and synced, as SQLite's log is by a transaction of that size.
private struct SyncedLog: ~Copyable {
    private let descriptor: Int32
    private let bytes = noise(65536, seed: 7)

    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchFolderError(path: path, errno: errno) }
    }

    deinit { close(descriptor) }

    borrowing func append() throws {
        let isDone = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) == $0.count }
        guard isDone, fdatasync(descriptor) == 0 else { throw BenchFolderError(path: "log", errno: errno) }
    }
}
