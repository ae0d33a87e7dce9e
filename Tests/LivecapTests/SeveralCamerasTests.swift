// SPDX-License-Identifier: MIT
// `livecap run` with several cameras: one tap gives a picture of each, of the same instant.

import Foundation
import Glibc
import LivecapPatience
import LivecapPhotoStorage
import Testing

@Suite(.timeLimit(.long)) struct SeveralCamerasTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Runs with two small scenes, and with `taps` lines on standard input, which then ends.
    private func run(_ taps: Int, _ arguments: String...) throws -> Outcome {
        let fifo = files.path("taps")
        try #require(mkfifo(fifo, 0o600) == 0)
        let pipe = try #require(FileHandle(forUpdatingAtPath: fifo))
        let program = try RunningLivecap(
            [
                "run", "--synthetic", "tripod:seed=1", "--synthetic", "handheld:seed=2", "--size", "64x48",
                "--format", "YUYV", "--quality", "single", "--json", "--no-socket",
            ] + arguments, shell: "exec \"$@\" <'\(fifo)'")
        try eventually("the words that it is armed") { program.errors.contains("with it: ") }
        try pipe.write(contentsOf: Data(repeating: 10, count: taps))
        try pipe.close()
        return program.finish()
    }

    private func groups(_ outcome: Outcome) throws -> [[String: Any]] {
        try outcome.objects.filter { $0["event"] as? String == "group" }
    }

    @Test func oneTapGivesAPictureOfEach() throws {
        let outcome = try run(3, "-o", files.path("out") + "/")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let groups = try groups(outcome)
        #expect(groups.count == 3)
        for group in groups {
            let photos = try #require(group["photos"] as? [[String: Any]])
            #expect(photos.count == 2 && photos.allSatisfy { $0["file"] is String }, "\(photos)")
            let (difference, bound) = (photos[1]["differenceMs"] as? Double, group["spreadBoundMs"] as? Double)
            // Each is the nearest frame to the tap, at 30 frames per second.
            #expect(try #require(difference).magnitude <= 34 && bound == 0)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: files.path("out")).sorted()
        #expect(names == (1...3).flatMap { ["livecap-000\($0)-camera2.jpg", "livecap-000\($0).jpg"] })
    }

    @Test func theLibraryKnowsWhichBelongTogether() throws {
        let folder = files.path("library")
        let outcome = try run(2, "--library", folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let photos = try PhotoLibrary(folder).photos()
        #expect(photos.count == 4)
        for group in try groups(outcome) {
            let id = try #require(group["groupId"] as? String)
            var page = LibraryPage()
            page.group = id
            #expect(try PhotoLibrary(folder).photos(page).count == 2)
            let listed = try livecap("library", "list", "--library", folder, "--group", id, "--json").objects
            #expect(listed.count == 2 && listed.allSatisfy { $0["groupId"] as? String == id })
        }
    }

    @Test(arguments: [
        (["--synthetic", "tripod", "--synthetic", "tripod", "-o", "-"], "standard output takes the pictures of one"),
        (["--synthetic", "tripod", "--synthetic", "nowhere"], "nowhere"),
        (["--synthetic", "tripod", "--device", "0"], "--device"),
    ])
    func whatCannotBe(_ arguments: [String], _ words: String) throws {
        let outcome = try RunningLivecap(["run"] + arguments).finish()
        #expect(outcome.status == 64 && outcome.errors.contains(words), "\(outcome.status): \(outcome.errors)")
    }
}
