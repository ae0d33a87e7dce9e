// SPDX-License-Identifier: MIT
// Completes or removes files that were being added or removed when a program ended, as the catalogue says.

import Glibc
import LivecapCSQLite
import LivecapFiles

extension PhotoLibrary {
    /// Renames hidden files to their own names if the catalogue has them, and removes the others. Only one process at a
    /// time does this, when it opens the library. Files that a running program works on are locked, and are left alone.
    func recover() throws(LibraryError) {
        if let photos = try folder.openFolder(LibraryFolder.photos) {
            for day in fileNames(in: photos.number) where !day.hasPrefix(".") {
                try recoverDay("\(LibraryFolder.photos)/\(day)")
            }
        }
        try settleUnsure()
        guard let bursts = try folder.openFolder(LibraryFolder.bursts) else { return }
        for name in fileNames(in: bursts.number) {
            if let target = HiddenName.targetOfGone(name), let id = BurstID(fileName: target) {
                try removeEmptied(id)
            }
            guard let target = HiddenName.target(of: name), let id = BurstID(fileName: target) else { continue }
            try settle(name, id.place, in: bursts.number) { () throws(LibraryError) in
                try catalogue.read { (connection) throws(SQLiteError) in try connection.hasBurst(id) }
            } isWhole: {
                if case .some = try? BurstFile(id, in: folder) { true } else { false }
            }
        }
    }

    /// Checks the photos that were not known to be durable when a program ended. Complete ones are written to disk
    /// again; the others were never announced, and are removed. Frames that durable photos use, too, say nothing about
    /// that: they were on the disk before.
    private func settleUnsure() throws(LibraryError) {
        let rows = try catalogue.read { (connection) throws(SQLiteError) in try connection.unsurePhotos() }
        var sound: [PhotoID] = []
        for row in rows {
            do throws(LibraryError) {
                let file = try folder.openFile(row.file.place)
                // A process is just adding it.
                guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { continue }
                let own = try catalogue.read { (connection) throws(SQLiteError) in
                    try connection.ownFrames(of: row.id)
                }
                try writeAgain(row, own)
                try read(row.file) { _ in }
                for frame in try frames(own, of: row.id) { _ = try frame.bytes() }
                sound.append(row.id)
            } catch .missing, .damaged {
                guard try withdraw(row.id) else { continue }
                if PhotoNames.fileName(of: row.file.place) != nil { _ = try? folder.remove(row.file.place) }
            } catch {
                // It cannot be read now, or is not the library's: `verify` reports it.
                continue
            }
        }
        guard !sound.isEmpty else { return }
        try catalogue.write { (connection) throws(SQLiteError) in try connection.noteOnDisk(sound) }
    }

    /// Writes a photo and its frames to disk again: a program may have ended before they got there, or because they
    /// could not.
    private func writeAgain(_ row: PhotoRow, _ frames: [FrameRow?]) throws(LibraryError) {
        guard PhotoNames.fileName(of: row.file.place) != nil else { return }
        try folder.writeAgain(row.file.place, [0..<max(0, row.file.byteCount)])
        for (burst, rows) in Dictionary(grouping: frames.compactMap { $0 }, by: \.burst) {
            try folder.writeAgain(burst.place, rows.map { $0.offset..<$0.offset + $0.byteCount })
        }
    }

    private func recoverDay(_ place: String) throws(LibraryError) {
        let opened: Descriptor?
        do throws(LibraryError) {
            opened = try folder.openFolder(place)
        } catch .unsafePath {
            // Not the library's folder. `verify` reports it.
            return
        }
        guard let day = opened else { return }
        var status = stat()
        guard fstat(day.number, &status) == 0 else { return }
        let changed = Int64(status.st_mtim.tv_sec).times(1_000_000_000).plus(Int64(status.st_mtim.tv_nsec))
        let known = try catalogue.read { (connection) throws(SQLiteError) in try connection.lookedThrough(place) }
        guard changed != known else { return }
        var isSettled = true
        for name in fileNames(in: day.number) {
            if let target = HiddenName.targetOfGone(name) {
                try removeEmptied("\(place)/\(target)")
            } else if let target = HiddenName.targetOfNext(name) {
                let isDone = try settleNext(name, "\(place)/\(target)", in: day.number)
                isSettled = isSettled && isDone
            } else if let target = HiddenName.target(of: name) {
                let file = "\(place)/\(target)"
                let isDone = try settle(name, file, in: day.number) { () throws(LibraryError) in
                    try catalogue.read { (connection) throws(SQLiteError) in try connection.hasFile(file) }
                } isWhole: {
                    isWhole(file)
                }
                isSettled = isSettled && isDone
            } else if PhotoNames.isProxy(name) {
                try removeFinishedProxy("\(place)/\(name)")
            }
        }
        // A change within the same clock tick would go unnoticed, and locked files have to be checked again.
        guard isSettled, utcNow().minus(changed) > 1_000_000_000 else { return }
        try catalogue.write { (connection) throws(SQLiteError) in try connection.setLookedThrough(place, changed) }
    }

