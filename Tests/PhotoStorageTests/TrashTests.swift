// SPDX-License-Identifier: MIT
// The trash: what is moved there, had back, and removed for good in the end; and ratings.

import Foundation
import LivecapFrames
import LivecapThreads
import Testing

@testable import LivecapPhotoStorage

@Suite struct TrashTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary(knowsUptime: false) }

    private func add(_ count: Int, to library: PhotoLibrary) throws -> [PhotoID] {
        try (0..<count).map {
            try library.addFinished(newPhoto(later: .milliseconds(Int64($0))), [UInt8($0)]).id
        }
    }

    private func addDeferred(to library: PhotoLibrary) throws -> PhotoID {
        try library.addDeferred(newPhoto(), proxy: [1], frames: library.openBurst(greyHeader()).append([1])).id
    }

    /// A day of 2100, after all photos were added.
    private func day(_ number: Int64) -> CalendarTime {
        CalendarTime(utcNanoseconds: 4_102_444_800_000_000_000 + number * Self.day)
    }
    private static let day: Int64 = 24 * 3600 * 1_000_000_000

    @Test func aPhotoInTheTrashIsNotListedAndComesBackAsItWas() throws {
        let library = try test.open()
        let ids = try add(3, to: library)
        let before = try library.photos()
        #expect(try library.moveToTrash(ids[1], at: day(9)))
        #expect(try !library.moveToTrash(ids[1], at: day(10)), "it is there already")
        let other = try test.open()
        #expect(try other.photos().map(\.id) == [ids[2], ids[0]])
        #expect(try other.photoIDs(in: ids[0]...ids[2]) == [ids[0], ids[2]])
        #expect(try other.photoIDs(in: ids[0]...ids[2], ofTrash: true) == [ids[1]])
        var page = LibraryPage()
        page.trashOnly = true
        #expect(try other.photos(page).map(\.id) == [ids[1]])
        #expect(try other.photo(ids[1]).removed == day(9) && other.trashed() == [ids[1]])
        let summary = try other.summary()
        #expect(summary.photos == 2 && summary.trashed == 1)
        // Everything is still there.
        #expect(try other.verify().photos == 3 && other.verify().problems.isEmpty)
        #expect(test.places.count { $0.hasPrefix("photos/") } == 3)
        #expect(try other.restore(ids[1]))
        #expect(try !other.restore(ids[1]), "it is not there any more")
        #expect(try library.photos() == before)
    }

    @Test func aListGoesOnAfterAPhotoInTheTrash() throws {
        let library = try test.open()
        let ids = try add(4, to: library)
        try library.moveToTrash(ids[2])
        #expect(try library.photos(LibraryPage(after: ids[2])).map(\.id) == [ids[1], ids[0]])
    }

    @Test func theLastOnesAreThoseOfOneMoment() throws {
        let library = try test.open()
        let ids = try add(4, to: library)
        #expect(try library.lastTrashed().isEmpty)
        try library.moveToTrash(ids[3], at: day(1))
        for id in ids[0...1] { try library.moveToTrash(id, at: day(2)) }
        #expect(try library.lastTrashed() == Array(ids[0...1]))
        for id in try library.lastTrashed() { try library.restore(id) }
        #expect(try library.lastTrashed() == [ids[3]])
    }

    @Test func noFinalIsMadeInTheTrash() throws {
        let library = try test.open()
        let id = try addDeferred(to: library)
        try library.moveToTrash(id)
        #expect(try !library.isToBeFinished() && library.countDeferred(among: [id]) == 0)
        #expect(try library.summary().unfinished == 0)
        #expect(try library.cleanUp(CleanUpPolicy(age: .zero, budget: 0)).removedFiles == 0)
        try library.restore(id)
        #expect(try library.isToBeFinished() && library.frames(of: id).count == 1)
    }

    @Test func aCleanUpRemovesWhatWasThereForLong() throws {
        let library = try test.open()
        let ids = try add(3, to: library)
        let deferred = try addDeferred(to: library)
        try library.moveToTrash(ids[0], at: day(1))
        try library.moveToTrash(deferred, at: day(2))
        try library.moveToTrash(ids[1], at: day(3))
        let policy = CleanUpPolicy(trashAge: .seconds(10 * 24 * 3600))
        #expect(try library.cleanUp(policy, at: day(11)).removedPhotos == 0)
        #expect(try library.cleanUp(policy, at: day(13)) { false }.removedPhotos == 0, "it is to stop")
        #expect(try library.cleanUp(policy, at: day(13)).removedPhotos == 2)
        #expect(try library.trashed() == [ids[1]])
        #expect(throws: LibraryError.noSuchPhoto(ids[0])) { try library.restore(ids[0]) }
        #expect(
            test.places.filter { $0.hasPrefix("photos/") }.count == 2
                && !test.places.contains { $0.hasPrefix("bursts") })
        try library.restore(ids[1])
        #expect(try library.cleanUp(policy, at: day(99)).removedPhotos == 0)
        #expect(try library.photos().map(\.id) == [ids[2], ids[1]])
    }

    /// A clean-up may wait before each photo, and people restore photos meanwhile.
    @Test func whatIsRestoredMeanwhileStays() throws {
        let library = try test.open()
        let other = try test.open()
        let ids = try add(4, to: library)
        for id in ids { try library.moveToTrash(id, at: day(1)) }
        let before = test.places
        var calls = 0
        let report = try library.cleanUp(at: day(99)) {
            calls += 1
            // The second one is had back, and the third is removed anew.
            if calls == 1 { for id in ids[1...2] { _ = try? other.restore(id) } }
            if calls == 1 { _ = try? other.moveToTrash(ids[2], at: day(98)) }
            return true
        }
        #expect(calls == 4 && report.removedPhotos == 2)
        #expect(try library.photos().map(\.id) == [ids[1]] && library.trashed() == [ids[2]])
        #expect(test.places.count == before.count - 2)
        #expect(try library.verify().problems.isEmpty)
        #expect(try !library.removeFromTrash(ids[1]), "it is not there any more")
        #expect(try library.removeFromTrash(ids[2]))
        #expect(try library.photos().map(\.id) == [ids[1]] && library.verify().problems.isEmpty)
    }

    /// One whose final is being made stays until another time, and keeps none of the others.
    @Test func aClaimedPhotoStays() throws {
        let library = try test.open()
        let deferred = try addDeferred(to: library)
        let ids = try add(1, to: library)
        for id in [deferred] + ids { try library.moveToTrash(id, at: day(1)) }
        do {
            guard let claim = try library.claimUnfinished(deferred) else { throw NothingToFinish() }
            #expect(try test.open().cleanUp(at: day(99)).removedPhotos == 1)
            // It is finished all the same, and stays in the trash.
            try library.finish(claim, [2, 2], provenance: "{}")
        }
        #expect(try library.photo(deferred).state == .finished && library.trashed() == [deferred])
        #expect(try library.cleanUp(at: day(99)).removedPhotos == 1)
    }

    // MARK: Clocks that are wrong

    /// A board without a battery: 1970 after each start, and right once it is told the time.
    @Test func whatWasRemovedIn1970StaysForItsTime() throws {
        let library = try test.open()
        let ids = try add(3, to: library)
        try library.moveToTrash(ids[0], at: CalendarTime(utcNanoseconds: 5))
        for id in ids[1...2] { try library.moveToTrash(id, at: CalendarTime(utcNanoseconds: Self.day)) }
        let policy = CleanUpPolicy(trashAge: .seconds(10 * 24 * 3600))
        #expect(try library.cleanUp(policy, at: CalendarTime(utcNanoseconds: 99 * Self.day)).removedPhotos == 0)
        #expect(try library.trashed() == ids && library.photo(ids[0]).removed?.utcNanoseconds == 5)
        // The clock is right now, and its time begins.
        #expect(try library.cleanUp(policy, at: day(1)).removedPhotos == 0)
        #expect(try library.trashed() == ids && library.lastTrashed() == Array(ids[1...2]))
        #expect(try library.photo(ids[1]).removed == day(1))
        #expect(try library.cleanUp(policy, at: day(11)).removedPhotos == 1, "it is a nanosecond older than the others")
        #expect(try library.cleanUp(policy, at: day(12)).removedPhotos == 2)
    }

    @Test func whatWasRemovedInTheFutureIsNotKeptForEver() throws {
        let library = try test.open()
        let id = try add(1, to: library)[0]
        try library.moveToTrash(id, at: day(5000))
        let policy = CleanUpPolicy(trashAge: .seconds(10 * 24 * 3600))
        #expect(try library.cleanUp(policy, at: day(1)).removedPhotos == 0)
        #expect(try library.cleanUp(policy, at: day(12)).removedPhotos == 1)
    }

    /// The clock jumps ahead by months while the system runs. After a restart nobody knows how long that was.
    @Test func nothingOfThisRunOfTheSystemIsRemovedTooEarly() throws {
        let uptime = Guarded(Uptime?.some(Uptime(boot: "a", nanoseconds: Self.day)))
        var options = LibraryOptions()
        options.uptime = { uptime.withLock { $0 } }
        let library = try test.open(options)
        let ids = try add(2, to: library)
        try library.moveToTrash(ids[0], at: day(1))
        let policy = CleanUpPolicy(trashAge: .seconds(10 * 24 * 3600))
        #expect(try library.cleanUp(policy, at: day(400)).removedPhotos == 0)
        uptime.withLock { $0?.nanoseconds = 10 * Self.day }
        #expect(try library.cleanUp(policy, at: day(400)).removedPhotos == 0, "nine days have passed")
        uptime.withLock { $0?.nanoseconds = 12 * Self.day }
        #expect(try library.cleanUp(policy, at: day(400)).removedPhotos == 1)
        try library.moveToTrash(ids[1], at: day(1))
        uptime.withLock { $0 = Uptime(boot: "b", nanoseconds: 0) }
        #expect(try library.cleanUp(policy, at: day(12)).removedPhotos == 1)
        #expect(try test.sql("SELECT count(*) FROM removals") == "0")
    }

    @Test func aTimeOfZeroEmptiesTheTrashWhateverTheClockSays() throws {
        let library = try test.open()
        let id = try add(1, to: library)[0]
        try library.moveToTrash(id)
        let report = try library.cleanUp(CleanUpPolicy(trashAge: .zero), at: CalendarTime(utcNanoseconds: 0))
        #expect(report.removedPhotos == 1)
    }

    @Test func theSystemKnowsItsRun() throws {
        let first = try #require(Uptime.now)
        let second = try #require(Uptime.now)
        #expect(first.boot == second.boot && first.nanoseconds <= second.nanoseconds && first.boot.count >= 32)
    }

    @Test func whatIsNotThereIsNotMoved() throws {
        let library = try test.open()
        let none = PhotoID(number: 9)
        #expect(throws: LibraryError.noSuchPhoto(none)) { try library.moveToTrash(none) }
        #expect(throws: LibraryError.noSuchPhoto(none)) { try library.restore(none) }
        #expect(throws: LibraryError.noSuchPhoto(none)) { try library.rate(none, stars: 1) }
        let id = try add(1, to: library)[0]
        try library.moveToTrash(id)
        try library.remove(id)
        #expect(try library.trashed().isEmpty && test.sql("SELECT count(*) FROM trash") == "0")
    }

    // MARK: Ratings

    @Test func photosAreFoundByTheirStars() throws {
        let library = try test.open()
        let ids = try add(4, to: library)
        for (id, stars) in zip(ids, [5, 3, 1]) { try library.rate(id, stars: stars) }
        var page = LibraryPage()
        page.minimumRating = 3
        #expect(try library.photos(page).map(\.id) == [ids[1], ids[0]])
        #expect(try test.open().photos().map(\.rating) == [0, 1, 3, 5])
        try library.rate(ids[0], stars: 2)
        try library.rate(ids[1], stars: 0)
        #expect(try library.photos(page).isEmpty && library.photo(ids[0]).rating == 2)
        page.minimumRating = 0
        #expect(try library.photos(page).count == 4)
        for stars in [-1, 6] { #expect(throws: LibraryError.self) { try library.rate(ids[0], stars: stars) } }
        try library.remove(ids[0])
        #expect(try test.sql("SELECT count(*) FROM ratings") == "1")
    }

    // MARK: Catalogues from before there was a trash

    @Test(arguments: [1, 3]) func anOlderCatalogueGetsATrash(_ version: Int) throws {
        let id = try addDeferred(to: test.open())
        try test.makeOlder(version)
        let library = try test.open()
        #expect(try library.photo(id).removed == nil && library.photo(id).rating == 0)
        try library.moveToTrash(id)
        try library.rate(id, stars: 4)
        #expect(try library.photos().isEmpty && library.photo(id).rating == 4)
    }

    /// There is no room to update the schema.
    @Test func anOlderCatalogueOnAFullDiskHasNone() throws {
        let id = try addDeferred(to: test.open())
        try test.makeOlder(3)
        let pages = try #require(Int(test.sql("PRAGMA page_count")))
        var options = LibraryOptions()
        (options.mayCreate, options.maxPages) = (false, pages)
        let library = try test.open(options)
        #expect(try test.sql("PRAGMA user_version") == "3")
        #expect(throws: LibraryError.noTrash(test.path)) { try library.moveToTrash(id) }
        #expect(throws: LibraryError.noTrash(test.path)) { try library.rate(id, stars: 1) }
        #expect(try library.photos().map(\.id) == [id] && library.trashed().isEmpty && library.lastTrashed().isEmpty)
        var page = LibraryPage()
        page.trashOnly = true
        #expect(try library.photos(page).isEmpty && library.summary().trashed == 0)
        try library.remove(id)
        #expect(try library.photos().isEmpty)
    }
}
