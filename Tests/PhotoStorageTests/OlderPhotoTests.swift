// SPDX-License-Identifier: MIT
// Photos, and what is said of libraries, are decoded as older versions wrote them.

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

    /// Decodes a value as it was encoded; or without a field, which has to be there.
    private func decoded<Value: Codable>(_ value: Value, without name: String? = nil) throws -> Value {
        let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value))
        var fields = try #require(encoded as? [String: Any])
        if let name {
            let isThere = fields.removeValue(forKey: name) != nil
            #expect(isThere, "\(name)")
        }
        return try JSONDecoder().decode(Value.self, from: JSONSerialization.data(withJSONObject: fields))
    }

    @Test func whatIsSaidOfTheTrashMayBeMissing() throws {
        var page = LibraryPage(limit: 7, after: PhotoID(number: 3), unfinishedOnly: true, order: .oldest)
        page.minimumRating = 2
        page.group = "g"
        #expect(try decoded(page, without: "trashOnly") == page)
        page.trashOnly = true
        #expect(try decoded(page) == page)

        var summary = try test.open().summary()
        summary.photos = 5
        summary.unfinished = 4
        summary.bytes = 3
        summary.keptFrames = 2
        summary.keptBytes = 1
        #expect(try decoded(summary, without: "trashed") == summary)
        summary.trashed = 6
        #expect(try decoded(summary) == summary)

        var policy = CleanUpPolicy(age: .seconds(5), budget: 6)
        #expect(try decoded(policy, without: "trashAge") == policy)
        policy.trashAge = .seconds(7)
        #expect(try decoded(policy) == policy)

        var report = CleanUpReport()
        report.removedFiles = 1
        report.removedBytes = 2
        report.leftFiles = 3
        report.leftBytes = 4
        #expect(try decoded(report, without: "removedPhotos") == report)
        report.removedPhotos = 5
        #expect(try decoded(report) == report)
        #expect(throws: DecodingError.self) { try decoded(report, without: "leftFiles") }
    }

    @Test func whatAllVersionsKnowIsRequired() throws {
        var damaged = try fields(test.open().addFinished(newPhoto(), [7, 8, 9]))
        damaged["taken"] = nil
        #expect(throws: DecodingError.self) { try decoded(damaged) }
    }
}
