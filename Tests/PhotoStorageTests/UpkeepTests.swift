// SPDX-License-Identifier: MIT
// What is removed, and what stays, when photos are removed and kept frames are cleaned up; and exporting.

import Foundation
import LivecapFiles
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct UpkeepTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    /// Adds a deferred photo with frames in a separate file, and finishes it if asked.
    private func add(_ number: Int, finished: Bool, request: String = "{}") throws -> LibraryPhoto {
        let library = try test.open()
        let frames = try library.openBurst(greyHeader()).append([number])
        var new = newPhoto(later: .milliseconds(Int64(number)))
        new.request = request
        let photo = try library.addDeferred(new, proxy: [1], frames: frames)
        guard finished, let claim = try library.claimUnfinished(photo.id) else { return photo }
        return try library.finish(claim, [2], provenance: "{}")
    }

    private var burstCount: Int { test.places.count { $0.hasPrefix("bursts") } }

    @Test func aRemovedPhotoTakesItsFramesAlong() throws {
        let library = try test.open()
        let photos: [LibraryPhoto]
        do {
            let burst = try library.openBurst(greyHeader())
            photos = try [[1, 2], [2, 3]].map {
                try library.addDeferred(newPhoto(), proxy: [1], frames: burst.append($0))
            }
        }
        try library.remove(photos[0].id)
        #expect(throws: LibraryError.noSuchPhoto(photos[0].id)) { try library.photo(photos[0].id) }
        #expect(try library.frames(of: photos[1].id).map { try $0.bytes() } == [2, 3].map(greyBytes))
        #expect(try test.sql("SELECT count(*) FROM frames") == "2")
        #expect(test.places.filter { $0.hasPrefix("photos") } == [photos[1].file.place])
        try library.remove(photos[1].id)
        #expect(test.places == ["catalogue.sqlite"])
        for table in ["photos", "accounts", "thumbnails", "bursts", "frames", "uses"] {
            #expect(try test.sql("SELECT count(*) FROM \(table)") == "0", "\(table)")
        }
        #expect(throws: LibraryError.noSuchPhoto(photos[1].id)) { try library.remove(photos[1].id) }
        // Its number is not used again.
        #expect(try library.addFinished(newPhoto(), [1]).id > photos[1].id)
    }

    /// They show what the photo is without its effects. Requests may be anything.
    @Test func framesOfPhotosWithEffectsStay() throws {
        let requests = [
            #"{"settings":{"effects":"portrait=0.6"}}"#, #"{"settings":{"effects":null}}"#, "{", "", "[1]",
            #"{"settings":7}"#,
        ]
        let photos = try requests.enumerated().map { try add($0 + 1, finished: true, request: $1) }
        let library = try test.open()
        #expect(try library.cleanUp(CleanUpPolicy(age: .zero, budget: 0)).removedFiles == requests.count - 1)
        #expect(try photos.map { try library.photo($0.id).keptFrames } == [1, 0, 0, 0, 0, 0])
        #expect(burstCount == 1)
        try library.remove(photos[0].id)
        #expect(burstCount == 0)
    }

    /// A foreign object in the place of kept frames stays, and does not prevent the removal of anything else.
    @Test(arguments: [true, false]) func foreignObjectDoesNotBlockCleanUp(_ isLink: Bool) throws {
        let photos = try (1...2).map { try add($0, finished: true) }
        let library = try test.open()
        let burst = try #require(try library.frames(of: photos[0].id).first?.burst)
        let place = "\(test.path)/bursts/\(burst).lcap"
        try FileManager.default.removeItem(atPath: place)
        if isLink {
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "/etc/hostname")
        } else {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        }
        #expect(try library.cleanUp(CleanUpPolicy(age: .zero, budget: 0)).removedFiles == 1)
        try library.remove(photos[0].id)
        #expect(try library.photos().map(\.id) == [photos[1].id])
        #expect((try? FileManager.default.attributesOfItem(atPath: place)) != nil)
    }

    @Test func timesMayBeAnything() throws {
        _ = try add(1, finished: true)
        for time in [Int64.min, .max] {
            try test.sql("UPDATE photos SET added_utc_ns = \(time); UPDATE bursts SET made_utc_ns = \(time)")
            for now in [Int64.min, .max, 0] {
                _ = try test.open().cleanUp(CleanUpPolicy(age: .seconds(1e9)), at: CalendarTime(utcNanoseconds: now))
            }
        }
        #expect(try test.open().photos().count == 1)
    }

    @Test func aPhotoThatIsBeingFinishedStays() throws {
        let photo = try add(1, finished: false)
        let library = try test.open()
        do {
            guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
            #expect(throws: LibraryError.beingFinished(photo.id)) { try test.open().remove(photo.id) }
            _ = claim.photo
        }
        try library.remove(photo.id)
    }

    @Test func framesGoByAgeButNotThoseThatAreNeeded() throws {
        let needed = try add(1, finished: false)
        let finished = try add(2, finished: true)
        let library = try test.open()
        let inAWeek = finished.added.advanced(by: .seconds(7 * 24 * 3600))
        #expect(try library.cleanUp(at: inAWeek.advanced(by: .seconds(-1))).removedFiles == 0)
        let report = try library.cleanUp(at: inAWeek.advanced(by: .seconds(1)))
        #expect(report.removedFiles == 1 && report.leftFiles == 1 && burstCount == 1)
        #expect(try library.frames(of: finished.id).isEmpty && library.frames(of: needed.id).count == 1)
        #expect(try library.photo(finished.id).keptFrames == 0 && library.verify().problems.isEmpty)
    }

    @Test func framesGoByBudgetTheOldestFirst() throws {
        let photos = try (1...4).map { try add($0, finished: $0 != 2) }
        let library = try test.open()
        let bytes = try library.cleanUp().leftBytes
        #expect(bytes > 4 * greyFrames.byteCount)
        #expect(try library.cleanUp(CleanUpPolicy(budget: bytes)).removedFiles == 0)
        let report = try library.cleanUp(CleanUpPolicy(budget: bytes / 2))
        #expect(report.removedFiles == 2 && report.leftBytes == bytes / 2 && burstCount == 2)
        #expect(try photos.map { try library.frames(of: $0.id).count } == [0, 1, 0, 1])
        #expect(try library.cleanUp(CleanUpPolicy(budget: 0)).leftFiles == 1)
    }

    @Test func cleanUpAsksBeforeEachRemoval() throws {
        for number in 1...3 { _ = try add(number, finished: number != 1) }
        let library = try test.open()
        var asked = 0
        let report = try library.cleanUp(CleanUpPolicy(budget: 0)) {
            asked += 1
            return asked < 2
        }
        // Files that are still needed are not asked about.
        #expect(asked == 2 && report.removedFiles == 1 && report.leftFiles == 2 && burstCount == 2)
        #expect(try library.cleanUp(CleanUpPolicy(budget: 0)).leftFiles == 1)
    }

    @Test func framesOfALivingWriterStay() throws {
        let library = try test.open()
        let burst = try library.openBurst(greyHeader())
        _ = try library.addFinished(newPhoto(), [1], frames: burst.append([1]))
        #expect(try test.open().cleanUp(CleanUpPolicy(budget: 0)).removedFiles == 0)
        _ = try library.addDeferred(newPhoto(), proxy: [1], frames: burst.append([1, 2]))
        #expect(try library.verify().problems.isEmpty)
    }

    @Test func anExportIsACopyUnderANameOfItsOwn() throws {
        let photo = try add(1, finished: false)
        let library = try test.open()
        let named = try library.export(photo.id, to: test.folder)
        #expect(named.path == "\(test.folder)/2026-11-21-223015-043-1.proxy.jpg" && named.isProxy)
        #expect(FileManager.default.contents(atPath: named.path) == Data([1]))
        #expect(throws: LibraryError.alreadyThere(named.path)) { try library.export(photo.id, to: named.path) }
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        try library.finish(claim, [2, 2], provenance: "{}")
        #expect(try !library.export(photo.id, to: named.path, overwrite: true).isProxy)
        #expect(FileManager.default.contents(atPath: named.path) == Data([2, 2]))
    }

    @Test func aFailedPhotoIsTriedAgainOnlyByName() throws {
        let photo = try add(1, finished: false)
        let library = try test.open()
        do {
            guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
            try library.fail(claim, reason: "frame 1 is damaged")
        }
        #expect(try library.photo(photo.id).state == .failed(reason: "frame 1 is damaged"))
        #expect(try !library.isToBeFinished() && library.isToBeFinished(photo.id))
        #expect(try library.cleanUp(CleanUpPolicy(budget: 0)).leftFiles == 1)
        #expect(try library.photos(LibraryPage(unfinishedOnly: true)).map(\.id) == [photo.id])
        guard let claim = try library.claimUnfinished(photo.id) else { throw NothingToFinish() }
        #expect(try library.finish(claim, [2], provenance: "{}").state == .finished)
    }
}
