// SPDX-License-Identifier: MIT
// Adds photos to a library: files, row and frames are durable before the photo is announced.

import Glibc
import LivecapCSQLite
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapThreads

extension PhotoLibrary {
    /// Creates a writer that keeps source frames. Use one per stream and format; its files grow as photos need frames.
    package func openBurst(_ header: DumpHeader) throws(LibraryError) -> BurstWriter {
        BurstWriter(header, in: folder, burstBytes: options.burstBytes)
    }

    /// Adds a finished photo. It is durable when this returns.
    ///
    /// Frames may be kept for it so that it can be developed again, or it may share those kept for another photo.
    package func addFinished(
        _ photo: NewPhoto, _ bytes: [UInt8], frames: [KeptFrame] = []
    ) throws(LibraryError) -> LibraryPhoto {
        try add(photo, bytes, frames, isProxy: false)
    }

    /// Adds a photo whose final will be made from `frames` later. Proxy and frames are durable when this returns.
    package func addDeferred(
        _ photo: NewPhoto, proxy: [UInt8], frames: [KeptFrame]
    ) throws(LibraryError) -> LibraryPhoto {
        guard !frames.isEmpty else { throw .badPhoto("a final is made of frames, and there are none") }
        return try add(photo, proxy, frames, isProxy: true)
    }

    private func add(
        _ photo: NewPhoto, _ bytes: [UInt8], _ frames: [KeptFrame], isProxy: Bool
    ) throws(LibraryError) -> LibraryPhoto {
        let names = PhotoNames(photo.taken, photo.format)
        // Other photos may have found meanwhile that a file of kept frames is broken.
        var frames = try Self.onSoundDisk(frames)
        var tries = 1
        let day = try folder.makeFolder(names.folder)
        // Where the files take the last room, the catalogue's commit fails, after which they must stay although they
        // may be nobody's.
        let beside = frames.isEmpty ? DiskRoom.besidePictures : DiskRoom.besideFrames
        guard DiskRoom.free(around: day.number) >= bytes.count + beside else {
            throw .fileError(folder.path(of: names.folder), call: "write", errno: ENOSPC)
        }
        var number = 1
        while true {
            // Whether the number is free is certain only once the photo is in the catalogue.
            number = PhotoNames.free(from: number) { number in
                [names.final(number), names.proxy(number)].contains { folder.hasFile($0, in: day.number) }
            }
            switch try add(
                photo, bytes: bytes, frames: frames, names: names, number: number, in: day.number, isProxy: isProxy)
            {
            case .added(let row): return libraryPhoto(row)
            case .numberTaken: number += 1
            case .lost(let error):
                guard tries < Self.maxTries else { throw error }
                tries += 1
                frames = try Self.onSoundDisk(frames)
            }
        }
    }

    /// How often adding is retried when another photo's failed sync invalidates this one.
    private static let maxTries = 4

    /// The result of adding a photo under a number.
    private enum Addition {
        case added(PhotoRow)
        /// Another photo has the number.
        case numberTaken
        /// Its name, or a file of its frames, was lost by a failed sync, perhaps for another photo. Nothing is left of
        /// this one, which can be added again.
        case lost(LibraryError)
    }

    private static func onSoundDisk(_ frames: [KeptFrame]) throws(LibraryError) -> [KeptFrame] {
        try frames.map { (frame) throws(LibraryError) in try frame.onSoundDisk() }
    }

