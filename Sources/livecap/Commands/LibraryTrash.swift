// SPDX-License-Identifier: MIT
// Moves photos of a library to the trash and back, and removes them for good.

import Glibc
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage

/// The trash of a library.
struct LibraryTrash {
    private let library: PhotoLibrary

    init(_ library: PhotoLibrary) { self.library = library }

    /// Whether photos may be removed. On a terminal it asks; elsewhere the answer is yes.
    func mayRemove(_ ids: [PhotoID], forGood: Bool) -> Bool {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return true }
        // A few photos are listed; a user who names more knows which they are.
        let photos = ids.compactMap { try? library.photo($0) }
        // If none of them exists, nothing is asked: removing reports an error for each.
        guard !photos.isEmpty else { return true }
        if photos.count <= 10 { for photo in photos { Console.note(photo.brief) } }
        let count = counted(photos.count, "photo")
        Console.ask(
            forGood
                ? "permanently remove \(count), and the source frames kept only for them? [y/N] "
                : "move \(count) to the trash? [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Moves a photo to the trash. Returns false if it was there already.
    func discard(_ id: PhotoID, at now: CalendarTime, _ console: inout Console) throws(Failure) -> Bool {
        let isNew: Bool
        do throws(LibraryError) { isNew = try library.moveToTrash(id, at: now) } catch {
            if error.isFullDisk {
                Console.note("note: nothing is freed by the trash; --for-good removes photos at once")
            }
            throw .library(error)
        }
        if console.writesJSON {
            try console.print(.object([("id", .integer(id.number)), ("removed", .bool(true)), ("trash", .bool(true))]))
        } else {
            try console.print(isNew ? "moved photo \(id) to the trash" : "photo \(id) is in the trash already")
        }
        return isNew
    }

    /// Takes a photo out of the trash.
    func restore(_ id: PhotoID, _ console: inout Console) throws(Failure) {
        let wasThere = try consulting { () throws(LibraryError) in try library.restore(id) }
        if console.writesJSON {
            try console.print(.object([("id", .integer(id.number)), ("restored", .bool(wasThere))]))
        } else {
            try console.print(wasThere ? "restored photo \(id)" : "photo \(id) is not in the trash")
        }
    }

    /// Removes a photo for good.
    func remove(_ id: PhotoID, _ console: inout Console) throws(Failure) {
        try consulting { () throws(LibraryError) in try library.remove(id) }
        if console.writesJSON {
            try console.print(
                .object([("id", .integer(id.number)), ("removed", .bool(true)), ("trash", .bool(false))]))
        } else {
            try console.print("removed photo \(id)")
        }
    }

    /// Removes a photo of the trash for good, unless somebody has restored it since the trash was listed.
    func removeFromTrash(_ id: PhotoID, _ console: inout Console) throws(Failure) {
        let isRemoved = try consulting { () throws(LibraryError) in try library.removeFromTrash(id) }
        if console.writesJSON {
            try console.print(
                .object([("id", .integer(id.number)), ("removed", .bool(isRemoved)), ("trash", .bool(false))]))
        } else {
            try console.print(isRemoved ? "removed photo \(id)" : "photo \(id) is not in the trash any more")
        }
    }

    /// The photos that were removed last, in one go.
    func last() throws(Failure) -> [PhotoID] {
        let ids = try consulting { () throws(LibraryError) in try library.lastTrashed() }
        guard !ids.isEmpty else { throw .library(.noPhotos("in the trash")) }
        return ids
    }

    /// All photos in the trash.
    func all() throws(Failure) -> [PhotoID] {
        try consulting { () throws(LibraryError) in try library.trashed() }
    }
}
