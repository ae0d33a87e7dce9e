// SPDX-License-Identifier: MIT
// Photos added to a library are in it, complete, and found again.

import Foundation
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct AddingTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    @Test func aFinishedPhotoIsAFileNamedAfterItsMoment() throws {
        let library = try test.open()
        let photo = try library.addFinished(newPhoto(), [7, 8, 9])
        #expect(photo.state == .finished && !photo.isProxy && photo.id == PhotoID(number: 1))
        #expect(photo.path == "\(test.path)/photos/2026-11-21/223015-042-1.jpg")
        #expect(test.bytes("photos/2026-11-21/223015-042-1.jpg") == [7, 8, 9])
        #expect(try library.photo(photo.id) == photo)
        #expect(try test.open().photo(photo.id) == photo)
        #expect(try test.sql("PRAGMA integrity_check") == "ok")
    }

    @Test func aDeferredPhotoIsItsProxyUntilItIsFinished() throws {
        let library = try test.open()
        let frames = try library.openBurst(greyHeader()).append([1, 2])
        let added = try library.addDeferred(newPhoto(format: .heic), proxy: [1, 1], frames: frames)
        #expect(added.state == .deferred && added.isProxy && added.keptFrames == 2)
        #expect(added.path.hasSuffix("/223015-042-1.proxy.jpg") && added.finalPath.hasSuffix("/223015-042-1.heic"))

        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        #expect(claim.photo == added && claim.account.request == #"{"frames":2}"#)
        let finished = try library.finish(claim, [5, 5, 5], provenance: #"{"made":"final"}"#)
        #expect(finished.state == .finished && finished.finished != nil && finished.keptFrames == 2)
        #expect(test.places.filter { $0.hasPrefix("photos") } == ["photos/2026-11-21/223015-042-1.heic"])
        #expect(test.bytes(finished.file.place) == [5, 5, 5])
        #expect(try library.account(of: added.id).provenance == #"{"made":"final"}"#)
        #expect(try !library.isToBeFinished() && !library.isToBeFinished(added.id))
    }

    @Test func numbersAreSetAside() throws {
        let library = try test.open()
        var photo = newPhoto()
        photo.number = try #require(try library.reserveNumbers(2)).first
        #expect(try library.addFinished(newPhoto(), [1]).id == PhotoID(number: 3))
        #expect(try library.addFinished(photo, [1]).id == PhotoID(number: 1))
        #expect(try test.open().addFinished(newPhoto(), [1]).id == PhotoID(number: 4))
        #expect(try library.reserveNumbers(1) == [PhotoID(number: 5)])
        #expect(try test.sql("PRAGMA integrity_check") == "ok")
    }

    @Test(arguments: [0, 1, 2, 3, 9_999, 10_000])
    func aFreeNumberIsFoundByFewLooks(taken: Int) {
        var looks = 0
        let free = PhotoNames.free(from: 1) {
            looks += 1
            return $0 <= taken
        }
        #expect(free == taken + 1)
        #expect(looks <= 2 * taken.bitWidth - 2 * taken.leadingZeroBitCount + 1)
    }

    @Test func aNumberThatIsTakenIsNeverCalledFree() {
        let taken: Set = [1, 2, 4, 5, 7, 8, 9, 16, 17, 40]
        for first in 1...50 { #expect(!taken.contains(PhotoNames.free(from: first, isTaken: taken.contains))) }
    }

    @Test func thereIsAnEndToNumbers() throws {
        let library = try test.open()
        _ = try library.addFinished(newPhoto(), [1])
        try test.sql("UPDATE sqlite_sequence SET seq = 9223372036854775806")
        #expect(try library.reserveNumbers(2) == nil)
    }

    @Test func photosOfTheSameMillisecondHaveNamesOfTheirOwn() throws {
        let library = try test.open()
        let frames = try library.openBurst(greyHeader()).append([1])
        for _ in 0..<2 {
            _ = try library.addFinished(newPhoto(), [1])
            _ = try library.addDeferred(newPhoto(), proxy: [2], frames: frames)
        }
        #expect(
            test.places.filter { $0.hasPrefix("photos") }.map { $0.dropFirst(18) } == [
                "223015-042-1.jpg", "223015-042-2.proxy.jpg", "223015-042-3.jpg", "223015-042-4.proxy.jpg",
            ])
        while let claim = try library.claimUnfinished() { try library.finish(claim, [3], provenance: "{}") }
        #expect(try library.photos().map(\.finalPath).count == 4)
        #expect(Set(test.places.compactMap { test.bytes($0) }.filter { $0.count == 1 }.map { $0[0] }) == [1, 3])
    }

    @Test func aFrameOfSeveralPhotosIsKeptOnce() throws {
        let library = try test.open()
        let burst = try library.openBurst(greyHeader())
        let first = try library.addDeferred(newPhoto(), proxy: [1], frames: burst.append([1, 2, 3]))
        let second = try library.addDeferred(newPhoto(), proxy: [1], frames: burst.append([3, 2, 4]))
        #expect(try test.sql("SELECT count(*) FROM frames") == "4")
        for (id, numbers) in [(first.id, [1, 2, 3]), (second.id, [3, 2, 4])] {
            let frames = try library.frames(of: id)
            #expect(frames.map(\.metadata) == numbers.map(greyMetadata))
            #expect(try frames.map { try $0.bytes() } == numbers.map(greyBytes))
            #expect(frames.allSatisfy { $0.header.format == greyFrames && $0.header.name == "test" })
        }
    }

    @Test func filesOfKeptFramesAreDumps() throws {
        let place: String
        do {
            let library = try test.open()
            let frames = try library.openBurst(greyHeader()).append([1, 2, 3])
            _ = try library.addDeferred(newPhoto(), proxy: [1], frames: frames)
            place = "\(test.path)/bursts/\(frames[0].burst).lcap"
            // While the file grows, and after it has received its index.
            #expect(try DumpReader(place).frameCount == 3)
        }
        let dump = try DumpReader(place)
        #expect(dump.frameCount == 3 && dump.health.index == .intact && dump.metadata(1) == greyMetadata(2))
    }

    @Test func aFullFileOfKeptFramesIsFollowedByAnother() throws {
        var options = LibraryOptions()
        options.burstBytes = 2 * greyFrames.byteCount
        let library = try test.open(options)
        let burst = try library.openBurst(greyHeader())
        let frames = try burst.append([1, 2, 3, 4, 5])
        #expect(Set(frames.map(\.burst)).count == 3)
        // Frames in the previous file are not kept again, either.
        #expect(try burst.append([3, 4, 5]) == Array(frames[2...]))
        let photo = try library.addDeferred(newPhoto(), proxy: [1], frames: frames)
        #expect(try library.frames(of: photo.id).map { try $0.bytes() } == [1, 2, 3, 4, 5].map(greyBytes))
    }

    @Test func pagesGoFromTheNewestToTheOldest() throws {
        let library = try test.open()
        let times = [3, 1, 4, 1, 5, 9, 2, 6].map { Duration.milliseconds($0) }
        for time in times { _ = try library.addFinished(newPhoto(later: time), [0]) }
        var seen: [LibraryPhoto] = []
        while true {
            let page = try library.photos(LibraryPage(limit: 3, after: seen.last?.id))
            if page.isEmpty { break }
            seen += page
        }
        #expect(seen.map { $0.id.number } == [6, 8, 5, 3, 1, 7, 4, 2])
    }

    @Test func aPhotoThatMakesNoSenseIsRefused() throws {
        let library = try test.open()
        #expect(throws: LibraryError.self) { try library.addDeferred(newPhoto(), proxy: [1], frames: []) }
        #expect(try library.photos().isEmpty)
    }
}