    /// Removes a photo whose file was emptied to free space for its removal.
    private func removeEmptied(_ place: String) throws(LibraryError) {
        let photo = try catalogue.read { (connection) throws(SQLiteError) in try connection.photo(at: place) }
        do throws(LibraryError) {
            if let photo { try remove(photo.id) }
        } catch .beingFinished {
            // A process is just removing it.
            return
        } catch .noSuchPhoto {}
        try folder.removeEmptied(place)
    }

    /// The same for a file of kept frames.
    private func removeEmptied(_ burst: BurstID) throws(LibraryError) {
        if try removeBurst(burst, ifUnused: false) { return }
        let isListed = try catalogue.read { (connection) throws(SQLiteError) in try connection.hasBurst(burst) }
        if !isListed { try folder.removeEmptied(burst.place) }
    }

    /// Whether the file found for a photo's path is the photo's.
    private func isWhole(_ place: String) -> Bool {
        do throws(LibraryError) {
            let file = try catalogue.read { (connection) throws(SQLiteError) in try connection.photo(at: place)?.file }
            guard let file else { return false }
            // The hidden one, even if the other has the right size.
            let opened = try folder.openFile(place)
            try read(file, from: opened.number) { _ in }
            return true
        } catch {
            return false
        }
    }

    /// Renames the hidden file of a path, or removes it, as the catalogue says. If a file with the plain name exists as
    /// well, one of the two is not the library's: the hidden one is kept if it is complete. Returns false if a process
    /// works on it.
    @discardableResult
    private func settle(
        _ hidden: String, _ place: String, in parent: Int32, isListed: () throws(LibraryError) -> Bool,
        isWhole: () -> Bool
    ) throws(LibraryError) -> Bool {
        let opened = openat(parent, hidden, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return true }
        let file = Descriptor(number: opened)
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { return false }
        // Checked only with the lock: until its writer released the file, it may have put it into the catalogue.
        let hasBoth = HiddenName.target(of: hidden).map { folder.hasFile($0, in: parent) } ?? false
        let isOurs = try isListed() && (!hasBoth || isWhole())
        if isOurs { try folder.show(place) } else { unlinkat(parent, hidden, 0) }
        return true
    }

    /// Removes the proxy of a photo that was finished just before the program ended.
    private func removeFinishedProxy(_ place: String) throws(LibraryError) {
        let isLeft = try catalogue.read { (connection) throws(SQLiteError) in
            guard try connection.isFinished(stem: String(place.dropLast(PhotoNames.proxySuffix.count))) else {
                return false
            }
            return try !connection.hasFile(place)
        }
        if isLeft { try folder.remove(place) }
    }
}

extension Connection {
    /// Whether it is the current file of a photo: the final, or the proxy until there is a final.
    mutating func hasFile(_ place: String) throws(SQLiteError) -> Bool {
        try first(
            """
            SELECT 1 FROM photos WHERE final_place = ?1 AND state = 0
            UNION ALL SELECT 1 FROM photos WHERE proxy_place = ?1 LIMIT 1
            """, [.text(place)]
        ) { _ in true } ?? false
    }

    /// The photo whose current file has that path.
    mutating func photo(at place: String) throws(SQLiteError) -> PhotoRow? {
        try first(
            "SELECT \(photoColumns()) FROM photos WHERE (final_place = ?1 AND state = 0) OR proxy_place = ?1 LIMIT 1",
            [.text(place)]
        ) { PhotoRow($0) }
    }

    /// Whether there is a finished photo whose final has the path `stem` plus a suffix.
    mutating func isFinished(stem: String) throws(SQLiteError) -> Bool {
        // '/' follows '.' in ASCII, so these are the paths that begin with the stem and a dot.
        try first(
            "SELECT 1 FROM photos WHERE final_place > ? AND final_place < ? AND state = 0 LIMIT 1",
            [.text(stem + "."), .text(stem + "/")]
        ) { _ in true } ?? false
    }

    mutating func hasBurst(_ id: BurstID) throws(SQLiteError) -> Bool {
        try first("SELECT 1 FROM bursts WHERE id = ?", [.bits(id.recording)]) { _ in true } ?? false
    }

    fileprivate mutating func lookedThrough(_ place: String) throws(SQLiteError) -> Int64? {
        try first("SELECT changed_ns FROM looked_through WHERE place = ?", [.text(place)]) { $0.integer(0) }
    }

    fileprivate mutating func setLookedThrough(_ place: String, _ changed: Int64) throws(SQLiteError) {
        try run(
            "INSERT INTO looked_through VALUES (?, ?) ON CONFLICT (place) DO UPDATE SET changed_ns = excluded.changed_ns",
            [.text(place), .number(changed)])
    }
}
