// SPDX-License-Identifier: MIT
// Masks: each comes, changes and goes with its photo's picture; catalogues from before they were kept.

import Foundation
import LivecapFiles
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct MaskTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    private func photo(_ mask: [UInt8]?, later: Duration = .zero) -> NewPhoto {
        var photo = newPhoto(later: later)
        photo.mask = mask
        return photo
    }

    private func addDeferred(_ mask: [UInt8]?, to library: PhotoLibrary) throws -> LibraryPhoto {
        try library.addDeferred(photo(mask), proxy: [1], frames: library.openBurst(greyHeader()).append([1]))
    }

    private func finish(_ mask: [UInt8]?, _ id: PhotoID, in library: PhotoLibrary) throws -> LibraryPhoto {
        guard let claim = try library.claimUnfinished(id) else { throw NothingToFinish() }
        return try library.finish(claim, [2, 2], provenance: "{}", mask: mask)
    }

    /// Whether the final of a photo can be asked for.
    private func isToBeMade(_ id: PhotoID, in library: PhotoLibrary) throws -> Bool {
        guard let claim = try library.claimUnfinished(id) else { return false }
        return claim.photo.id == id
    }

    /// How many masks the catalogue has.
    private func count() throws -> String { try test.sql("SELECT count(*) FROM masks") }

    @Test func aMaskComesAndGoesWithItsPhoto() throws {
        let library = try test.open()
        let with = try library.addFinished(photo([7, 8, 9]), [1])
        let without = try library.addFinished(photo(nil, later: .milliseconds(1)), [2])
        #expect(with.hasMask && !without.hasMask)
        let other = try test.open()
        #expect(try other.photos().map(\.hasMask) == [false, true])
        #expect(try other.mask(of: with.id) == [7, 8, 9] && other.mask(of: without.id) == nil)
        // Both photos and the mask are read.
        #expect(try other.verify().problems.isEmpty && other.verify().bytes == 5)
        #expect(test.places.filter { $0.contains("mask") } == [])
        try other.remove(with.id)
        #expect(try count() == "0")
        #expect(throws: LibraryError.noSuchPhoto(with.id)) { try library.mask(of: with.id) }
    }

    @Test func aFinalsMaskReplacesItsProxys() throws {
        let library = try test.open()
        let proxy = try addDeferred([7], to: library)
        #expect(try proxy.hasMask && library.mask(of: proxy.id) == [7])
        #expect(try finish([8, 8], proxy.id, in: library).hasMask)
        #expect(try library.mask(of: proxy.id) == [8, 8])
        // A final that is made again has its own, too.
        try FileManager.default.removeItem(atPath: library.photo(proxy.id).path)
        #expect(try finish([9], proxy.id, in: library).hasMask)
        #expect(try library.mask(of: proxy.id) == [9] && count() == "1")
    }

    @Test(arguments: [[UInt8]?.none, [7]]) func onlyTheFinalDecides(_ mask: [UInt8]?) throws {
        let library = try test.open()
        let proxy = try addDeferred(mask, to: library)
        #expect(try !finish(nil, proxy.id, in: library).hasMask)
        #expect(try library.mask(of: proxy.id) == nil && count() == "0")
    }

    /// Making the final again is given up: what there is stays as it was.
    @Test func aFinalThatFailsLeavesTheProxysMask() throws {
        let library = try test.open()
        let proxy = try addDeferred([7], to: library)
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        try library.fail(claim, reason: "a test")
        #expect(try library.photo(proxy.id).hasMask && library.mask(of: proxy.id) == [7])
    }

    @Test func aMaskThatWasChangedIsReportedAndNotHandedOut() throws {
        let library = try test.open()
        let added = try library.addFinished(photo([7]), [1])
        try test.sql("UPDATE masks SET png = x'08'")
        let problem = try #require(try library.verify().problems.first)
        #expect(problem.kind == .damaged && problem.photo == added.id && problem.place == "catalogue.sqlite")
        #expect(problem.detail.contains("mask") && !problem.canBeMadeAgain)
        #expect(throws: LibraryError.self) { try library.mask(of: added.id) }
        #expect(throws: LibraryError.self) { try library.exportMask(of: added.id, to: test.folder) }
    }

    /// The final is sound, and is replaced by one that has its mask again.
    @Test func aMaskThatWasChangedIsMadeAgainOfKeptFrames() throws {
        let library = try test.open()
        let id = try addDeferred([7], to: library).id
        let final = try finish([8, 8], id, in: library)
        try test.sql("UPDATE masks SET png = x'08'")
        let problem = try #require(try library.verify().problems.first)
        #expect(problem.kind == .damaged && problem.photo == id && problem.canBeMadeAgain)
        let again = try finish([9], id, in: library)
        #expect(again.path == final.path && again.state == .finished)
        #expect(try library.mask(of: id) == [9] && library.verify().problems.isEmpty)
        #expect(try !isToBeMade(id, in: library))
    }

    @Test func withoutFramesAChangedMaskStaysChanged() throws {
        let library = try test.open()
        let added = try library.addFinished(photo([7]), [1])
        try test.sql("UPDATE masks SET png = x'08'")
        #expect {
            _ = try isToBeMade(added.id, in: library)
        } throws: { error in
            if case .damaged = error as? LibraryError { true } else { false }
        }
        #expect(test.bytes(added.file.place) == [1])
    }

    @Test func aMaskIsExportedUnderThePhotosName() throws {
        let library = try test.open()
        let with = try addDeferred([7, 8], to: library)
        let without = try library.addFinished(photo(nil, later: .milliseconds(1)), [2])
        let copy = try library.exportMask(of: with.id, to: "\(test.folder)/out/")
        #expect(copy.path == "\(test.folder)/out/2026-11-21-223015-042-1.proxy.mask.png")
        #expect(copy.byteCount == 2 && copy.isProxy)
        #expect(FileManager.default.contents(atPath: copy.path) == Data([7, 8]))
        #expect(throws: LibraryError.alreadyThere(copy.path)) {
            try library.exportMask(of: with.id, to: "\(test.folder)/out")
        }
        #expect(throws: LibraryError.noMask(without.id)) {
            try library.exportMask(of: without.id, to: "\(test.folder)/out")
        }
    }

    // MARK: Catalogues from before masks were kept

    @Test(arguments: [1, 2]) func aPhotoOfAnOlderVersionHasNone(_ version: Int) throws {
        let old = try addDeferred(nil, to: test.open())
        try test.makeOlder(version)
        let library = try test.open()
        #expect(try !library.photo(old.id).hasMask && library.mask(of: old.id) == nil)
        #expect(try library.verify().problems.isEmpty)
        // From now on, masks are kept.
        #expect(try finish([8], old.id, in: library).hasMask)
        #expect(try library.addFinished(photo([9], later: .milliseconds(1)), [2]).hasMask)
    }

    /// There is no room to update the schema.
    @Test func anOlderCatalogueOnAFullDiskIsReadAndFinished() throws {
        let old = try addDeferred(nil, to: test.open())
        try test.makeOlder(2)
        let pages = try #require(Int(test.sql("PRAGMA page_count")))
        var options = LibraryOptions()
        options.mayCreate = false
        options.maxPages = pages
        let library = try test.open(options)
        #expect(try test.sql("PRAGMA user_version") == "2")
        #expect(try library.photos().map(\.id) == [old.id] && library.mask(of: old.id) == nil)
        // What it has no table for is not kept; the photo is.
        let finished = try finish([8], old.id, in: library)
        #expect(finished.state == .finished && !finished.hasMask)
        try library.remove(old.id)
        #expect(try library.photos().isEmpty)
    }

    @Test func whatMayOnlyBeReadIsReadWithoutMasks() throws {
        let old = try addDeferred(nil, to: test.open())
        try test.makeOlder(2)
        let catalogue = try CatalogueOpening(
            path: "\(test.path)/catalogue.sqlite", name: "catalogue", options: LibraryOptions()
        ).toRead()
        let found = try catalogue.reading.guarded.withLock {
            try ($0.photo(old.id)?.hasMask, $0.mask(of: old.id) == nil)
        }
        #expect(found == (false, true))
    }
}
