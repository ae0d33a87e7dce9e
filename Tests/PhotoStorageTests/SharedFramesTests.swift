// SPDX-License-Identifier: MIT
// Photos made of the frames that are kept for another one: they keep them, too, until both are gone.

import Foundation
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct SharedFramesTests {
    private let test: TestLibrary
    private let library: PhotoLibrary

    init() throws {
        test = try TestLibrary()
        library = try test.open()
    }

    private func addOriginal() throws -> LibraryPhoto {
        try library.addFinished(newPhoto(), [1], frames: library.openBurst(greyHeader()).append([4, 5, 6]))
    }

    private func addAnother(of original: PhotoID) throws -> LibraryPhoto {
        var photo = newPhoto(later: .milliseconds(33))
        photo.sharesFramesOf = original
        return try library.addFinished(photo, [2])
    }

    @Test func bothKeepTheSameFrames() throws {
        let original = try addOriginal()
        let other = try addAnother(of: original.id)
        #expect(other.keptFrames == 3 && other.keptBytes == original.keptBytes)
        #expect(try library.photo(other.id) == other)
        #expect(try library.frames(of: other.id).map { try $0.bytes() } == [4, 5, 6].map(greyBytes))
        #expect(try library.summary().keptFrames == 3)
        #expect(try library.verify().problems.isEmpty)
    }

    @Test func theFramesStayUntilBothAreRemoved() throws {
        let original = try addOriginal().id
        let other = try addAnother(of: original).id
        try library.remove(original)
        #expect(try library.frames(of: other).map { try $0.bytes() } == [4, 5, 6].map(greyBytes))
        // A third one comes from the second.
        let third = try addAnother(of: other)
        try library.remove(other)
        #expect(third.keptFrames == 3)
        try library.remove(third.id)
        #expect(!test.places.contains { $0.hasPrefix("bursts") })
        #expect(try library.summary().keptFrames == 0)
    }

    @Test func framesThatAreGoneAreNotKept() throws {
        let original = try library.addFinished(newPhoto(), [1])
        #expect(try addAnother(of: original.id).keptFrames == 0)
    }

    @Test func damagedFramesOfAnotherPhotoDoNotMakeOneUnannounced() throws {
        let original = try addOriginal()
        let other = try addAnother(of: original.id)
        // The power fails before it is noted that the second one is durable, and a frame has become unreadable.
        try test.sql("UPDATE photos SET on_disk = 0 WHERE id = \(other.id)")
        let place = try #require(test.places.last { $0.hasPrefix("bursts") })
        let bytes = try #require(test.bytes(place))
        try Data(bytes.dropLast(500)).write(to: URL(filePath: "\(test.path)/\(place)"))
        let again = try test.open()
        #expect(try again.photos().map(\.id) == [other.id, original.id])
        #expect(try test.sql("SELECT count(*) FROM photos WHERE on_disk = 0") == "0")
    }

    @Test func framesThatMayNotBeOnTheDiskAreNotShared() throws {
        let original = try addOriginal()
        try test.sql("UPDATE photos SET on_disk = 0 WHERE id = \(original.id)")
        #expect(try addAnother(of: original.id).keptFrames == 0)
    }
}
