// SPDX-License-Identifier: MIT
// However a program ended: what it announced is there, and nothing else is left.

import Foundation
import LivecapFiles
import LivecapFrames
import Synchronization
import Testing

@testable import LivecapPhotoStorage

@Suite struct RecoveryTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    private var hidden: [String] { test.places.filter { $0.contains("/.") } }

    /// Creates a file in the library's folder, as if left by a program that ended.
    private func leave(_ place: String, _ bytes: [UInt8] = [1]) {
        #expect(FileManager.default.createFile(atPath: "\(test.path)/\(place)", contents: Data(bytes)))
    }

    @Test func hiddenFilesWithoutARowAreRemoved() throws {
        let kept = try test.open().addFinished(newPhoto(), [7])
        try FileManager.default.createDirectory(atPath: "\(test.path)/bursts", withIntermediateDirectories: true)
        leave("photos/2026-11-21/.223015-042-2.jpg.part")
        leave("photos/2026-11-21/.223015-042-2.proxy.jpg.part")
        leave("bursts/.00000000000000ff.lcap.part")
        let library = try test.open()
        #expect(hidden.isEmpty && test.bytes(kept.file.place) == [7])
        #expect(try library.photos() == [kept])
    }

    @Test func hiddenFilesWithARowAreRenamed() throws {
        var options = LibraryOptions()
        // As if the program ended right before renaming.
        options.calls = FileCalls(rename: { _, _, _ in -EIO })
        let bytes = [[UInt8](repeating: 1, count: 100), greyBytes(1)]
        let added: LibraryPhoto
        do {
            let library = try test.open(options)
            added = try library.addDeferred(
                newPhoto(), proxy: bytes[0], frames: library.openBurst(greyHeader()).append([1]))
            #expect(hidden.count == 2)
            // The photo and its frames can be read all the same.
            #expect(try library.frames(of: added.id).map { try $0.bytes() } == [bytes[1]])
            #expect(try library.verify().problems.isEmpty)
        }
        let library = try test.open()
        #expect(hidden.isEmpty && test.bytes(added.file.place) == bytes[0])
        #expect(try library.verify().problems.isEmpty && library.verify().unlisted.isEmpty)
    }

    /// Programs that copy folders use such names, too.
    @Test func foreignHiddenFileReplacesNothing() throws {
        let photo: LibraryPhoto
        do {
            let library = try test.open()
            photo = try library.addDeferred(
                newPhoto(), proxy: [1, 2], frames: library.openBurst(greyHeader()).append([1]))
        }
        let burst = try #require(test.places.last { $0.hasPrefix("bursts/") })
        for place in [photo.file.place, burst] {
            let slash = try #require(place.lastIndex(of: "/"))
            leave("\(place[...slash]).\(place[place.index(after: slash)...]).part", [9])
        }
        let library = try test.open()
        #expect(hidden.isEmpty && test.bytes(photo.file.place) == [1, 2])
        #expect(try library.verify().problems.isEmpty)
    }

    /// Put back from a backup while the emptied one waits to be cleared up.
    @Test(arguments: [true, false]) func aStrangersFileStaysWhereAnEmptiedOneGoes(hasRow: Bool) throws {
        let photo: LibraryPhoto
        do {
            let library = try test.open()
            photo = try library.addFinished(newPhoto(), [7])
            try library.folder.hide(photo.file.place)
            try library.folder.empty(photo.file.place)
        }
        if !hasRow { try test.sql("PRAGMA foreign_keys = 1; DELETE FROM photos") }
        leave(photo.file.place, [7])
        #expect(try test.open().photos().isEmpty)
        #expect(hidden.isEmpty && test.bytes(photo.file.place) == [7])
    }

    @Test func aFinalWithoutARowGoesAndIsMadeAgain() throws {
        do {
            let library = try test.open()
            _ = try library.addDeferred(
                newPhoto(), proxy: [1], frames: library.openBurst(greyHeader()).append([1]))
        }
        leave("photos/2026-11-21/.223015-042-1.jpg.part", [9])
        let library = try test.open()
        #expect(hidden.isEmpty)
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        leave("photos/2026-11-21/.223015-042-1.jpg.part", [9])
        #expect(try library.finish(claim, [2], provenance: "{}").file.byteCount == 1)
        #expect(test.bytes("photos/2026-11-21/223015-042-1.jpg") == [2] && hidden.isEmpty)
    }

    @Test func theProxyOfAFinishedPhotoGoes() throws {
        let library = try test.open()
        _ = try library.addDeferred(newPhoto(), proxy: [1], frames: library.openBurst(greyHeader()).append([1]))
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        let photo = try library.finish(claim, [2], provenance: "{}")
        leave("photos/2026-11-21/223015-042-1.proxy.jpg")
        // A file of the user's own with a similar name.
        leave("photos/2026-11-21/223015-042-7.proxy.jpg")
        let again = try test.open()
        #expect(
            test.places.filter { $0.hasPrefix("photos") } == [
                photo.file.place, "photos/2026-11-21/223015-042-7.proxy.jpg",
            ])
        #expect(try again.verify().unlisted == ["photos/2026-11-21/223015-042-7.proxy.jpg"])
    }

    /// A copy of the library as it is on the disk if the program ends right after announcing a photo, or shortly
    /// before.
    private func crashed(_ library: PhotoLibrary) throws -> TestLibrary {
        let copy = try TestLibrary()
        try FileManager.default.copyItem(atPath: test.path, toPath: copy.path)
        return copy
    }

    @Test(arguments: ["", "photos", "bursts"]) func whatIsNotWholeWasNeverAnnounced(_ torn: String) throws {
        let library = try test.open()
        let before = try library.addFinished(newPhoto(later: .milliseconds(-1)), [9])
        let photo = try library.addDeferred(
            newPhoto(), proxy: [1, 2, 3], frames: library.openBurst(greyHeader()).append([1, 2]))
        let copy = try crashed(library)
        try copy.sql("UPDATE photos SET on_disk = 0 WHERE id = \(photo.id)")
        if !torn.isEmpty {
            // The last bytes were not flushed.
            let place = try #require(copy.places.last { $0.hasPrefix(torn) })
            let bytes = try #require(copy.bytes(place))
            try Data(bytes.dropLast(500)).write(to: URL(filePath: "\(copy.path)/\(place)"))
        }
        let again = try copy.open()
        #expect(try again.photos().map(\.id) == (torn.isEmpty ? [photo.id, before.id] : [before.id]))
        #expect(try again.verify().problems.isEmpty)
        #expect(try copy.sql("SELECT count(*) FROM photos WHERE on_disk = 0") == "0")
        #expect(copy.places.filter { $0.hasPrefix("photos") }.count == (torn.isEmpty ? 2 : 1))
        #expect(try again.addFinished(newPhoto(), [1]).id > photo.id)
    }

    /// Whatever happens to its files later, the library does not forget an announced photo.
    @Test func whatWasAnnouncedStaysWhateverBecomesOfItsFrames() throws {
        let library = try test.open()
        let photo = try library.addDeferred(
            newPhoto(), proxy: [1, 2, 3], frames: library.openBurst(greyHeader()).append([1, 2]))
        let copy = try crashed(library)
        let burst = try #require(copy.places.first { $0.hasPrefix("bursts") })
        try FileManager.default.removeItem(atPath: "\(copy.path)/\(burst)")
        let again = try copy.open()
        #expect(try again.photos() == [photo].map { try again.photo($0.id) } && again.verify().problems.count == 1)
        #expect(copy.bytes(photo.file.place) == [1, 2, 3])
    }

    @Test(arguments: [10_413_792_000, 1 << 40, -(1 << 40)]) func aFolderMayBeOfAnyTime(_ seconds: Int) throws {
        let photo = try test.open().addFinished(newPhoto(), [9])
        leave("photos/2026-11-21/.223015-042-2.jpg.part")
        var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, "\(test.path)/photos/2026-11-21", &times, 0) == 0)
        #expect(try test.open().photos() == [photo] && hidden.isEmpty)
    }

    @Test func whatALivingProgramWritesIsLeftAlone() throws {
        let library = try test.open()
        let burst = try library.openBurst(greyHeader())
        let frames = try burst.append([1, 2])
        #expect(hidden.count == 1)
        let other = try test.open()
        #expect(hidden.count == 1)
        let photo = try library.addDeferred(newPhoto(), proxy: [1], frames: frames)
        #expect(try other.frames(of: photo.id).count == 2 && hidden.isEmpty)
    }

    @Test func framesThatNoPhotoUsesGoWithTheirWriter() throws {
        let library = try test.open()
        do { _ = try library.openBurst(greyHeader()).append([1, 2]) }
        #expect(hidden.isEmpty && !test.places.contains { $0.hasPrefix("bursts") })
    }
}