    /// Adds a photo under a number.
    private func add(
        _ photo: NewPhoto, bytes: [UInt8], frames: [KeptFrame], names: PhotoNames, number: Int,
        in day: Int32, isProxy: Bool
    ) throws(LibraryError) -> Addition {
        let final = "\(names.folder)/\(names.final(number))"
        let name = isProxy ? names.proxy(number) : names.final(number)
        let file = LibraryFile(
            place: "\(names.folder)/\(name)", byteCount: bytes.count,
            checksum: bytes.withUnsafeBytes { Checksum.of($0) })
        let now = utcNow()
        var row = PhotoRow(
            PhotoID(number: 0), photo, state: isProxy ? .deferred : .finished, finalPath: final, addedUTC: now)
        if isProxy { row.proxy = file } else { (row.final, row.finishedUTC) = (file, now) }

        let whole = folder.path(of: file.place)
        guard var pending = try PendingFile(name, in: day, of: folder, path: whole) else { return .numberTaken }
        try pending.write(bytes)
        startWriting(pending.descriptor, count: bytes.count)
        let segments = Self.ends(of: frames)
        var isUncertain = false
        let added: PhotoRow?
        do throws(LibraryError) {
            added = try catalogue.commit(isUncertain: &isUncertain) { (connection) throws(SQLiteError) in
                guard try !connection.isTaken(final) else { return nil }
                let id = try connection.insert(row, photo, frames)
                return try connection.photo(id)
            }
        } catch {
            if isUncertain {
                pending.leave()
                for (segment, end) in segments { segment.leave(upTo: end) }
            }
            throw error
        }
        guard let added else { return .numberTaken }
        do throws(LibraryError) {
            try syncTogether(pending.descriptor, segments: segments, day: day, whole: whole, since: pending.losses)
        } catch {
            // The photo was not announced to anybody.
            var isWithdrawn = false
            do throws(LibraryError) {
                isWithdrawn = try withdraw(added.id)
            } catch {
                pending.leave()
                for (segment, end) in segments { segment.leave(upTo: end) }
            }
            let isLost = folder.lossesSoFar != pending.losses || segments.contains { $0.segment.isBroken }
            guard isWithdrawn, isLost else { throw error }
            return .lost(error)
        }
        for (segment, end) in segments { segment.keep(upTo: end) }
        pending.keep()
        noteOnDisk(added.id)
        return .added(added)
    }

    /// Waits for the photo, its frames, their names and the row at the same time, so that the disk is waited for once,
    /// not four times. Until then the row marks the photo as not known to be durable.
    private func syncTogether(
        _ photo: Int32, segments: [(segment: BurstSegment, end: Int)], day: Int32, whole: String,
        since losses: Int
    ) throws(LibraryError) {
        let failure = Guarded<LibraryError?>(nil)
        @Sendable func attempt(_ sync: () throws(LibraryError) -> Void) {
            do throws(LibraryError) { try sync() } catch { failure.withLock { $0 = $0 ?? error } }
        }
        let catalogue = catalogue
        let folder = folder
        var threads: [SystemThread] = []
        // If the system has no thread left, it takes longer, but the photo is kept all the same.
        func apart(_ name: String, _ sync: @escaping @Sendable () throws(LibraryError) -> Void) {
            do throws(SystemShortage) {
                threads.append(try SystemThread(name: name) { attempt(sync) })
            } catch { attempt(sync) }
        }
        apart("sync catalogue") { () throws(LibraryError) in try catalogue.sync() }
        apart("sync folder") { () throws(LibraryError) in try folder.sync(day, whole, since: losses) }
        for (segment, end) in segments {
            apart("sync frames") { () throws(LibraryError) in try segment.sync(upTo: end) }
        }
        attempt { () throws(LibraryError) in
            guard uninterrupted({ folder.calls.sync(photo) }) == 0 else {
                throw .fileError(whole, call: "fsync", errno: errno)
            }
        }
        for thread in threads { thread.join() }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Records that a photo is durable. The record itself need not be: without it, the next process that opens the
    /// library checks.
    private func noteOnDisk(_ id: PhotoID) {
        var isUncertain = false
        _ = try? catalogue.commit(isUncertain: &isUncertain) { (connection) throws(SQLiteError) in
            try connection.noteOnDisk([id])
        }
    }

    /// Removes the row of a photo that was not announced. Returns false if the photo has been found durable meanwhile.
    func withdraw(_ id: PhotoID) throws(LibraryError) -> Bool {
        try catalogue.write { (connection) throws(SQLiteError) in
            guard try connection.isUnsure(id) else { return false }
            let bursts = Set(try connection.frames(of: id).compactMap { $0?.burst })
            try connection.removePhoto(id)
            for burst in bursts { try connection.removeBurst(burst, ifUnused: true) }
            return true
        }
    }

    /// The files that contain the frames, and how much of each they need.
    private static func ends(of frames: [KeptFrame]) -> [(segment: BurstSegment, end: Int)] {
        var ends: [(segment: BurstSegment, end: Int)] = []
        for frame in frames {
            if let known = ends.firstIndex(where: { $0.segment === frame.segment }) {
                ends[known].end = max(ends[known].end, frame.end)
            } else {
                ends.append((frame.segment, frame.end))
            }
        }
        return ends
    }
}
