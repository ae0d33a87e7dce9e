// SPDX-License-Identifier: MIT
// Whichever call fails: an error is thrown, the library is as before, and everything announced is still there.

import Foundation
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapThreads
import Testing

@testable import LivecapPhotoStorage

/// Real calls, until one is told to fail.
private final class FailingCalls: Sendable {
    enum Call: String, CaseIterable, Sendable { case write, sync, syncData, rename }
    /// The number of further calls of a kind that work; nil if all do.
    private let left = Guarded<(call: Call, count: Int)?>(nil)

    func fail(_ call: Call?, after count: Int) { left.withLock { $0 = call.map { ($0, count) } } }

    private func isFailing(_ call: Call) -> Bool {
        left.withLock { left in
            guard let planned = left, planned.call == call else { return false }
            left = (call, planned.count - 1)
            return planned.count <= 0
        }
    }

    var calls: FileCalls {
        let real = FileCalls()
        return FileCalls(
            write: { descriptor, bytes in
                guard self.isFailing(.write) else { return real.write(descriptor, bytes) }
                errno = ENOSPC
                return -1
            },
            sync: {
                guard self.isFailing(.sync) else { return real.sync($0) }
                errno = EIO
                return -1
            },
            syncData: {
                guard self.isFailing(.syncData) else { return real.syncData($0) }
                errno = EIO
                return -1
            },
            rename: { self.isFailing(.rename) ? -EIO : real.rename($0, $1, $2) })
    }
}

@Suite struct FailingDiskTests {
    private let test: TestLibrary
    private let failing = FailingCalls()
    private let library: PhotoLibrary
    private let before: LibraryPhoto

    init() throws {
        test = try TestLibrary()
        var options = LibraryOptions()
        options.calls = failing.calls
        library = try test.open(options)
        before = try library.addFinished(newPhoto(later: .milliseconds(-5)), [9, 9])
    }

    /// Repeats `body`, each time with a later call failing, until it succeeds. Returns the number of failures.
    private func untilItWorks(_ call: FailingCalls.Call, _ body: () throws -> Void) throws -> Int {
        for count in 0... {
            failing.fail(call, after: count)
            defer { failing.fail(nil, after: 0) }
            do {
                try body()
                return count
            } catch let error as LibraryError {
                guard case .fileError = error else { throw error }
                failing.fail(nil, after: 0)
                #expect(try library.photos() == [before] && library.verify().problems.isEmpty)
                // If undoing it failed as well, the next program that opens the library does it.
                _ = try test.open()
                #expect(test.places.filter { $0.hasPrefix("photos") } == [before.file.place])
            }
        }
        return 0
    }

    @Test(arguments: FailingCalls.Call.allCases.map(\.rawValue)) func adding(failing name: String) throws {
        let call = try #require(FailingCalls.Call(rawValue: name))
        let failures = try untilItWorks(call) {
            let frames = try library.openBurst(greyHeader()).append([1, 2])
            _ = try library.addDeferred(newPhoto(), proxy: [1, 2, 3], frames: frames)
        }
        // Files get their names after the catalogue lists them, so a failed rename is not a failure.
        #expect(call == .rename ? failures == 0 : failures > 0)
        #expect(try library.photos().count == 2 && library.verify().problems.isEmpty)
        #expect(try PhotoLibrary(test.path).verify().problems.isEmpty)
    }

    @Test(arguments: ["write", "sync"]) func finishing(failing name: String) throws {
        let call = try #require(FailingCalls.Call(rawValue: name))
        let frames = try library.openBurst(greyHeader()).append([1, 2])
        let proxy = try library.addDeferred(newPhoto(), proxy: [1, 2, 3], frames: frames)
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        for count in 0...3 {
            failing.fail(call, after: count)
            let finished = try? library.finish(claim, [4], provenance: "{}")
            failing.fail(nil, after: 0)
            if finished != nil {
                #expect(count > 0)
                break
            }
            #expect(try library.photo(proxy.id) == proxy && library.verify().problems.isEmpty)
        }
        #expect(try library.photo(proxy.id).state == .finished && library.verify().unlisted.isEmpty)
    }

    @Test func aFrameThatBrokeOffIsCutOff() throws {
        let burst = try library.openBurst(greyHeader())
        var frames = try burst.append([1])
        for count in 0...1 {
            failing.fail(.write, after: count)
            #expect(throws: LibraryError.self) { try burst.append([2]) }
            failing.fail(nil, after: 0)
        }
        frames += try burst.append([2, 3])
        let photo = try library.addDeferred(newPhoto(), proxy: [1], frames: frames)
        #expect(try library.frames(of: photo.id).map { try $0.bytes() } == [1, 2, 3].map(greyBytes))
        let dump = try DumpReader("\(test.path)/bursts/\(frames[0].burst).lcap")
        #expect(dump.frameCount == 3 && dump.health.lostFrames == 0 && dump.health.damagedStretches == 0)
    }

