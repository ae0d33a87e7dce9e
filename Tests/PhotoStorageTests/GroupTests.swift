// SPDX-License-Identifier: MIT
// Photos that several cameras took at one tap.

import Foundation
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct GroupTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    private func add(_ group: PhotoGroup?, later: Int64, to library: PhotoLibrary) throws -> LibraryPhoto {
        var photo = newPhoto(later: .milliseconds(later))
        photo.group = group
        return try library.addFinished(photo, [1])
    }

    @Test func thePhotosOfATapAreFoundByItsName() throws {
        let library = try test.open()
        let left = try add(PhotoGroup(id: "tap-1", stream: "left"), later: 1, to: library)
        _ = try add(PhotoGroup(id: "tap-2", stream: "left"), later: 2, to: library)
        _ = try add(nil, later: 3, to: library)
        let right = try add(PhotoGroup(id: "tap-1", stream: "right"), later: 4, to: library)
        #expect(left.group == PhotoGroup(id: "tap-1", stream: "left"))
        var page = LibraryPage()
        page.group = "tap-1"
        let found = try test.open().photos(page)
        #expect(found == [right, left])
        #expect(try library.photos().map(\.group?.id) == ["tap-1", nil, "tap-2", "tap-1"])
    }

    @Test func aPhotoThatIsRemovedLeavesItsGroup() throws {
        let library = try test.open()
        let photo = try add(PhotoGroup(id: "tap-1", stream: "left"), later: 1, to: library)
        try library.remove(photo.id)
        #expect(try test.sql("SELECT count(*) FROM groups") == "0")
    }

    /// Another program may have written anything.
    @Test func aGroupThatCannotBeIsNone() throws {
        let library = try test.open()
        let photo = try add(PhotoGroup(id: "tap-1", stream: "left"), later: 1, to: library)
        _ = try test.sql("UPDATE groups SET id = 'a b'")
        #expect(try library.photo(photo.id).group == nil)
    }

    @Test func anOlderCatalogueHasNone() throws {
        let photo = try add(PhotoGroup(id: "tap-1", stream: "left"), later: 1, to: test.open())
        try test.makeOlder(4)
        let catalogue = try CatalogueOpening(
            path: "\(test.path)/catalogue.sqlite", name: "catalogue", options: LibraryOptions()
        ).toRead()
        var page = LibraryPage()
        page.group = "tap-1"
        let rows = try catalogue.reading.guarded.withLock { connection in
            (try connection.photo(photo.id), try connection.photos(page, after: nil))
        }
        #expect(rows.0?.id == photo.id && rows.0?.group == nil && rows.1.isEmpty)
    }

    @Test(arguments: [("", "a"), ("a b", "a"), ("a", ""), ("a", "b\nc"), (String(repeating: "a", count: 65), "a")])
    func namesThatAreRefused(_ id: String, _ stream: String) {
        #expect(PhotoGroup(id: id, stream: stream) == nil)
        let json = JSONEncoder()
        let text = try? json.encode(["id": id, "stream": stream])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(PhotoGroup.self, from: #require(text)) }
    }
}
