// SPDX-License-Identifier: MIT
// Damaged, foreign or malicious libraries are refused or reported, and no link is followed.

import Foundation
import LivecapFiles
import LivecapFrames
import Testing

@testable import LivecapPhotoStorage

@Suite struct HostileLibraryTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    private func link(_ place: String, to target: String) throws {
        try? FileManager.default.removeItem(atPath: "\(test.path)/\(place)")
        try FileManager.default.createSymbolicLink(
            atPath: "\(test.path)/\(place)", withDestinationPath: target)
    }

    /// A library with a finished and a deferred photo.
    private func filled() throws -> (finished: LibraryPhoto, deferred: LibraryPhoto) {
        let library = try test.open()
        let frames = try library.openBurst(greyHeader()).append([1, 2])
        return (
            try library.addFinished(newPhoto(), [7, 8, 9]),
            try library.addDeferred(newPhoto(later: .milliseconds(1)), proxy: [1, 2], frames: frames)
        )
    }

    private func flip(_ place: String, at offset: Int) throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: "\(test.path)/\(place)"))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        let byte = try #require(handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data([byte ^ 0xFF]))
    }

    // MARK: Finals

    private func finish(_ library: PhotoLibrary, _ bytes: [UInt8]) throws -> LibraryPhoto {
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        return try library.finish(claim, bytes, provenance: "{}")
    }

    @Test func finalDoesNotReplaceAUsersFile() throws {
        let deferred = try filled().deferred
        let stem = deferred.finalPath.dropLast("1.jpg".count)
        for number in 1...2 {
            let place = "\(test.path)/\(stem)\(number).jpg"
            #expect(FileManager.default.createFile(atPath: place, contents: Data("mine".utf8)))
        }
        let library = try test.open()
        let photo = try finish(library, [5, 6])
        #expect(photo.file.place == "\(stem)3.jpg" && test.bytes(photo.file.place) == [5, 6])
        _ = try test.open()
        for number in 1...2 { #expect(test.bytes("\(stem)\(number).jpg") == Array("mine".utf8)) }
        #expect(test.bytes(deferred.file.place) == nil)
        #expect(try library.verify().unlisted.count == 2)
    }

    @Test func aFinalsFolderIsMadeAgain() throws {
        let deferred = try filled().deferred
        try FileManager.default.removeItem(atPath: "\(test.path)/photos")
        let photo = try finish(test.open(), [5, 6])
        #expect(photo.file.place == deferred.finalPath && test.bytes(photo.file.place) == [5, 6])
    }

    @Test(arguments: ["../evil.jpg", "bursts/x.lcap", "/tmp/evil.jpg"])
    func aFinalsPlaceIsOneOfAPhoto(_ place: String) throws {
        let deferred = try filled().deferred
        try test.sql("UPDATE photos SET final_place = '\(place)' WHERE id = \(deferred.id)")
        let library = try test.open()
        #expect(try library.verify().problems.map(\.kind) == [.unsafe])
        #expect(throws: LibraryError.self) { try finish(library, [5]) }
    }

    /// The place of a proxy was changed in the catalogue: finishing must not remove any other file.
    @Test func finishingRemovesNothingButAProxy() throws {
        let (finished, deferred) = try filled()
        let burst = try #require(test.places.first { $0.hasPrefix("bursts") })
        for place in [burst, finished.file.place] {
            try test.sql(
                "UPDATE photos SET state = 1, proxy_bytes = 1, proxy_checksum = 1, proxy_place = '\(place)' WHERE id = \(deferred.id)"
            )
            _ = try finish(test.open(), [5])
            #expect(test.places.contains(burst) && test.bytes(finished.file.place) == [7, 8, 9])
        }
    }

    // MARK: As a whole

    @Test func whatIsNoLibraryIsRefusedAndLeftAsItIs() throws {
        let files = FileManager.default
        var mayNot = LibraryOptions()
        mayNot.mayCreate = false
        #expect(throws: LibraryError.noLibrary(test.path)) { try test.open(mayNot) }
        #expect(!files.fileExists(atPath: test.path))

        try files.createDirectory(atPath: test.path, withIntermediateDirectories: true)
        #expect(throws: LibraryError.noLibrary(test.path)) { try test.open(mayNot) }
        #expect(files.createFile(atPath: "\(test.path)/letter.txt", contents: Data([1])))
        #expect(throws: LibraryError.notALibrary(test.path, detail: "it has no catalogue and is not empty")) {
            try test.open()
        }
        #expect(throws: LibraryError.self) { try PhotoLibrary("\(test.path)/letter.txt") }
        try files.removeItem(atPath: "\(test.path)/letter.txt")
        _ = try test.open()
    }

    @Test func aLinkIsNoLibrary() throws {
        _ = try filled()
        let link = "\(test.folder)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: test.path)
        for end in ["", "/", "//", "/.", "/./"] {
            #expect(throws: LibraryError.unsafePath(link, detail: "it is a symbolic link")) {
                try PhotoLibrary(link + end)
            }
        }
        let named = try PhotoLibrary(test.path + "//").photos()
        #expect(named.allSatisfy { $0.path == "\(test.path)/\($0.file.place)" } && named.count == 2)
        // A symbolic link in a parent folder is the user's decision and is followed.
        let above = "\(test.folder)-above"
        try FileManager.default.createSymbolicLink(atPath: above, withDestinationPath: test.folder)
        defer { try? FileManager.default.removeItem(atPath: above) }
        #expect(try PhotoLibrary("\(above)/library").photos().count == 2)
    }

    @Test func anotherProgramsDatabaseIsLeftAlone() throws {
        try FileManager.default.createDirectory(atPath: test.path, withIntermediateDirectories: true)
        try test.sql("CREATE TABLE bookmarks (id); PRAGMA journal_mode = DELETE")
        let before = test.bytes("catalogue.sqlite")
        #expect(
            throws: LibraryError.notALibrary(
                "\(test.path)/catalogue.sqlite", detail: "its catalogue is another program's database")
        ) { try test.open() }
        #expect(test.bytes("catalogue.sqlite") == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.path) == ["catalogue.sqlite"])
    }

    @Test func aFolderThatIsRefusedStaysWhatItIs() throws {
        try FileManager.default.createDirectory(atPath: test.path, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: "\(test.path)/letter.txt"))
        #expect(throws: LibraryError.self) { try test.open() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.path) == ["letter.txt"])
    }

    @Test func aNewerSchemaIsLeftAlone() throws {
        _ = try filled()
        try test.sql("PRAGMA user_version = \(Schema.version + 1)")
        #expect(
            throws: LibraryError.newerSchema(
                "\(test.path)/catalogue.sqlite", found: Schema.version + 1, known: Schema.version)
        ) { try test.open() }
    }

    @Test func aCatalogueOfOtherTablesIsDamaged() throws {
        _ = try filled()
        try test.sql("DROP TABLE thumbnails; CREATE TABLE thumbnails (a)")
        let library = try test.open()
        #expect(throws: LibraryError.self) { try library.thumbnail(of: PhotoID(number: 1)) }
        #expect(throws: LibraryError.self) { try library.addFinished(newPhoto(), [1]) }
        #expect(try library.photos().count == 2)
    }

    @Test func damageToTheCatalogueIsTold() throws {
        _ = try filled()
        try test.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        let path = "\(test.path)/catalogue.sqlite"
        var bytes = try #require(test.bytes("catalogue.sqlite"))
        for place in stride(from: 5000, to: bytes.count, by: 7) { bytes[place] ^= 0x55 }
        try Data(bytes).write(to: URL(filePath: path))
        do throws(LibraryError) {
            let library = try test.open()
            let problems = try library.verify().problems
            #expect(problems.contains { $0.kind == .catalogue })
        } catch {
            guard case .damagedCatalogue(path, _) = error else {
                Issue.record(error)
                return
            }
        }
        try Data(repeating: 7, count: 8192).write(to: URL(filePath: path))
        #expect(throws: LibraryError.notALibrary(path, detail: "its catalogue is not an SQLite database")) {
            try test.open()
        }
    }

    @Test func linksInPlaceOfSQLitesFilesAreNotFollowed() throws {
        _ = try filled()
        let elsewhere = "\(test.folder)/elsewhere"
        for name in ["catalogue.sqlite", "catalogue.sqlite-wal", "catalogue.sqlite-shm", "lock"] {
            #expect(FileManager.default.createFile(atPath: elsewhere, contents: nil))
            try link(name, to: elsewhere)
            #expect(throws: LibraryError.self, "\(name)") { try test.open() }
            #expect(FileManager.default.contents(atPath: elsewhere)?.isEmpty == true, "\(name)")
            try FileManager.default.removeItem(atPath: "\(test.path)/\(name)")
        }
    }

    // MARK: Its files

    @Test func damageIsFoundWhereverItIs() throws {
        let (finished, deferred) = try filled()
        let burst = try #require(test.places.first { $0.hasPrefix("bursts") })
        let frame = try test.open().frames(of: deferred.id)[1]
        let places = [(finished.file.place, 1), (deferred.file.place, 0), (burst, 500), (burst, 3300), (burst, 40)]
        for (place, offset) in places {
            try flip(place, at: offset)
            let problems = try test.open().verify().problems
            #expect(!problems.isEmpty && problems.allSatisfy { $0.kind == .damaged && $0.place == place }, "\(place)")
            try flip(place, at: offset)
            #expect(try test.open().verify().problems.isEmpty)
        }
        try flip(burst, at: 3300 + 64)
        #expect(throws: LibraryError.self) { try frame.bytes() }
    }

    @Test func whatIsMissingOrLongerIsFound() throws {
        let (finished, deferred) = try filled()
        let library = try test.open()
        let handle = try #require(FileHandle(forWritingAtPath: finished.path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([1]))
        try handle.close()
        try FileManager.default.removeItem(atPath: deferred.path)
        let burst = try #require(test.places.first { $0.hasPrefix("bursts") })
        try FileManager.default.removeItem(atPath: "\(test.path)/\(burst)")
        let report = try library.verify()
        #expect(report.problems.map(\.kind) == [.damaged, .missing, .missing])
        #expect(throws: LibraryError.missing("\(test.path)/\(burst)")) { try library.frames(of: deferred.id) }
        #expect(throws: LibraryError.remakeable(deferred.id, .missing(deferred.path))) {
            try library.export(deferred.id, to: "\(test.folder)/out.jpg")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(test.folder)/out.jpg"))
    }

    @Test func linksInTheTreeAreNotFollowed() throws {
        let (finished, deferred) = try filled()
        let secret = "\(test.folder)/secret"
        #expect(FileManager.default.createFile(atPath: secret, contents: Data([7, 8, 9])))
        try link(finished.file.place, to: secret)
        let burst = try #require(test.places.first { $0.hasPrefix("bursts") })
        try FileManager.default.moveItem(atPath: "\(test.path)/\(burst)", toPath: "\(test.folder)/burst")
        try link(burst, to: "\(test.folder)/burst")
        let library = try test.open()
        #expect(try library.verify().problems.map(\.kind) == [.unsafe, .unsafe])
        #expect(throws: LibraryError.self) { try library.export(finished.id, to: "\(test.folder)/out.jpg") }
        #expect(throws: LibraryError.self) { try library.frames(of: deferred.id) }
        // Removing the photo removes only the link.
        try library.remove(finished.id)
        #expect(FileManager.default.contents(atPath: secret) == Data([7, 8, 9]))
    }

    @Test(arguments: ["photos", "photos/2026-11-21", "bursts"]) func foldersThatAreLinks(_ place: String) throws {
        let (_, deferred) = try filled()
        let elsewhere = "\(test.folder)/elsewhere"
        try FileManager.default.moveItem(atPath: "\(test.path)/\(place)", toPath: elsewhere)
        try link(place, to: elsewhere)
        let before = try FileManager.default.contentsOfDirectory(atPath: elsewhere)
        do throws(LibraryError) {
            let library = try test.open()
            #expect(throws: LibraryError.self) { try library.remove(deferred.id) }
            #expect(throws: LibraryError.self) {
                try library.addDeferred(
                    newPhoto(), proxy: [1], frames: library.openBurst(greyHeader()).append([1]))
            }
            #expect(try library.verify().problems.contains { $0.kind == .unsafe })
        } catch {
            guard case .unsafePath = error else { throw error }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere) == before)
    }

    @Test(arguments: [
        "../secret", "photos/../../secret", "/etc/passwd", "photos/x/../../../secret", "", "photos//secret",
        "catalogue.sqlite", "bursts/x", "photos/2026-11-21/..",
    ]) func placesThatLeadElsewhere(_ place: String) throws {
        let (finished, deferred) = try filled()
        let secret = "\(test.folder)/secret"
        #expect(FileManager.default.createFile(atPath: secret, contents: Data([7, 8, 9])))
        try test.sql("UPDATE photos SET final_place = '\(place)' WHERE id = \(finished.id)")
        try test.sql("UPDATE photos SET final_place = '\(place)x', proxy_place = '\(place)' WHERE id = \(deferred.id)")
        let library = try test.open()
        let problems = try library.verify().problems
        #expect(problems.allSatisfy { $0.kind == .unsafe } && Set(problems.map(\.photo)) == [finished.id, deferred.id])
        for id in [finished.id, deferred.id] {
            #expect(throws: LibraryError.self) { try library.export(id, to: "\(test.folder)/out.jpg") }
            #expect(throws: LibraryError.self) { try library.openFile(of: id, compared: false) }
            #expect(throws: LibraryError.self) { try library.remove(id) }
        }
        #expect(FileManager.default.contents(atPath: secret) == Data([7, 8, 9]))
        #expect(test.bytes("catalogue.sqlite") != nil)
    }

    @Test("A photo's file is opened only if it is a regular one of the catalogue's size")
    func onlyItsOwnFileIsOpened() throws {
        let finished = try filled().finished
        let library = try test.open()
        let opened = try library.openFile(of: finished.id, compared: true)
        close(opened.descriptor)
        #expect(opened.photo == finished)
        try flip(finished.file.place, at: 1)
        let wrongChecksum = LibraryError.damaged(finished.path, detail: "it has a wrong checksum")
        #expect(throws: wrongChecksum) { try library.openFile(of: finished.id, compared: true) }
        for size in [2, 4] {
            try Data(repeating: 7, count: size).write(to: URL(filePath: finished.path))
            let detail = "it has \(size > 3 ? "more" : "fewer") bytes than it had"
            #expect(throws: LibraryError.damaged(finished.path, detail: detail)) {
                try library.openFile(of: finished.id, compared: false)
            }
        }
        try FileManager.default.removeItem(atPath: finished.path)
        try #require(mkfifo(finished.path, 0o600) == 0)
        #expect(throws: LibraryError.unsafePath(finished.path, detail: "not a regular file")) {
            try library.openFile(of: finished.id, compared: false)
        }
    }

    @Test func triggersOfACatalogueDoNothing() throws {
        _ = try filled()
        try test.sql("CREATE TRIGGER evil AFTER INSERT ON photos BEGIN DELETE FROM photos; END")
        let library = try test.open()
        _ = try library.addFinished(newPhoto(), [1])
        #expect(try library.photos().count == 3)
    }

    /// Including changes that SQLite does not detect, because it trusts the values of rows it can read.
    @Test func changedBytesOfACatalogueTrapNobody() throws {
        let (finished, deferred) = try filled()
        try test.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        let bytes = try #require(test.bytes("catalogue.sqlite"))
        // Only pages of rows. Changes to those of the schema are refused early.
        let rows = 4096..<bytes.count
        let begun = UInt64.random(in: 1 ... .max)
        var state = begun
        func random(_ count: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(count))
        }
        var opened = 0
        for round in 0..<100 {
            var changed = bytes
            for _ in 0...random(8) { changed[rows.lowerBound + random(rows.count)] = UInt8(random(256)) }
            let path = "\(test.path)/catalogue.sqlite"
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try Data(changed).write(to: URL(filePath: path))
            // An error of the library or a result is fine. Anything else ends the test.
            do throws(LibraryError) {
                let library = try test.open()
                opened += 1
                _ = try library.verify()
                for photo in try library.photos() { _ = "\(photo.taken) \(photo.lag) \(photo.state)" }
                for id in [finished.id, deferred.id] {
                    _ = try library.account(of: id)
                    _ = try library.frames(of: id)
                }
            } catch {
                #expect(!error.message.isEmpty, "seed \(begun), round \(round)")
            }
        }
        #expect(opened > 0, "seed \(begun)")
    }

    @Test func rowsThatMakeNoSenseTrapNobody() throws {
        let (_, deferred) = try filled()
        for change in [
            "UPDATE frames SET start = -1", "UPDATE frames SET start = 9223372036854775807",
            "UPDATE frames SET start = 10, bytes = 268435456", "UPDATE frames SET bytes = -5",
            "UPDATE frames SET epoch = -1, counter = -1", "UPDATE frames SET checksum = 0",
        ] {
            let copy = try TestLibrary()
            try FileManager.default.copyItem(atPath: test.path, toPath: copy.path)
            try copy.sql(change)
            let library = try copy.open()
            #expect(throws: LibraryError.self, "\(change)") { try library.frames(of: deferred.id) }
            #expect(try !library.verify().problems.isEmpty, "\(change)")
        }
        try test.sql(
            """
            UPDATE photos SET width = -1, height = 9223372036854775807, taken_utc_ns = -9223372036854775808,
                zone_offset_s = 9223372036854775807, final_bytes = -1, proxy_bytes = -1;
            UPDATE accounts SET request = '{', provenance = ''
            """)
        let library = try test.open()
        #expect(try library.photos().count == 2 && library.verify().problems.count == 6)
    }
}
