// SPDX-License-Identifier: MIT
// A request for the pictures of a photo delivers them in order, each with its kind.

import Foundation
import Glibc
import LivecapFiles
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

/// The clock of the limit also runs while a test waits for its turn.
@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct ImageTests {
    private let test: TestLibrary
    private let library: PhotoLibrary
    private let photo: LibraryPhoto

    init() throws {
        test = try TestLibrary()
        library = try test.open()
        photo = try library.addDeferred(
            newPhoto(), proxy: [4, 4], frames: library.openBurst(greyHeader()).append([1]))
    }

    private func finish(_ library: PhotoLibrary, _ bytes: [UInt8]) throws {
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        try library.finish(claim, bytes, provenance: "{}")
    }

    @Test func degradedSecondaryFinal() async throws {
        var images = library.images(of: photo.id, allowsSecondaryDegraded: true).makeAsyncIterator()
        let thumbnail = try #require(try await images.next())
        #expect(thumbnail.kind == .degraded && thumbnail.isDegraded && thumbnail.bytes == [1, 2, 3])
        let proxy = try #require(try await images.next())
        #expect(proxy.kind == .secondary && proxy.isDegraded && proxy.bytes == [4, 4])
        // The final is requested before it exists.
        let waiting = Task { [images] in
            var images = images
            return (try await images.next(), try await images.next())
        }
        try finish(library, [5])
        let (final, end) = try await waiting.value
        #expect(final?.kind == .final && final?.isDegraded == false && final?.bytes == [5] && end == nil)
        #expect(final?.photo.state == .finished)
    }

    @Test func secondaryImageNeedsPermission() async throws {
        let library = library
        let waiting = Task { [id = photo.id] in
            var kinds: [LibraryImage.Kind] = []
            for try await image in library.images(of: id) { kinds.append(image.kind) }
            return kinds
        }
        // Finished by another library object, as if by another process.
        try finish(test.open(), [5])
        #expect(try await waiting.value == [.degraded, .final])
    }

    @Test func aFinishedPhotoHasNoSecondary() async throws {
        try finish(library, [5])
        var kinds: [LibraryImage.Kind] = []
        for try await image in library.images(of: photo.id, allowsSecondaryDegraded: true) { kinds.append(image.kind) }
        #expect(kinds == [.degraded, .final])
    }

    @Test func whatWillNeverBeFinishedIsAnError() async throws {
        do {
            guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
            try library.fail(claim, reason: "broken")
        }
        await #expect(throws: LibraryError.unfinishable(photo.id, reason: "broken")) {
            for try await _ in library.images(of: photo.id) {}
        }
        await #expect(throws: LibraryError.noSuchPhoto(PhotoID(number: 77))) {
            for try await _ in library.images(of: PhotoID(number: 77)) {}
        }
    }

    @Test func damageIsAnErrorAndNoPicture() async throws {
        try finish(library, [5])
        #expect(FileManager.default.createFile(atPath: try await library.photo(photo.id).path, contents: Data([6])))
        await #expect(throws: LibraryError.self) {
            for try await image in library.images(of: photo.id) { #expect(image.kind == .degraded) }
        }
    }

    private func add() throws -> PhotoID {
        try library.addDeferred(newPhoto(), proxy: [4, 4], frames: library.openBurst(greyHeader()).append([1])).id
    }

    @Test func whoWaitsForAFinalAsksForItUntilItIsThere() async throws {
        let library = library
        let waiting = Task { [id = photo.id] in for try await _ in library.images(of: id) {} }
        while !library.demand.isThere { await Task.yield() }
        try finish(library, [5])
        try await waiting.value
        #expect(!library.demand.isThere)
    }

    /// Another process has the library open by itself, and nothing of it is shared.
    @Test func aFinalMadeByAnotherProcessEndsTheWait() async throws {
        let (library, other) = (library, try test.open())
        // Many, because the last write of a change comes a moment before it is seen.
        for number in 0..<8 {
            let id = number == 0 ? photo.id : try add()
            let waiting = Task {
                var last: LibraryImage?
                for try await image in library.images(of: id) { last = image }
                return last
            }
            while !library.demand.isThere { await Task.yield() }
            try finish(other, [5])
            #expect(try await waiting.value?.bytes == [5])
        }
    }

    @Test func aFinalThatCannotBeMadeHereIsAwaitedInVainUntilItIsAskedForAgain() throws {
        let second = try add()
        let asking = library.demand.ask(for: photo.id)
        // Another photo is made instead: this one is left to another process.
        guard let claim = try library.claimUnfinished(besides: [photo.id]) else { throw NothingToFinish() }
        let claimed = claim.photo.id
        #expect(claimed == second)
        #expect(!library.demand.isThere)
        let again = library.demand.ask(for: photo.id)
        #expect(library.demand.isThere)
        withExtendedLifetime((asking, again)) {}
    }

    @Test func finalsThatWereAskedForAreMadeFirstAndInThatOrder() throws {
        let (second, third) = (try add(), try add())
        var asked: [AnyObject] = [third, second, third].map { library.demand.ask(for: $0) }
        func next() throws -> PhotoID? {
            guard let claim = try library.claimUnfinished() else { return nil }
            return claim.photo.id
        }
        #expect(try next() == third)
        // Another still waits for it.
        asked.removeFirst()
        #expect(try next() == second)
        asked.removeFirst()
        #expect(try next() == third)
        asked.removeAll()
        #expect(try next() == photo.id)
    }

    @Test func whoWaitsCanBeCancelled() async throws {
        let library = library
        let waiting = Task { [id = photo.id] in
            var count = 0
            for try await _ in library.images(of: id) { count += 1 }
            return count
        }
        waiting.cancel()
        #expect(try await waiting.value <= 1)
    }
}
