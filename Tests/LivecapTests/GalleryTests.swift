// SPDX-License-Identifier: MIT
// `livecap library export --gallery`: a folder that shows photos, and what it leaves alone.

import Foundation
import LivecapFrames
import LivecapPhotoStorage
import Testing

@Suite struct GalleryTests {
    private let files: Scratch
    private var folder: String { files.path("library") }
    private var gallery: String { files.path("gallery") }
    private let first = "2026-11-21-180015-043-1.jpg"

    init() throws { files = try Scratch() }

    private func export(_ words: String..., shell: String? = nil) throws -> Outcome {
        try RunningLivecap(
            ["library", "export", "--gallery", gallery, "--library", folder] + words, shell: shell
        ).finish()
    }

    /// Adds finished photos from a number on, a millisecond apart, whose bytes are their number.
    private func add(
        _ numbers: ClosedRange<Int>, provenance: String = #"{"framesUsed":["0:1","0:2"]}"#, of group: String? = nil
    ) throws {
        let library = try PhotoLibrary(folder)
        for number in numbers {
            var photo = NewPhoto(
                tap: Timestamp(nanoseconds: 1_000_000), reference: Timestamp(nanoseconds: 3_500_000),
                taken: CalendarTime(
                    utcNanoseconds: 1_795_293_015_042_000_000 + Int64(number) * 1_000_000, zoneOffsetSeconds: -9000),
                format: .jpeg, size: FrameSize(width: 16, height: 8), qualityAsked: .quality, qualityGiven: .balanced,
                request: "{}", provenance: provenance, thumbnail: [7, UInt8(number)])
            photo.group = group.flatMap { PhotoGroup(id: $0, stream: "Camera \(number)") }
            _ = try library.addFinished(photo, [UInt8](repeating: UInt8(number), count: 3))
        }
    }

    private func bytes(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(gallery)/\(path)").map { [UInt8]($0) }
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(gallery)/\(path)").sorted()
    }

    /// The photos that the page is given.
    private func listed() throws -> [[String: Any]] {
        let text = try #require(FileManager.default.contents(atPath: "\(gallery)/photos.js"))
        let script = try #require(String(data: text, encoding: .utf8))
        #expect(script.hasPrefix("window.photos = [") && script.hasSuffix("];\n"))
        let array = script.dropFirst("window.photos = ".count).dropLast(2)
        return try #require(JSONSerialization.jsonObject(with: Data(array.utf8)) as? [[String: Any]])
    }

    private func sql(_ sql: String) throws {
        #expect(try LivecapTests.run("sqlite3", ["\(folder)/catalogue.sqlite", sql]) == 0)
    }

