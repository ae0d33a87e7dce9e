// SPDX-License-Identifier: MIT
// Effects of `livecap run`: where they are seen, and what is said where they cannot be drawn.

import Foundation
import LivecapDetection
import LivecapProcesses
import Testing

@Suite(.timeLimit(.usual)) struct RunEffectsTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private func run(_ arguments: [String], folder: String? = nil) throws -> RunningLivecap {
        let variable = folder.map { "LIVECAP_EFFECTS='\($0)' " } ?? ""
        return try RunningLivecap(
            ["run", "--no-socket", "-o", files.path("out") + "/"] + arguments,
            shell: "\(variable)exec \"$@\" </dev/null")
    }

    private func makeFolder(_ names: [String] = []) throws -> String {
        let folder = files.path("nets")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in names { try Data("damaged".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
        return folder
    }

    @Test func withoutNetsItSaysWhatToInstall() throws {
        let folder = try makeFolder()
        let outcome = try run(
            ["--synthetic", "tripod", "--effects", "light", "--movies", files.path("movies"), "--json"],
            folder: folder
        ).finish()
        #expect(outcome.status == 69, "\(outcome.errors)")
        #expect(outcome.errors.contains(folder) && outcome.errors.contains("livecap-effects"), "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "effects-missing")
    }

    @Test func aDamagedModelIsNamedAndNotLoaded() throws {
        let name = "selfie_segmentation_landscape.tflite", folder = try makeFolder([name])
        let outcome = try run(
            ["--synthetic", "tripod", "--effects", "portrait", "--movies", files.path("movies")], folder: folder
        ).finish()
        #expect(outcome.status == 69, "\(outcome.errors)")
        // Without XNNPACK, nothing gets as far as looking at a model.
        #expect(outcome.errors.contains(name) || outcome.errors.contains("libXNNPACK"), "\(outcome.errors)")
    }

    @Test func aBackgroundThatIsNoPictureIsRefused() throws {
        let path = files.path("room.png"), missing = files.path("none.jpg")
        try Data("no picture".utf8).write(to: URL(fileURLWithPath: path))
        for (background, status) in [(path, 65), (missing, 66), (files.path("."), 66)] as [(String, Int32)] {
            let outcome = try run(
                [
                    "--synthetic", "tripod", "--effects", "background=\(background)", "--movies",
                    files.path("movies"), "--json",
                ]
            ).finish()
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(outcome.errors.contains(background), "\(outcome.errors)")
            #expect(try outcome.object["code"] as? String == "bad-background")
        }
    }

    @Test(.enabled(if: (try? Nets().open(.matte)) != nil, "'make effects' fetches the nets"))
    func effectsAreInTheRecordingThatAsksForThem() throws {
        let copy = files.path("drawn.y4m"), source = files.path("source.lcap")
        let scene = ["--synthetic", "tripod:prerender=4", "--size", "64x48", "-n", "12"]
        #expect(try RunningLivecap(["record", "-o", source] + scene).finish().status == 0)
        let outcome = try run([
            "--replay", source, "--pace", "fast", "--record", copy, "--effects", "background=#00ff00", "--effects-in",
            "record",
        ]).finish()
        #expect(outcome.status == 0 && outcome.errors.contains("the recording gets frames with effects"))
        let report = try RunningLivecap(["info", copy, "--json"]).finish().object
        #expect(report["frames"] as? Int == 12, "\(report)")
        // No frame shows a person, so all of them are green: the last byte is Cr.
        let last = try #require(try Data(contentsOf: URL(fileURLWithPath: copy)).last)
        #expect(last < 60, "Cr \(last)")
    }
}
