// SPDX-License-Identifier: MIT
// Deferred pictures, finished and developed again, from the command line.

import Foundation
import LivecapPatience
import Testing

@Suite struct DeferredPicturesTests {
    private let files: Scratch
    private var library: String { files.path("library") }
    private let scene = ["--synthetic", "handheld:frames=12,seed=3", "--pace", "fast", "--size", "48x32"]

    init() throws { files = try Scratch() }

    private func run(_ words: [String]) throws -> Outcome {
        try RunningLivecap(words).finish(
            within: words.starts(with: ["library", "finish"]) ? Patience.backgroundSeconds : Patience.seconds)
    }

    /// The source frames of one picture are larger than the disk.
    @Test("A disk without room for source frames takes the pictures", .enabled(if: geteuid() == 0, "needs root"))
    func smallDisk() throws {
        let disk = files.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        guard try LivecapTests.run("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]) == 0 else { return }
        defer { _ = try? LivecapTests.run("umount", ["-l", disk]) }
        let shot = try run(
            ["shoot", "--synthetic", "tripod:frames=150", "--size", "640x480", "--pace", "fast", "--count", "4"]
                + ["--defer", "required", "--library", "\(disk)/library", "--json"])
        #expect(shot.status == 0, "\(shot.errors)")
        let photos = try shot.objects
        #expect(photos.count == 4)
        #expect(photos.allSatisfy { $0["deferred"] as? Bool == false && $0["keptFrames"] as? Int == 0 })
        #expect(shot.errors.contains("no room for the source frames"), "\(shot.errors)")
        #expect(try run(["library", "verify", "--library", "\(disk)/library"]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(disk)/library/bursts").isEmpty)
    }

    @Test func deferredFinalEqualsTheDirectPicture() throws {
        let moment = ["--at", "300ms", "--quality", "quality", "--frames", "3"]
        let direct = try run(["shoot"] + scene + moment + ["-o", files.path("direct.jpg")])
        #expect(direct.status == 0, "\(direct.errors)")
        let shot = try run(["shoot"] + scene + moment + ["--library", library, "--json"])
        #expect(shot.status == 0 && shot.errors.contains("livecap library finish"))
        let proxy = try shot.objects[0]
        #expect(proxy["deferred"] as? Bool == true && proxy["libraryId"] as? Int == 1)
        #expect(proxy["qualityAsked"] as? String == "quality" && proxy["qualityGiven"] as? String == "speed")

        let finished = try run(["library", "finish", "--library", library, "--json"])
        #expect(finished.status == 0, "\(finished.errors)")
        let final = try finished.objects[0]
        #expect(final["state"] as? String == "finished" && final["qualityGiven"] as? String == "quality")
        let path = try #require(final["file"] as? String)
        let bytes = try Data(contentsOf: URL(filePath: path))
        #expect(try bytes == Data(contentsOf: URL(filePath: files.path("direct.jpg"))))
        #expect(try run(["library", "verify", "--library", library]).status == 0)

        let again = try run(["develop", "1", "--library", library, "-o", files.path("again.jpg"), "--json"])
        #expect(try again.objects[0]["file"] as? String == files.path("again.jpg"))
        #expect(try bytes == Data(contentsOf: URL(filePath: files.path("again.jpg"))))
        let earlier = try run(["develop", "1", "--earlier", "1", "--library", library, "-o", files.path("a.png")])
        #expect(earlier.status == 0, "\(earlier.errors)")
    }

    @Test func finishingRemovesFramesThatNoPhotoNeedsAnyMore() throws {
        let moment = ["--at", "300ms", "--frames", "2", "--defer", "required", "--library", library]
        for _ in 1...3 { #expect(try run(["shoot"] + scene + moment).status == 0) }
        func kept(_ id: Int) throws -> Int? {
            try run(["library", "show", "\(id)", "--library", library, "--json"]).object["keptFrames"] as? Int
        }
        let usual = try run(["library", "finish", "1", "--library", library])
        #expect(usual.status == 0 && !usual.errors.contains("removed"), "\(usual.errors)")
        #expect(try kept(1) == 2)
        let poor = try run(["library", "finish", "2", "--budget", "1", "--library", library])
        #expect(poor.status == 0 && poor.errors.contains("removed 2 files of kept frames"), "\(poor.errors)")
        #expect(try (1...3).map(kept) == [0, 0, 2])
        #expect(try run(["library", "finish", "--library", library]).status == 0)
    }

    @Test func onlyWhatTakesLongIsLeftForLater() throws {
        let moment = ["--at", "300ms", "--frames", "2", "--library", library, "--json"]
        let balanced = try run(["shoot"] + scene + moment)
        #expect(try balanced.objects[0]["deferred"] as? Bool == false)
        let never = try run(["shoot"] + scene + moment + ["--quality", "quality", "--defer", "never"])
        #expect(try never.objects[0]["deferred"] as? Bool == false)
        let required = try run(["shoot"] + scene + moment + ["--defer", "required"])
        #expect(try required.objects[0]["deferred"] as? Bool == true)
    }

    @Test func framesThatAreAskedForAreKeptAndDevelopedAgain() throws {
        let shot = try run(
            ["shoot"] + scene + ["--at", "200ms", "--frames", "3", "--library", library, "--keep-frames", "--json"])
        let photo = try shot.objects[0]
        let kept = try #require(photo["keptFrames"] as? Int)
        #expect(photo["deferred"] as? Bool == false && kept >= 7)
        let listed = try run(["library", "list", "--library", library, "--json"]).object
        #expect(listed["keptFrames"] as? Int == kept && listed["keptBytes"] as? Int == kept * 2 * 48 * 32)
        let path = try #require(photo["file"] as? String)
        let again = try run(["develop", "1", "--library", library, "-o", files.path("again.jpg")])
        #expect(again.status == 0, "\(again.errors)")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: files.path("again.jpg"))))
        for (number, way) in [["--earlier", "2"], ["--quality", "quality"]].enumerated() {
            let other = try run(["develop", "1", "--library", library, "-o", files.path("\(number).png")] + way)
            #expect(other.status == 0, "\(other.errors)")
        }
        #expect(try run(["library", "clean", "--budget", "0", "--library", library]).status == 0)
        #expect(try run(["develop", "1", "--library", library, "-o", files.path("gone.png")]).status == 66)
    }

    @Test func aPhotoWithoutFramesSaysWhyItCannotBeDeveloped() throws {
        #expect(try run(["shoot"] + scene + ["--at", "200ms", "--library", library]).status == 0)
        let outcome = try run(["develop", "1", "--library", library, "-o", files.path("a.jpg"), "--json"])
        #expect(outcome.status == 66)
        let object = try outcome.object
        #expect(object["code"] as? String == "no-kept-frames")
        #expect(object["error"] as? String == "photo 1 cannot be developed again: none of its source frames are kept")
        let hint = try #require(object["hint"] as? String)
        #expect(hint.contains("--keep-frames") && hint.contains("'livecap library export 1'"))
    }

    @Test(arguments: [
        ["--keep-frames"], ["--defer", "required"], ["--library", "x", "-o", "a.jpg"],
        ["--quality", "speed", "--defer", "required", "--library", "x"],
    ]) func whatMakesNoSenseIsAnError(words: [String]) throws {
        let words = words.map { $0 == "x" ? library : $0 }
        #expect(try run(["shoot"] + scene + ["--at", "100ms"] + words).status == 64)
    }

    @Test func whatIsNotThereCannotBeDeveloped() throws {
        #expect(try run(["develop", files.path("none.lcap")]).status == 66)
        #expect(try run(["develop", "7", "--library", library]).status == 66)
        _ = try run(["shoot"] + scene + ["--at", "300ms", "--library", library])
        #expect(try run(["develop", "1", "--library", library, "-o", files.path("a.jpg")]).status != 0)
    }
}
