// SPDX-License-Identifier: MIT
// Libraries that cannot be written, on full disks, or without their catalogue: whatever can be read is read.

import Foundation
import LivecapFiles
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct ReadOnlyTests {
    private let test: TestLibrary
    private let photos: [LibraryPhoto]
    private var toLook: LibraryOptions {
        var options = LibraryOptions()
        (options.mayCreate, options.patience) = (false, .milliseconds(50))
        return options
    }

    /// Adds a deferred and a finished photo and keeps their frames.
    init() throws {
        test = try TestLibrary()
        let library = try test.open()
        let burst = try library.openBurst(greyHeader())
        photos = [
            try library.addDeferred(newPhoto(later: .milliseconds(1)), proxy: [1, 2], frames: burst.append([1, 2])),
            try library.addFinished(newPhoto(), [UInt8](repeating: 7, count: 200_000), frames: burst.append([3])),
        ]
    }

    // MARK: Where nothing may be written

    private func expectReadable(at path: String, photos count: Int = 2) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        let library = try PhotoLibrary(path, toLook)
        #expect(try library.photos().map(\.id) == photos.prefix(count).map(\.id))
        let report = try library.verify()
        #expect(report.problems.isEmpty && report.unlisted.isEmpty)
        #expect(try library.frames(of: photos[0].id).map { try $0.bytes() } == [1, 2].map(greyBytes))
        #expect(try library.account(of: photos[1].id).request == newPhoto().request)
        let copy = try library.export(photos[1].id, to: "\(test.folder)/copy.jpg", overwrite: true)
        #expect(copy.byteCount == 200_000)
        for change in [
            { try library.remove(photos[0].id) }, { _ = try library.cleanUp() },
            { _ = try library.isToBeFinished(photos[0].id) }, { _ = try library.addFinished(newPhoto(), [1]) },
        ] as [() throws -> Void] {
            #expect(throws: LibraryError.self) { try change() }
        }
        #expect(throws: LibraryError.readOnly(path)) { try library.remove(photos[0].id) }
        #expect(throws: LibraryError.readOnly(path)) { try PhotoLibrary(path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == names)
    }

    /// Runs `body` with the path of a separate file system that contains a copy of the library.
    private func mounted(size: String, _ body: (String) throws -> Void) throws {
        let path = "\(test.folder)/mounted"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0)
        defer { umount2(path, Int32(MNT_DETACH)) }
        try FileManager.default.copyItem(atPath: test.path, toPath: "\(path)/library")
        try body(path)
    }

    @Test("Mounted read-only", .enabled(if: mayMount(), "needs the right to mount"))
    func aBackupIsRead() throws {
        try mounted(size: "4m") { path in
            try #require(mount("", path, "", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
            try expectReadable(at: "\(path)/library")
        }
    }

    @Test("With a log, mounted read-only", .enabled(if: mayMount(), "needs the right to mount"))
    func aBackupOfARunningProgramIsRead() throws {
        let library = try test.open()
        let added = try library.addFinished(newPhoto(later: .milliseconds(2)), [3])
        #expect(try #require(test.bytes("catalogue.sqlite-wal")).count > 0)
        try mounted(size: "4m") { path in
            try FileManager.default.removeItem(atPath: "\(path)/library/catalogue.sqlite-shm")
            try #require(mount("", path, "", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
            let copy = try PhotoLibrary("\(path)/library", toLook)
            #expect(try copy.photos().first?.id == added.id && copy.verify().problems.isEmpty)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
        #expect(!left.contains { $0.hasPrefix("livecap-catalogue-") })
    }

    @Test("Without permission to write", .enabled(if: geteuid() != 0, "root may always write"))
    func aFolderWithoutRightsIsRead() throws {
        try #require(chmod(test.path, 0o500) == 0)
        defer { chmod(test.path, 0o700) }
        try expectReadable(at: test.path)
    }

    // MARK: On a full disk

    @Test("A disk full before it is opened", .enabled(if: mayMount(), "needs the right to mount"))
    func aFullDiskIsReadAndRoomIsMade() throws {
        try mounted(size: "2m") { path in
            let filler = try #require(FileHandle(forWritingAtPath: try file("\(path)/filler")))
            while (try? filler.write(contentsOf: Data(count: 4096))) != nil {}
            try filler.close()
            #expect(throws: LibraryError.fileError("\(path)/library/catalogue.sqlite", call: "write", errno: ENOSPC)) {
                try PhotoLibrary("\(path)/library")
            }
            let library = try PhotoLibrary("\(path)/library", toLook)
            #expect(try library.photos().map(\.id) == photos.map(\.id) && library.verify().problems.isEmpty)
            // While it is open, others wait, and give up when their patience ends.
            #expect(throws: LibraryError.self) { try PhotoLibrary("\(path)/library", toLook) }
            // Removing this photo would free less than the removal takes, so nothing is removed.
            #expect(throws: LibraryError.self) { try library.remove(photos[0].id) }
            #expect(try library.verify().problems.isEmpty)
            try library.remove(photos[1].id)
            try library.remove(photos[0].id)
            #expect(try library.photos().isEmpty && library.verify().problems.isEmpty)
        }
    }

    @Test("A disk full while it was in use", .enabled(if: mayMount(), "needs the right to mount"))
    func smallPhotosAreRemovedWithTheRoomSetAside() throws {
        try mounted(size: "2m") { path in
            _ = try PhotoLibrary("\(path)/library", toLook)
            let filler = try #require(FileHandle(forWritingAtPath: try file("\(path)/filler")))
            while (try? filler.write(contentsOf: Data(count: 4096))) != nil {}
            try filler.close()
            for number in [0, 1] { try PhotoLibrary("\(path)/library", toLook).remove(photos[number].id) }
            let library = try PhotoLibrary("\(path)/library", toLook)
            #expect(try library.photos().isEmpty && library.verify().problems.isEmpty)
            #expect(try FileManager.default.attributesOfItem(atPath: "\(path)/library/lock")[.size] as? Int == 0)
        }
    }

    private func file(_ path: String) throws -> String {
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
        return path
    }

    @Test func exclusiveConnectionReadsAndWrites() throws {
        let path = "\(test.path)/catalogue.sqlite"
        let opening = CatalogueOpening(path: path, name: path, options: toLook)
        do {
            let alone = try opening.toWrite(isExclusive: true)
            #expect(alone.reading === alone.writing)
            #expect(throws: LibraryError.busy(path)) { try opening.toWrite() }
            #expect(!FileManager.default.fileExists(atPath: "\(path)-shm"))
        }
        #expect(try test.open(toLook).photos().count == 2)
    }

    // MARK: Without a catalogue

    @Test(arguments: [true, false]) func aLostCatalogueIsToldAndNothingIsTouched(_ isThere: Bool) throws {
        let hidden = "\(test.path)/photos/2026-11-21/.223015-042-9.jpg.part"
        #expect(FileManager.default.createFile(atPath: hidden, contents: Data([1])))
        for name in ["catalogue.sqlite", "catalogue.sqlite-wal", "catalogue.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: "\(test.path)/\(name)")
        }
        if isThere { _ = try file("\(test.path)/catalogue.sqlite") }
        let places = test.places
        for options in [toLook, LibraryOptions()] {
            #expect(throws: LibraryError.lostCatalogue(test.path)) { try test.open(options) }
        }
        #expect(test.places == places && test.bytes("catalogue.sqlite")?.isEmpty != false)
    }

    @Test func readingCreatesNoCatalogue() throws {
        let path = "\(test.folder)/empty"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        _ = try file("\(path)/catalogue.sqlite")
        #expect(throws: LibraryError.noLibrary(path)) { try PhotoLibrary(path, toLook) }
        #expect(FileManager.default.contents(atPath: "\(path)/catalogue.sqlite") == Data())
        #expect(try PhotoLibrary(path).photos().isEmpty)
    }
}
