// SPDX-License-Identifier: MIT
// `livecap library`: what it lists, shows, exports, verifies and removes, and its errors.

import Foundation
import LivecapFrameFiles
import LivecapFrames
import LivecapPhotoStorage
import Testing

@Suite struct LibraryTests {
    private let files: Scratch
    private var folder: String { files.path("library") }

    init() throws { files = try Scratch() }

    private func run(_ words: String...) throws -> Outcome {
        try RunningLivecap(["library"] + words + ["--library", folder]).finish()
    }

    /// Makes a library with `count` photos, a millisecond apart, of which the last one is deferred, and the first one
    /// has a mask if one is given.
    private func fill(_ count: Int, mask: [UInt8]? = nil) throws {
        let library = try PhotoLibrary(folder)
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 8))
        let burst = try library.openBurst(
            DumpHeader(
                of: SourceDescription(
                    name: "test", identity: "test", format: format, rate: nil, clock: .own, firstTime: nil,
                    frameCount: nil)))
        for number in 1...count {
            var photo = NewPhoto(
                tap: Timestamp(nanoseconds: 1_000_000), reference: Timestamp(nanoseconds: 3_500_000),
                taken: CalendarTime(
                    utcNanoseconds: 1_795_293_015_042_000_000 + Int64(number) * 1_000_000, zoneOffsetSeconds: -9000),
                format: .jpeg, size: format.size, qualityAsked: .quality, qualityGiven: .balanced,
                request: #"{"frames":8}"#, provenance: #"{"shot":1}"#)
            photo.mask = number == 1 ? mask : nil
            guard number == count else {
                _ = try library.addFinished(photo, [1, 2, 3])
                continue
            }
            let bytes = [UInt8](repeating: 9, count: format.byteCount)
            let frame = try bytes.withUnsafeBytes {
                try burst.append(FrameMetadata(time: .zero, byteCount: bytes.count), $0)
            }
            _ = try library.addDeferred(photo, proxy: [4, 5], frames: [frame])
        }
    }

    @Test func aPhotoThatIsGoneIsNotCalledFinished() throws {
        try fill(2)
        for place in ["180015-043-1.jpg", "180015-044-1.proxy.jpg"] {
            try FileManager.default.removeItem(atPath: "\(folder)/photos/2026-11-21/\(place)")
        }
        let finished = try run("finish", "1")
        #expect(finished.status == 65 && finished.errors.contains("is missing"), "\(finished.errors)")
        #expect(!finished.errors.contains("already finished"), "\(finished.errors)")
        // The second has its frames.
        let exported = try run("export", "2", "-o", files.path("b.jpg"))
        #expect(exported.status == 65 && exported.errors.contains("'livecap library finish 2'"), "\(exported.errors)")
        #expect(!exported.errors.contains("backup"), "\(exported.errors)")
    }

    @Test func aListHasTheNewestFirstAndGoesOnByPages() throws {
        try fill(5)
        let first = try run("list", "--limit", "3", "--json")
        #expect(first.status == 0 && first.errors.contains("--after 3"))
        #expect(try first.objects.map { $0["id"] as? Int } == [5, 4, 3])
        let newest = try first.objects[0]
        #expect(newest["state"] as? String == "deferred" && newest["proxy"] as? Bool == true)
        #expect(newest["taken"] as? String == "2026-11-21T18:00:15.047-02:30")
        #expect(newest["file"] as? String == "\(folder)/photos/2026-11-21/180015-047-1.proxy.jpg")
        #expect(newest["lagMs"] as? Double == 2.5 && newest["keptFrames"] as? Int == 1)
        let second = try run("list", "--limit", "3", "--after", "3")
        #expect(second.output.split(separator: "\n").count == 2 && !second.errors.contains("more photos"))
        #expect(second.output.contains("     2  2026-11-21 18:00:15  16x8  balanced  3 B  \(folder)/photos/"))
        #expect(try first.objects[0]["keptBytes"] as? Int == 128)
        #expect(try run("list", "--unfinished", "--json").objects.map { $0["id"] as? Int } == [5])
    }

    @Test func aPhotoIsShownWithItsFrames() throws {
        try fill(2)
        let object = try run("show", "2", "--json").object
        #expect((object["request"] as? [String: Int]) == ["frames": 8])
        #expect((object["provenance"] as? [String: Int]) == ["shot": 1])
        #expect((object["frames"] as? [[String: Any]])?.first?["bytes"] as? Int == 128)
        let words = try run("show", "2").output
        #expect(words.contains("balanced instead of the requested quality") && words.contains("1 source frame kept"))
    }

    @Test func anExportSaysWhetherItIsAProxy() throws {
        try fill(2)
        let target = files.path("out") + "/"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        let exported = try run("export", "1", "2", "-o", target, "--json").objects
        #expect(exported.map { $0["proxy"] as? Bool } == [false, true])
        #expect(exported[0]["file"] as? String == "\(target)2026-11-21-180015-043-1.jpg")
        #expect(FileManager.default.contents(atPath: "\(target)2026-11-21-180015-043-1.jpg") == Data([1, 2, 3]))
        let again = try run("export", "1", "-o", target)
        #expect(again.status == 73 && again.errors.contains("already exists"))
        #expect(try run("export", "1", "-o", target, "--overwrite").status == 0)
        #expect(try run("export", "1", "2", "-o", files.path("one.jpg")).status == 64)
    }

    @Test func aMaskIsToldAndCopied() throws {
        try fill(2, mask: [5, 6])
        #expect(try run("list", "--json").objects.map { $0["hasMask"] as? Bool } == [false, true])
        #expect(try run("show", "1", "--json").object["hasMask"] as? Bool == true)
        #expect(try run("show", "1").output.contains("'livecap library mask 1'"))
        #expect(try !run("show", "2").output.contains("mask"))
        let one = try run("mask", "1", "-o", files.path("one.png"), "--json")
        #expect(one.status == 0, "\(one.errors)")
        #expect(try one.object["file"] as? String == files.path("one.png") && one.object["bytes"] as? Int == 2)
        #expect(try files.bytes("one.png") == [5, 6])
        let folder = files.path("masks") + "/"
        let both = try run("mask", "1-", "-o", folder)
        #expect(both.status == 66 && both.output == "\(folder)2026-11-21-180015-043-1.mask.png\n", "\(both.output)")
        #expect(both.errors.contains("photo 2 has no mask") && both.errors.contains("develop"), "\(both.errors)")
        #expect(try run("mask", "2", "--json").object["code"] as? String == "no-mask")
        #expect(try run("mask", "1", "-o", files.path("one.png")).status == 73)
        #expect(try run("mask").status == 64)
        #expect(try run("mask", "1", "-o", files.path("x.jpg")).status == 64)
        #expect(try run("mask", "1", "2", "-o", files.path("x.png")).status == 64)
    }

    @Test func damageIsFoundAndNamed() throws {
        try fill(3)
        let sound = try run("verify", "--json")
        #expect(sound.status == 0)
        #expect(try sound.object["intact"] as? Bool == true && sound.object["frames"] as? Int == 1)
        let photo = "\(folder)/photos/2026-11-21/180015-044-1.jpg"
        try Data([1, 2, 4]).write(to: URL(filePath: photo))
        let damaged = try run("verify", "--json")
        #expect(damaged.status == 65)
        let objects = try damaged.objects
        #expect(objects.count == 2 && objects[0]["problem"] as? String == "damaged" && objects[0]["photo"] as? Int == 2)
        #expect(objects[1]["intact"] as? Bool == false)
        #expect(
            try run("verify").output.contains("photo 2, photos/2026-11-21/180015-044-1.jpg: it has a wrong checksum"))
    }

    @Test func whatIsRemovedIsGone() throws {
        try fill(3)
        #expect(try run("remove", "--for-good", "1", "3").output == "removed photo 1\nremoved photo 3\n")
        #expect(try run("list", "--json").objects.map { $0["id"] as? Int } == [2])
        let gone = try run("show", "3", "--json")
        #expect(gone.status == 66)
        #expect(try gone.object["code"] as? String == "no-such-photo")
        #expect(try run("clean", "--json").object["leftFiles"] as? Int == 0)
    }

    @Test func whatMakesNoSenseIsRefused() throws {
        let none = try run("list", "--json")
        #expect(none.status == 66)
        #expect(try none.object["code"] as? String == "no-library")
        #expect(!FileManager.default.fileExists(atPath: folder))
        for words in [["show"], ["list", "3"], ["remove", "x"], ["burn"], []] {
            #expect(try RunningLivecap(["library"] + words).finish().status == 64, "\(words)")
        }
    }

    private func sql(_ sql: String) throws {
        #expect(try LivecapTests.run("sqlite3", ["\(folder)/catalogue.sqlite", sql]) == 0)
    }

    @Test func aListGoesOnBehindAPhotoThatWasRemoved() throws {
        try fill(5)
        #expect(try run("remove", "4", "1").status == 0)
        #expect(try run("list", "--after", "4", "--json").objects.map { $0["id"] as? Int } == [3, 2])
        #expect(try run("list", "--after", "1", "--json").objects.isEmpty)
        #expect(try run("list", "--after", "6").status == 66)
    }

    @Test func whatIsFinishedIsToldAsWell() throws {
        try fill(2)
        let object = try run("finish", "1", "--json").objects.first
        #expect(object?["id"] as? Int == 1 && object?["state"] as? String == "finished")
    }

    @Test func anExportIsNamedAsPicturesOfShootAre() throws {
        try fill(2)
        let new = files.path("new") + "/"
        #expect(try run("export", "1", "-o", new).output == "\(new)2026-11-21-180015-043-1.jpg\n")
        let again = try run("export", "1", "-o", new)
        #expect(again.status == 73 && again.errors.contains("--overwrite replaces it"))
        for name in ["x.png", "x.heic", "x.webp"] {
            #expect(try run("export", "1", "-o", files.path(name)).status == 64)
        }
        #expect(try run("export", "1", "-o", "/sys/x.jpg").status == 73)
        #expect(try run("export", "1", "-o", "/sys/livecap/").status == 73)
        #expect(try run("export", "1", "-o", files.path("none/x.jpg")).status == 73)
    }

    @Test func anExportOfASizeIsAJPEGPicture() throws {
        let shot = try RunningLivecap([
            "shoot", "--synthetic", "tripod", "--size", "64x48", "--format", "png", "--rotate", "90", "--library",
            folder,
        ]).finish()
        try #require(shot.status == 0, "\(shot.errors)")
        let small = files.path("small") + "/"
        let object = try #require(try run("export", "1", "--fit", "20x20", "-o", small, "--json").objects.first)
        #expect(object["size"] as? String == "15x20" && object["proxy"] as? Bool == false)
        let file = try #require(object["file"] as? String)
        #expect(file.hasPrefix(small) && file.hasSuffix(".jpg"))
        #expect(FileManager.default.contents(atPath: file)?.prefix(2) == Data([0xFF, 0xD8]))
        let filled = try run("export", "1", "--fill", "20x20", "-o", files.path("x.jpeg"), "--json")
        #expect(try filled.objects.first?["size"] as? String == "20x20", "\(filled.errors)")
        let other = try run("export", "1", "--fit", "20x20", "-o", files.path("x.png"))
        #expect(other.status == 64 && other.errors.contains(".jpg"), "\(other.errors)")
        #expect(try run("export", "1", "--fill", "9x9", "--fit", "9x9", "-o", small).status == 64)
        #expect(try run("export", "1", "--fit", "0x20", "-o", small).status == 64)
    }

    @Test func aDamagedPhotoHasNoPictureOfASize() throws {
        try fill(2)
        let outcome = try run("export", "1", "--fit", "20x20", "-o", files.path("x.jpg"))
        #expect(outcome.status == 65 && outcome.errors.contains("cannot be decoded"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: files.path("x.jpg")))
        // The other one's proxy is no picture either; each is reported, and none ends the command.
        let both = try run("export", "--all", "--fit", "20x20", "-o", files.path("all") + "/")
        #expect(
            both.status == 65 && both.errors.contains("photo 1") && both.errors.contains("photo 2"), "\(both.errors)")
    }

    @Test(arguments: [
        ["list", "--age", "1h"], ["verify", "--overwrite"], ["show", "1", "-o", "x"], ["clean", "--limit", "3"],
        ["export", "1", "--budget", "1M"], ["finish", "--unfinished"], ["remove", "1", "--after", "2"],
    ]) func anOptionGoesWithItsAction(_ words: [String]) throws {
        try fill(2)
        let outcome = try RunningLivecap(["library"] + words + ["--library", folder]).finish()
        #expect(outcome.status == 64 && outcome.errors.contains("it belongs to 'library"), "\(outcome.errors)")
    }

    @Test func invalidStoredSettingsAreALibraryError() throws {
        try fill(2)
        let outcome = try livecap("develop", "2", "--library", folder, "-o", files.path("x.jpg"))
        #expect(outcome.status == 65 && outcome.errors.contains("settings cannot be used"), "\(outcome.errors)")
    }

    @Test func aLibraryCannotMakeATerminalDoAnything() throws {
        try fill(2)
        let evil = "char(27)||']0;x'||char(7)||char(10)||'fake'||char(155)"
        try sql("UPDATE photos SET quality_given = \(evil)")
        try sql("UPDATE photos SET state = 2, reason = \(evil), proxy_place = \(evil) WHERE id = 2")
        #expect(FileManager.default.createFile(atPath: "\(folder)/photos/2026-11-21/\u{1B}[2Jx", contents: nil))
        for words in [["list"], ["show", "2"], ["verify"], ["export", "1", "-o", "/\u{1B}[2J/x.jpg"]] {
            let outcome = try RunningLivecap(["library"] + words + ["--library", folder]).finish()
            let said = outcome.output + outcome.errors
            #expect(
                said.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }, "\(words)")
            #expect(said.contains("\\u{1b}") && !said.contains("\nfake"), "\(words): \(said)")
        }
        let photos = try run("list", "--json").objects
        #expect(photos.contains { $0["reason"] as? String == "\u{1B}]0;x\u{7}\nfake\u{9B}" })
        #expect(photos.allSatisfy { $0["qualityGiven"] is NSNull })
    }

    @Test func aLostCatalogueIsNotMadeAnew() throws {
        try fill(2)
        try Data().write(to: URL(filePath: "\(folder)/catalogue.sqlite"))
        for action in ["list", "verify", "finish", "clean"] {
            let outcome = try run(action, "--json")
            #expect(try outcome.status == 65 && outcome.object["code"] as? String == "lost-catalogue")
        }
        #expect(FileManager.default.contents(atPath: "\(folder)/catalogue.sqlite") == Data())
    }

    @Test func theUsualLibraryIsWhereDataGoes() throws {
        let home = files.path("home")
        for (variables, place) in [
            ("XDG_DATA_HOME=\(home)/data HOME=/nowhere", "\(home)/data"),
            ("XDG_DATA_HOME=data HOME=\(home)", "\(home)/.local/share"),
            ("XDG_DATA_HOME= HOME=\(home)", "\(home)/.local/share"),
        ] {
            let outcome = try RunningLivecap(["library", "list"], shell: "export \(variables); exec \"$@\"").finish()
            #expect(outcome.errors.contains("no library at \(place)/livecap/library"), "\(outcome.errors)")
        }
    }
}
