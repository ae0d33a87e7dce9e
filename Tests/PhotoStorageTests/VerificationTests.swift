// SPDX-License-Identifier: MIT
// What `verify` reports while other programs work, and which photos can be made again.

import Foundation
import LivecapFiles
import Testing

@testable import LivecapPhotoStorage

@Suite struct VerificationTests {
    private let test: TestLibrary
    private let library: PhotoLibrary

    init() throws {
        test = try TestLibrary()
        library = try test.open()
    }

    private func addFinished(_ bytes: [UInt8], frames: [Int] = [1, 2]) throws -> LibraryPhoto {
        let kept = frames.isEmpty ? [] : try library.openBurst(greyHeader()).append(frames)
        return try library.addFinished(newPhoto(), bytes, frames: kept)
    }

    /// A row and its account, for example, belong to one state, although another program removes the photo in
    /// between.
    @Test func whatIsReadTogetherIsOfOneState() throws {
        let photo = try addFinished([1])
        let other = try test.open()
        let (before, account) = try library.catalogue.read { (connection) throws(SQLiteError) in
            let row = try connection.photo(photo.id)
            try? other.remove(photo.id)
            return (row, try connection.account(of: photo.id))
        }
        #expect(before != nil && account != nil)
        #expect(throws: LibraryError.noSuchPhoto(photo.id)) { try library.photo(photo.id) }
    }

    /// The state between storing the final's row and removing the proxy.
    @Test func proxyAboutToBeRemovedIsNotUnlisted() throws {
        let frames = try library.openBurst(greyHeader()).append([1])
        let proxy = try library.addDeferred(newPhoto(), proxy: [1], frames: frames)
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        try library.finish(claim, [2], provenance: "{}")
        try Data([1]).write(to: URL(filePath: "\(test.path)/\(proxy.file.place)"))
        #expect(try library.verify().unlisted.isEmpty)
    }

    @Test func aFinalThatIsGoneCanBeMadeAgainOfItsFrames() throws {
        let photo = try addFinished([1, 2, 3])
        try FileManager.default.removeItem(atPath: photo.path)
        let problem = try #require(try library.verify().problems.first)
        #expect(problem.kind == .missing && problem.photo == photo.id && problem.canBeMadeAgain)
        guard let claim = try library.claimUnfinished(photo.id) else { throw NothingToFinish() }
        let again = try library.finish(claim, [4, 5], provenance: "{}")
        #expect(again.path == photo.path && again.id == photo.id && again.state == .finished)
        #expect(test.bytes(again.file.place) == [4, 5])
        #expect(try library.verify().problems.isEmpty)
    }

    @Test func aFinalThatIsDamagedIsReplaced() throws {
        let photo = try addFinished([1, 2, 3])
        try Data([1, 9, 3]).write(to: URL(filePath: photo.path))
        guard let claim = try library.claimUnfinished(photo.id) else { throw NothingToFinish() }
        let again = try library.finish(claim, [4, 5], provenance: "{}")
        #expect(again.path == photo.path && test.bytes(again.file.place) == [4, 5])
        #expect(try library.verify().problems.isEmpty && library.verify().unlisted.isEmpty)
        #expect(!test.places.contains { $0.contains("/.") })
    }

    @Test func aFinalThatCannotBeMadeAgainStaysFinished() throws {
        let photo = try addFinished([1, 2, 3])
        try FileManager.default.removeItem(atPath: photo.path)
        guard let claim = try library.claimUnfinished(photo.id) else { throw NothingToFinish() }
        #expect(throws: LibraryError.unfinishable(photo.id, reason: "why")) { try library.fail(claim, reason: "why") }
        #expect(try library.photo(photo.id).state == .finished)
    }

    @Test func withoutFramesNothingCanBeMadeAgain() throws {
        let photo = try addFinished([1], frames: [])
        try FileManager.default.removeItem(atPath: photo.path)
        #expect(try library.verify().problems.map(\.canBeMadeAgain) == [false])
        #expect(throws: LibraryError.missing(photo.path)) { try library.isToBeFinished(photo.id) }
    }

    @Test func aWholePhotoIsNotMadeAgain() throws {
        let photo = try addFinished([1])
        #expect(try !library.isToBeFinished(photo.id) && !library.isToBeFinished())
    }

    /// A photo deferred by this process may be finished by another one.
    @Test func deferredPhotosAreCountedFromTheCatalogue() throws {
        let burst = try library.openBurst(greyHeader())
        let photos = try (1...3).map { number in
            try library.addDeferred(newPhoto(), proxy: [1], frames: burst.append([number])).id
        }
        let other = try test.open()
        guard let claim = try other.claimUnfinished(photos[0]) else { throw NothingToFinish() }
        try other.finish(claim, [2], provenance: "{}")
        try other.remove(photos[1])
        #expect(try library.countDeferred(among: photos) == 1)
    }
}
