// SPDX-License-Identifier: MIT
// Libraries created by an earlier version.

import Foundation
import LivecapFiles
import Testing

@testable import LivecapPhotoStorage

@Suite struct SchemaTests {
    private let test: TestLibrary
    private let photo: LibraryPhoto

    /// A library of schema version 1 with a deferred photo.
    init() throws {
        test = try TestLibrary()
        do {
            let library = try test.open()
            photo = try library.addDeferred(
                newPhoto(), proxy: [1], frames: library.openBurst(greyHeader()).append([1]))
        }
        try test.makeOlder(1)
    }

    @Test func anOlderSchemaIsBroughtUpToDate() throws {
        let library = try test.open()
        for count in 0..<2 {
            guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
            #expect(claim.brokenAttempts == count)
            try library.beginAttempt(claim)
        }
        #expect(try test.sql("PRAGMA user_version") == "\(Schema.version)")
        #expect(try library.photos().map(\.id) == [photo.id])
    }

    @Test func whatMayOnlyBeReadStaysAsItIs() throws {
        let catalogue = try CatalogueOpening(
            path: "\(test.path)/catalogue.sqlite", name: "catalogue", options: LibraryOptions()
        ).toRead()
        let found = try catalogue.reading.guarded.withLock { try ($0.photo(photo.id)?.id, $0.attempts(at: photo.id)) }
        #expect(found == (photo.id, 0))
        #expect(try test.sql("PRAGMA user_version") == "1")
    }

    /// There is no room to update the schema, and this must not prevent a program from freeing space.
    @Test func photosCanBeRemovedOnAFullDisk() throws {
        let pages = try #require(Int(test.sql("PRAGMA page_count")))
        var options = LibraryOptions()
        options.mayCreate = false
        options.maxPages = pages
        let library = try test.open(options)
        #expect(try test.sql("PRAGMA user_version") == "1")
        try library.remove(photo.id)
        #expect(try library.photos().isEmpty)
    }
}