    // MARK: After a failed sync, which the system reports once

    /// The system's calls, except that the first sync of a file whose path contains `place` fails. The data is lost,
    /// and later syncs find nothing to write.
    private func losing(_ place: String) -> FileCalls {
        let isLost = Guarded(false)
        return FileCalls(syncData: { descriptor in
            let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) ?? ""
            let isHere =
                path.contains(place)
                && isLost.withLock { isLost in
                    defer { isLost = true }
                    return !isLost
                }
            guard isHere else { return fdatasync(descriptor) }
            errno = EIO
            return -1
        })
    }

    @Test func framesOfAFileThatFailedAreKeptAgain() throws {
        var options = LibraryOptions()
        options.calls = losing("/bursts/")
        let library = try test.open(options)
        let burst = try library.openBurst(greyHeader())
        let frames = try burst.append([1, 2])
        #expect(throws: LibraryError.self) { try frames[0].segment.sync(upTo: frames[0].segment.byteCount) }
        // One photo with the frames appended before the failure, and one whose frames are appended again.
        let photos = try [frames, burst.append([2, 3])].map {
            try library.addDeferred(newPhoto(), proxy: [1], frames: $0)
        }
        #expect(try library.frames(of: photos[0].id).map { try $0.bytes() } == [1, 2].map(greyBytes))
        #expect(try library.frames(of: photos[1].id).map { try $0.bytes() } == [2, 3].map(greyBytes))
        let used = Set(try photos.flatMap { try library.frames(of: $0.id).map(\.burst) })
        #expect(used.count == 1 && !used.contains(frames[0].burst))
    }

    /// Another photo's sync of the file they share fails while this one is being added.
    @Test func aPhotoWhoseFramesAreInAFileThatBreaksMeanwhileIsKeptAllTheSame() throws {
        var options = LibraryOptions()
        options.calls = losing("/bursts/")
        let segment = Guarded<BurstSegment?>(nil)
        options.calls.write = { descriptor, bytes in
            // The first thing that is written of the photo.
            let broken = segment.withLock { $0.take() }
            if let broken { #expect(throws: LibraryError.self) { try broken.sync(upTo: broken.byteCount) } }
            return write(descriptor, bytes.baseAddress, bytes.count)
        }
        let library = try test.open(options)
        let frames = try library.openBurst(greyHeader()).append([1, 2])
        segment.withLock { $0 = frames[0].segment }
        let photo = try library.addDeferred(newPhoto(), proxy: [1], frames: frames)
        #expect(try library.frames(of: photo.id).map { try $0.bytes() } == [1, 2].map(greyBytes))
        #expect(try library.frames(of: photo.id).allSatisfy { $0.burst != frames[0].burst })
        #expect(try library.photos().map(\.id) == [photo.id, before.id] && library.verify().problems.isEmpty)
    }

    /// The folder's sync fails for another photo after this one's file got its name there. Its own sync then finds
    /// nothing to do.
    @Test func aPhotoWhoseNameIsLostMeanwhileIsAddedAgain() throws {
        let folder = Guarded<LibraryFolder?>(nil)
        let attempts = Guarded(0)
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7]
        var options = LibraryOptions()
        options.calls.sync = failing.calls.sync
        options.calls.write = { [failing] descriptor, written in
            if written.elementsEqual(bytes) {
                attempts.withLock { $0 += 1 }
                if let folder = folder.withLock({ $0.take() }) {
                    #expect(throws: LibraryError.self) { try folder.syncRoot() }
                    failing.fail(nil, after: 0)
                }
            }
            return write(descriptor, written.baseAddress, written.count)
        }
        let library = try test.open(options)
        _ = try library.addFinished(newPhoto(later: .milliseconds(-3)), [8])
        folder.withLock { $0 = library.folder }
        failing.fail(.sync, after: 0)
        let photo = try library.addFinished(newPhoto(), bytes)
        #expect(attempts.withLock { $0 } == 2)
        #expect(try library.photos().first == photo && library.verify().problems.isEmpty)
    }

    @Test func aFileThatFailedNeverSucceedsAgain() throws {
        var options = LibraryOptions()
        options.calls = losing("/bursts/")
        let burst = try test.open(options).openBurst(greyHeader())
        let segment = try burst.append([1])[0].segment
        for _ in 1...2 { #expect(throws: LibraryError.self) { try segment.sync(upTo: segment.byteCount) } }
    }

    @Test func aLogThatFailedIsBegunAnewAtOnce() throws {
        var options = LibraryOptions()
        options.calls = losing("-wal")
        let library = try test.open(options)
        var isUncertain = false
        try library.catalogue.commit(isUncertain: &isUncertain) { (connection) throws(SQLiteError) in
            try connection.run("UPDATE photos SET tap_ns = tap_ns + 1")
        }
        #expect(throws: LibraryError.self) { try library.catalogue.sync() }
        // Later commits must not follow lost ones in the log.
        #expect(test.bytes("catalogue.sqlite-wal") == [])
        #expect(try library.photo(before.id).tap != before.tap)
    }

    @Test func anUnsurePhotoIsBroughtToTheDiskBeforeItCounts() throws {
        let frames = try library.openBurst(greyHeader()).append([1])
        let photo = try library.addDeferred(newPhoto(), proxy: [1, 2, 3], frames: frames)
        // The state left by a program that ended before it knew whether the photo was durable.
        try test.sql("UPDATE photos SET on_disk = 0 WHERE id = \(photo.id)")
        failing.fail(.sync, after: 1)
        var options = LibraryOptions()
        options.calls = failing.calls
        _ = try test.open(options)
        #expect(try test.sql("SELECT on_disk FROM photos WHERE id = \(photo.id)") == "0")
        let written = Guarded(0)
        options.calls = FileCalls(write: { descriptor, bytes in
            written.withLock { $0 += bytes.count }
            return write(descriptor, bytes.baseAddress, bytes.count)
        })
        _ = try test.open(options)
        // The files are rewritten as well, because a sync after a failed one finds nothing to do.
        #expect(written.withLock { $0 } == 3 + greyFrames.byteCount)
        #expect(try test.sql("SELECT on_disk FROM photos WHERE id = \(photo.id)") == "1")
        #expect(try test.open().verify().problems.isEmpty)
    }

    @Test func aPhotoThatIsTakenBackLeavesNoMask() throws {
        var photo = newPhoto()
        photo.mask = [7]
        failing.fail(.sync, after: 0)
        #expect(throws: LibraryError.self) { try library.addFinished(photo, [1]) }
        failing.fail(nil, after: 0)
        #expect(try library.photos() == [before] && test.sql("SELECT count(*) FROM masks") == "0")
        #expect(try library.addFinished(photo, [1]).hasMask)
    }

    @Test func aFolderWhoseNameFailedIsMadeAnew() throws {
        let fresh = try TestLibrary()
        let failing = FailingCalls()
        var options = LibraryOptions()
        options.calls = failing.calls
        let library = try fresh.open(options)
        failing.fail(.sync, after: 0)
        #expect(throws: LibraryError.self) { _ = try library.folder.makeFolder("photos") }
        #expect(!FileManager.default.fileExists(atPath: "\(fresh.path)/photos"))
    }

    @Test func aCatalogueThatIsFull() throws {
        var options = LibraryOptions()
        options.maxPages = 60
        let small = try test.open(options)
        var added: [LibraryPhoto] = [before]
        #expect(throws: LibraryError.fileError("\(test.path)/catalogue.sqlite", call: "write", errno: ENOSPC)) {
            for number in 1... {
                var photo = newPhoto(later: .milliseconds(Int64(number)))
                photo.thumbnail = [UInt8](repeating: 1, count: 20_000)
                added.insert(try small.addFinished(photo, [1]), at: 0)
            }
        }
        #expect(added.count > 1)
        #expect(try small.photos() == added)
        #expect(try small.verify().problems.isEmpty && small.verify().unlisted.isEmpty)
        // Once there is room again, photos can be added.
        _ = try test.open().addFinished(newPhoto(later: .milliseconds(1000)), [1])
        #expect(try test.sql("PRAGMA integrity_check") == "ok")
    }

    @Test("A real full disk", .enabled(if: mayMount(), "needs the right to mount"))
    func fullDisk() throws {
        let path = "\(test.folder)/small"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(mount("tmpfs", path, "tmpfs", 0, "size=4m") == 0)
        defer { umount2(path, Int32(MNT_DETACH)) }
        let library = try PhotoLibrary("\(path)/library")
        let burst = try library.openBurst(greyHeader())
        var added: [LibraryPhoto] = []
        #expect(throws: LibraryError.self) {
            for number in 1... {
                let frames = try burst.append([number, number + 1])
                added.append(
                    try library.addDeferred(
                        newPhoto(later: .milliseconds(Int64(number))),
                        proxy: [UInt8](repeating: 1, count: 150_000), frames: frames))
            }
        }
        #expect(added.count > 5)
        #expect(try library.photos(LibraryPage(limit: 1000)) == added.reversed())
        #expect(try library.verify().problems.isEmpty)
        // The library itself can free space: a removed photo frees more than its removal takes.
        try library.remove(added[0].id)
        try library.remove(added[1].id)
        #expect(try library.photos(LibraryPage(limit: 1000)).count == added.count - 2)
    }
}
