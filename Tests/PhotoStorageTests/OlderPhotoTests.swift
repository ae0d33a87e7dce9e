// SPDX-License-Identifier: MIT
// Photos are decoded as older versions wrote them.

import Foundation
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct OlderPhotoTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    private func fields(_ photo: LibraryPhoto) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(photo))
        return try #require(object as? [String: Any])
    }

    private func decoded(_ fields: [String: Any]) throws -> LibraryPhoto {
        try JSONDecoder().decode(LibraryPhoto.self, from: JSONSerialization.data(withJSONObject: fields))
    }

    @Test func aPhotoIsTheSameAfterwards() throws {
        let library = try test.open()
        var masked = newPhoto()
        masked.mask = [1]
        let id = try library.addFinished(masked, [7, 8, 9]).id
        try library.rate(id, stars: 3)
        try library.moveToTrash(id)
        let photo = try library.photo(id)
        #expect(photo.hasMask && photo.rating == 3 && photo.removed != nil)
        #expect(try decoded(fields(photo)) == photo)
    }

    @Test func whatOlderVersionsDidNotKnowIsLeftOut() throws {
        let photo = try test.open().addFinished(newPhoto(), [7, 8, 9])
        var older = try fields(photo)
        for name in ["hasMask", "rating"] { #expect(older.removeValue(forKey: name) != nil, "\(name)") }
        for name in ["removed", "editedProxy"] { older[name] = nil }
        #expect(try decoded(older) == photo)
    }

    @Test func whatAllVersionsKnowIsRequired() throws {
        var damaged = try fields(test.open().addFinished(newPhoto(), [7, 8, 9]))
        damaged["taken"] = nil
        #expect(throws: DecodingError.self) { try decoded(damaged) }
    }
}
