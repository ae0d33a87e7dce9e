// SPDX-License-Identifier: MIT
// The library for asynchronous code: disk work is done on threads of its own, while the caller's task is suspended.

import LivecapFrames
import LivecapThreads

extension PhotoLibrary {
    /// Opens the library at `path`. If the folder is empty or does not exist, creates a library, with the folders above
    /// it that are missing, provided `mayCreate` is set.
    /// - Throws: `noLibrary` if there is none and it may not be created, `busy` if another program opens it and does
    ///   not come to an end, and what is wrong with the folder, the catalogue or the disk.
    public static func open(
        _ path: String, _ options: LibraryOptions = LibraryOptions()
    ) async throws(LibraryError) -> PhotoLibrary {
        try await onThread(named: "library") { () throws(LibraryError) in try PhotoLibrary(path, options) }
    }

    /// The photo with that number.
    /// - Throws: `noSuchPhoto`, and what is wrong with the catalogue.
    public func photo(_ id: PhotoID) async throws(LibraryError) -> LibraryPhoto {
        try await onThread(named: "library") { () throws(LibraryError) in try self.photo(id) }
    }

    /// A page of photos, newest first unless the page sets another order.
    /// - Throws: `noSuchPhoto` if the page begins after a photo that was removed, and what is wrong with the catalogue.
    public func photos(_ page: LibraryPage = LibraryPage()) async throws(LibraryError) -> [LibraryPhoto] {
        try await onThread(named: "library") { () throws(LibraryError) in try self.photos(page) }
    }

    /// The totals of the library. It reads every photo's row.
    /// - Throws: what is wrong with the catalogue.
    public func summary() async throws(LibraryError) -> LibrarySummary {
        try await onThread(named: "library") { () throws(LibraryError) in try self.summary() }
    }

    /// The further data of a photo, as it was given.
    /// - Throws: `noSuchPhoto`, and what is wrong with the catalogue.
    package func account(of id: PhotoID) async throws(LibraryError) -> PhotoAccount {
        try await onThread(named: "library") { () throws(LibraryError) in try self.account(of: id) }
    }

    /// The thumbnail of a photo; nil if it has none.
    /// - Throws: `noSuchPhoto`, and what is wrong with the catalogue.
    public func thumbnail(of id: PhotoID) async throws(LibraryError) -> [UInt8]? {
        try await onThread(named: "library") { () throws(LibraryError) in try self.thumbnail(of: id) }
    }

    /// A PNG of where people are in a photo's current picture: white where they are, turned as the pixels of the
    /// photo's file are. Nil if it has none: its effects do not need to know, or an earlier version took it.
    /// - Throws: `noSuchPhoto`, and what is wrong with the catalogue.
    public func mask(of id: PhotoID) async throws(LibraryError) -> [UInt8]? {
        try await onThread(named: "library") { () throws(LibraryError) in try self.mask(of: id) }
    }

    /// Copies a photo's current file to `output`: a file, or a folder, in which the copy is named after its moment. A
    /// folder is created if `output` ends with a slash. A pipe or a device is written to directly. The checksum is
    /// verified on the way, and the copy is complete and durable before it gets its name.
    /// - Throws: `noSuchPhoto`, `alreadyThere` if the name is taken and `overwrite` is not set, `remakeable` if the
    ///   file is lost or damaged but its frames are kept, and what is wrong with the disk.
    public func export(
        _ id: PhotoID, to output: String, overwrite: Bool = false
    ) async throws(LibraryError) -> ExportedPhoto {
        try await onThread(named: "library") { () throws(LibraryError) in
            try self.export(id, to: output, overwrite: overwrite)
        }
    }

    /// Moves a photo to the trash: it is no longer listed, and its final is not made by itself. Its file, and the
    /// frames kept for it, stay until a clean-up finds it older than `CleanUpPolicy.trashAge`. Returns false if it was
    /// there already.
    /// - Throws: `noSuchPhoto`, `noTrash`, and what is wrong with the disk.
    @discardableResult
    public func moveToTrash(_ id: PhotoID) async throws(LibraryError) -> Bool {
        try await onThread(named: "library") { () throws(LibraryError) in try self.moveToTrash(id) }
    }

    /// Takes a photo out of the trash. Returns false if it was not there.
    /// - Throws: `noSuchPhoto`, `noTrash`, and what is wrong with the disk.
    @discardableResult
    public func restore(_ id: PhotoID) async throws(LibraryError) -> Bool {
        try await onThread(named: "library") { () throws(LibraryError) in try self.restore(id) }
    }

    /// Sets the rating of a photo, from 1 to 5 stars; 0 takes it away.
    /// - Throws: `badPhoto` for another number of stars, `noSuchPhoto`, `noTrash`, and what is wrong with the disk.
    public func rate(_ id: PhotoID, stars: Int) async throws(LibraryError) {
        try await onThread(named: "library") { () throws(LibraryError) in try self.rate(id, stars: stars) }
    }

    /// Removes a photo for good, in the trash or not: its file, its proxy, and the frames kept for it alone.
    /// - Throws: `beingFinished` while its final is being made, `noSuchPhoto`, and what is wrong with the disk.
    public func remove(_ id: PhotoID) async throws(LibraryError) {
        try await onThread(named: "library") { () throws(LibraryError) in try self.remove(id) }
    }

    /// Removes photos for good that have been in the trash for too long, and then kept frames that no photo needs any
    /// more to be finished: first those that are too old, then the oldest until the rest is within the budget. Frames
    /// of unfinished photos stay, and so do files that a running program is adding to.
    ///
    /// `goesOn` is called before each file is removed, and may wait; if it returns false, the remaining files are left
    /// for another time.
    /// - Throws: what is wrong with the catalogue or the disk. What was removed by then stays removed.
    @discardableResult
    public func cleanUp(
        _ policy: CleanUpPolicy = CleanUpPolicy(), at now: CalendarTime? = nil,
        while goesOn: @escaping @Sendable () -> Bool = { true }
    ) async throws(LibraryError) -> CleanUpReport {
        try await onThread(named: "library") { () throws(LibraryError) in
            try self.cleanUp(policy, at: now, while: goesOn)
        }
    }

    /// Reads every photo, proxy, mask and kept frame and compares it with its checksum. `goesOn` is called with the
    /// progress; if it returns false, the report is of what was read by then. Photos added or removed meanwhile cause
    /// no problem.
    /// - Throws: what is wrong with the catalogue. What is wrong with files is part of the report.
    public func verify(
        while goesOn: @escaping @Sendable (VerificationProgress) -> Bool = { _ in true }
    ) async throws(LibraryError) -> VerificationReport {
        try await onThread(named: "library") { () throws(LibraryError) in try self.verify(while: goesOn) }
    }
}
