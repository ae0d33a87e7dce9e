// SPDX-License-Identifier: MIT
// A photo's file is replaced by one with more in it: whatever happens, the photo has either file, whole.

import Foundation
import Glibc
import LivecapFiles
import LivecapFrames
import LivecapThreads
import Testing

@testable import LivecapPhotoStorage

@Suite struct ReplacingTests {
    private let test: TestLibrary
    private let old = [UInt8](repeating: 1, count: 100)
    private let new = [UInt8](repeating: 2, count: 5000)

    init() throws { test = try TestLibrary() }

    private var hidden: [String] { test.places.filter { $0.contains("/.") } }

    private func leave(_ place: String, _ bytes: [UInt8]) {
        #expect(FileManager.default.createFile(atPath: "\(test.path)/\(place)", contents: Data(bytes)))
    }

    /// A library with a photo: a final, or a proxy.
    private func library(_ isProxy: Bool, _ options: LibraryOptions = LibraryOptions()) throws -> (
        PhotoLibrary, LibraryPhoto
    ) {
        let library = try test.open(options)
        let photo =
            try isProxy
            ? library.addDeferred(newPhoto(), proxy: old, frames: library.openBurst(greyHeader()).append([1]))
            : library.addFinished(newPhoto(), old)
        return (library, photo)
    }

    @Test(arguments: [false, true]) func theNewFileHasTheNameOfTheOld(isProxy: Bool) throws {
        let (library, photo) = try library(isProxy)
        let changed = try #require(
            try library.replaceFile(of: photo.id) { bytes in
                #expect(bytes == old)
                return new
            })
        #expect(changed.file.place == photo.file.place && changed.file.byteCount == new.count)
        #expect(changed.state == photo.state && changed.path == photo.path)
        #expect(test.bytes(photo.file.place) == new && hidden.isEmpty)
        #expect(try library.currentFile(of: photo.id).bytes == new)
        let report = try test.open().verify()
        #expect(report.problems.isEmpty && report.unlisted.isEmpty)
        #expect(try library.summary().bytes == new.count)
        try library.remove(photo.id)
        #expect(!test.places.contains { $0.hasPrefix("photos/") })
    }

    @Test func nothingChangesIfNothingIsMadeOfIt() throws {
        let (library, photo) = try library(false)
        #expect(try library.replaceFile(of: photo.id) { _ in nil } == nil)
        #expect(try library.photo(photo.id) == photo && hidden.isEmpty)
    }

    @Test func aFinalThatIsBeingMadeComesFirst() async throws {
        let (library, photo) = try library(true)
        guard let claim = try library.claimUnfinished(photo.id) else { throw NothingToFinish() }
        let (other, new) = (try test.open(), new)
        async let replaced = onThread(named: "replacing") { () throws(LibraryError) in
            try other.replaceFile(of: photo.id) { $0 + new }
        }
        // Whether the other one waits by then or not, it finds the final.
        try finish(library, claim, [5])
        #expect(try await replaced?.file.byteCount == 1 + new.count)
        #expect(try library.currentFile(of: photo.id).bytes == [5] + new)
    }

    /// The claim ends with this.
    private func finish(_ library: PhotoLibrary, _ claim: consuming FinishingClaim, _ bytes: [UInt8]) throws {
        try library.finish(claim, bytes, provenance: "{}")
    }

    /// The program ended before the catalogue knew of the new file, which may be incomplete.
    @Test(arguments: [0, 100, 5000]) func aFileThatTheCatalogueDoesNotMeanIsRemoved(count: Int) throws {
        let (library, photo) = try library(false)
        leave("photos/2026-11-21/.223015-042-1.jpg.next", [UInt8](repeating: 2, count: count))
        // Whoever reads meanwhile sees the old one.
        #expect(try library.currentFile(of: photo.id).bytes == old)
        #expect(try library.verify().problems.isEmpty)
        let other = try test.open()
        #expect(hidden.isEmpty && test.bytes(photo.file.place) == old)
        #expect(try other.photos() == [photo])
    }

    /// The program ended before the new file had its name.
    @Test(arguments: [false, true]) func aFileThatTheCatalogueMeansReplacesTheOld(isProxy: Bool) throws {
        let place: String
        do {
            var options = LibraryOptions()
            let (_, photo) = try library(isProxy)
            options.calls = FileCalls(rename: { _, _, _ in -EIO })
            let library = try test.open(options)
            _ = try library.replaceFile(of: photo.id) { _ in new }
            place = photo.file.place
            #expect(test.bytes(place) == old && hidden.count == 1)
            #expect(try library.currentFile(of: photo.id).bytes == new)
            #expect(try library.verify().problems.isEmpty)
        }
        let library = try test.open()
        #expect(hidden.isEmpty && test.bytes(place) == new)
        #expect(try library.verify().problems.isEmpty && library.verify().unlisted.isEmpty)
    }

    /// The same, and the next program replaces it once more, without having been opened since.
    @Test func whatWasLeftIsSettledFirst() throws {
        let (library, photo) = try library(false)
        do {
            var options = LibraryOptions()
            options.calls = FileCalls(rename: { _, _, _ in -EIO })
            _ = try test.open(options).replaceFile(of: photo.id) { _ in new }
        }
        let third = try library.replaceFile(of: photo.id) { $0 + [3] }
        #expect(third?.file.byteCount == new.count + 1 && hidden.isEmpty)
        #expect(test.bytes(photo.file.place) == new + [3])
    }

    @Test func afterItsRemovalNothingIsLeft() throws {
        let (library, photo) = try library(false)
        do {
            var options = LibraryOptions()
            options.calls = FileCalls(rename: { _, _, _ in -EIO })
            _ = try test.open(options).replaceFile(of: photo.id) { _ in new }
        }
        try library.remove(photo.id)
        #expect(!test.places.contains { $0.hasPrefix("photos/") }, "\(test.places)")
    }

    @Test func aPhotoOfALibraryMadeBeforeIsReplacedToo() throws {
        let (_, photo) = try library(true)
        try test.makeOlder(1)
        let library = try test.open()
        #expect(try library.replaceFile(of: photo.id) { _ in new }?.file.byteCount == new.count)
        #expect(try library.verify().problems.isEmpty)
    }

    @Test func aFullDiskLeavesTheOldFile() throws {
        let (_, photo) = try library(false)
        var options = LibraryOptions()
        options.calls = FileCalls(write: { _, _ in
            errno = ENOSPC
            return -1
        })
        #expect(throws: LibraryError.self) { try test.open(options).replaceFile(of: photo.id) { _ in new } }
        #expect(test.bytes(photo.file.place) == old && hidden.isEmpty)
    }
}