    @Test func theFolderHasAPageItsPhotosAndTheirThumbnails() throws {
        try add(1...2)
        let outcome = try export()
        #expect(outcome.status == 0 && outcome.output == "\(gallery)/index.html\n", "\(outcome.errors)")
        #expect(try names("") == ["export.css", "export.js", "index.html", "photos", "photos.js", "thumbnails"])
        #expect(bytes("photos/\(first)") == [1, 1, 1] && bytes("thumbnails/\(first).jpg") == [7, 1])
        let page = try #require(bytes("index.html").map { String(decoding: $0, as: UTF8.self) })
        for name in ["export.css", "photos.js", "export.js"] { #expect(page.contains("\"\(name)\"")) }
    }

    @Test func aPhotoIsListedWithWhatItsCaptionSays() throws {
        try add(1...2)
        #expect(try export().status == 0)
        let photos = try listed()
        #expect(photos.map { $0["id"] as? Int } == [2, 1])
        let photo = try #require(photos.last)
        #expect(photo["name"] as? String == first && photo["taken"] as? String == "2026-11-21T18:00:15.043-02:30")
        #expect(photo["lagMs"] as? Double == 2.5 && photo["framesUsed"] as? Int == 2)
        #expect(photo["quality"] as? String == "balanced" && photo["proxy"] as? Bool == false)
        #expect(photo["width"] as? Int == 16 && photo["height"] as? Int == 8)
    }

    @Test func thoseOfAGroupSaySoAndAreNamedInTheList() throws {
        try add(1...2, provenance: #"{"lagBoundMs":1.5}"#, of: "tap-1")
        try add(3...3)
        #expect(try export().status == 0)
        let photos = try listed()
        #expect(photos.map { $0["groupId"] as? String } == [nil, "tap-1", "tap-1"])
        #expect(photos.map { $0["groupStream"] as? String } == [nil, "Camera 2", "Camera 1"])
        #expect(photos.map { $0["lagBoundMs"] as? Double } == [nil, 1.5, 1.5])
        // What is known of them is read again, and nothing is new.
        let again = try export("--json").objects
        #expect(again.map { $0["outcome"] as? String } == ["unchanged", "unchanged", "unchanged", nil])
        let lines = try RunningLivecap(["library", "list", "--library", folder]).finish().output.split(separator: "\n")
        #expect(lines.map { $0.contains("  tap-1  ") } == [false, true, true], "\(lines)")
    }

    @Test("Nothing is written through a gallery's folders that are links", arguments: ["photos", "thumbnails"])
    func foldersThatAreLinksAreRefused(_ name: String) throws {
        try add(1...1)
        let elsewhere = files.path("elsewhere")
        let manager = FileManager.default
        for folder in [gallery, elsewhere] {
            try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try manager.createSymbolicLink(atPath: "\(gallery)/\(name)", withDestinationPath: elsewhere)
        let outcome = try export()
        #expect(outcome.status == 73 && outcome.errors.contains("\(gallery)/\(name) is not part of a gallery"))
        #expect(try manager.contentsOfDirectory(atPath: elsewhere).isEmpty)
    }

    @Test func onlySelectedPhotosAreAdded() throws {
        try add(1...3)
        #expect(try export("2-").status == 0)
        #expect(try listed().map { $0["id"] as? Int } == [3, 2])
        #expect(try export("--date", "2026-11-22").status == 66)
        for words in [["-o", files.path("x")], ["--overwrite"]] {
            let outcome = try RunningLivecap(
                ["library", "export", "--gallery", gallery, "--library", folder] + words
            ).finish()
            #expect(outcome.status == 64, "\(words)")
        }
    }

    @Test func anUpdateAddsWhatIsNew() throws {
        try add(1...2)
        #expect(try export().status == 0)
        try add(3...3)
        let outcome = try export("--json")
        let objects = try outcome.objects
        #expect(objects.map { $0["outcome"] as? String } == ["unchanged", "unchanged", "added", nil])
        #expect(objects.last?["added"] as? Int == 1 && objects.last?["photos"] as? Int == 3)
        #expect(objects.last?["gallery"] as? String == "\(gallery)/index.html")
        #expect(try listed().map { $0["id"] as? Int } == [3, 2, 1])
    }

    @Test func aPhotoThatTheLibraryHasLostStays() throws {
        try add(1...2)
        #expect(try export().status == 0)
        #expect(try livecap("library", "remove", "-y", "1", "--library", folder).status == 0)
        #expect(try export().status == 0)
        #expect(try listed().map { $0["id"] as? Int } == [2, 1] && bytes("photos/\(first)") == [1, 1, 1])
    }

    /// Makes a proxy of photo 2, and later its final.
    @Test func aFinalReplacesItsProxy() throws {
        try add(1...2)
        let (photo, proxy) = ("2026-11-21/180015-044-1.jpg", "2026-11-21/180015-044-1.proxy.jpg")
        try FileManager.default.moveItem(
            atPath: "\(folder)/photos/\(photo)", toPath: "\(folder)/photos/\(proxy)")
        let columns = "proxy_place = 'photos/\(proxy)', proxy_bytes = final_bytes, proxy_checksum = final_checksum"
        try sql("UPDATE photos SET state = 1, \(columns) WHERE id = 2")
        #expect(try export().status == 0)
        #expect(try listed().first?["proxy"] as? Bool == true)
        #expect(try names("photos").contains("2026-11-21-180015-044-1.proxy.jpg"))
        try FileManager.default.moveItem(
            atPath: "\(folder)/photos/\(proxy)", toPath: "\(folder)/photos/\(photo)")
        try sql("UPDATE photos SET state = 0 WHERE id = 2")
        #expect(try export("--json").objects.map { $0["outcome"] as? String } == ["unchanged", "updated", nil])
        #expect(try names("photos") == [first, "2026-11-21-180015-044-1.jpg"])
        #expect(try names("thumbnails") == ["\(first).jpg", "2026-11-21-180015-044-1.jpg.jpg"])
        #expect(try listed().first?["proxy"] as? Bool == false)
    }

    @Test func filesOfOthersStay() throws {
        try add(1...1)
        try FileManager.default.createDirectory(atPath: "\(gallery)/photos", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(filePath: "\(gallery)/photos/\(first)"))
        try Data("note".utf8).write(to: URL(filePath: "\(gallery)/README"))
        #expect(try export().status == 0)
        #expect(bytes("photos/\(first)") == Array("mine".utf8) && bytes("README") == Array("note".utf8))
        let name = try #require(try listed().first?["name"] as? String)
        #expect(name == "2026-11-21-180015-043-1_2.jpg" && bytes("photos/\(name)") == [1, 1, 1])
    }

    @Test func aCopyThatSomebodyHasChangedStays() throws {
        try add(1...1)
        #expect(try export().status == 0)
        try Data("retouched".utf8).write(to: URL(filePath: "\(gallery)/photos/\(first)"))
        #expect(try export().status == 0)
        #expect(bytes("photos/\(first)") == Array("retouched".utf8))
        #expect(try listed().map { $0["name"] as? String } == ["2026-11-21-180015-043-1_2.jpg"])
    }

    @Test(arguments: ["index.html", "photos.js", "export.js"]) func aFolderOfOthersIsNotMadeAGallery(
        _ name: String
    ) throws {
        try add(1...1)
        try FileManager.default.createDirectory(atPath: gallery, withIntermediateDirectories: true)
        try Data("window.photos = 3;\n".utf8).write(to: URL(filePath: "\(gallery)/\(name)"))
        let outcome = try export("--json")
        #expect(outcome.status == 73)
        #expect(try outcome.object["code"] as? String == "not-a-gallery")
        #expect(try names("") == [name])
    }

    /// As after a kill: photos are there, but neither page nor list.
    @Test func anExportThatWasKilledGoesOn() throws {
        try add(1...2)
        #expect(try export().status == 0)
        for name in ["index.html", "photos.js"] {
            try FileManager.default.removeItem(atPath: "\(gallery)/\(name)")
        }
        #expect(
            FileManager.default.createFile(atPath: "\(gallery)/photos/.livecap-photo.0.99999999.part", contents: nil))
        #expect(try export().status == 0)
        #expect(try names("photos") == [first, "2026-11-21-180015-044-1.jpg"])
        #expect(try listed().count == 2)
    }

    @Test func aSignalLeavesAPageOfWhatIsThere() throws {
        try add(1...2)
        #expect(try export().status == 0)
        try add(3...3)
        // The signal is there before the program listens, and waits.
        let waiting = "exec env --block-signal=INT sh -c 'kill -INT $$; exec \"$@\"' sh \"$@\""
        let outcome = try export(shell: waiting)
        #expect(outcome.status == 130, "\(outcome.errors)")
        #expect(try listed().count == 2 && names("photos").count == 2)
        #expect(try export().status == 0)
        #expect(try listed().count == 3)
    }

    @Test func aPhotoThatIsLostKeepsNoneOfTheOthers() throws {
        try add(1...3)
        try FileManager.default.removeItem(atPath: "\(folder)/photos/2026-11-21/180015-044-1.jpg")
        let outcome = try export()
        #expect(outcome.status == 65 && outcome.errors.contains("is missing"), "\(outcome.errors)")
        #expect(try listed().map { $0["id"] as? Int } == [3, 1])
    }

    @Test func noNameOfACatalogueLeadsElsewhereOrEndsTheScript() throws {
        try add(1...1)
        try FileManager.default.moveItem(
            atPath: "\(folder)/photos/2026-11-21/180015-043-1.jpg",
            toPath: "\(folder)/photos/2026-11-21/<\u{2028}\"%2F&.jpg")
        try sql("UPDATE photos SET final_place = 'photos/2026-11-21/<' || char(8232) || '\"%2F&.jpg'")
        let outcome = try export()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names("photos") == ["2026-11-21-____2F_.jpg"])
        #expect(try listed().first?["name"] as? String == "2026-11-21-____2F_.jpg")
    }

    @Test func whatCannotBeWrittenIsSaid() throws {
        try add(1...1)
        let outcome = try RunningLivecap(
            ["library", "export", "--gallery", "/sys/gallery", "--library", folder, "--json"]
        ).finish()
        #expect(outcome.status == 73, "\(outcome.errors)")
    }
}
