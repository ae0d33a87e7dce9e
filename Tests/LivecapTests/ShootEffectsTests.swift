// SPDX-License-Identifier: MIT
// Photos with effects from the command line: both files, what is said where there can be none, and taking them back.

import Foundation
import Glibc
import LivecapDetection
import LivecapPatience
import LivecapProcesses
import Testing

private let areNetsInstalled = (try? Nets().open(.matte)) != nil && (try? Nets().open(.faces)) != nil

@Suite(.timeLimit(.usual)) struct ShootEffectsTests {
    private let files: Scratch
    private static let scene = ["--synthetic", "tripod:frames=20,mark=off", "--size", "64x48", "--fps", "25"]

    init() throws { files = try Scratch() }

    private func shoot(_ options: [String], folder: String? = nil) throws -> Outcome {
        let variable = folder.map { "LIVECAP_EFFECTS='\($0)' " } ?? ""
        return try RunningLivecap(
            ["shoot", "--json", "--at", "400ms"] + Self.scene + ["--pace", "fast"] + options,
            shell: "\(variable)exec \"$@\""
        ).finish()
    }

    private func develop(_ options: String...) throws -> Outcome {
        try RunningLivecap(["develop", "--json"] + options).finish()
    }

    @Test func withoutNetsItSaysWhatToInstall() throws {
        let folder = files.path("nets")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let outcome = try shoot(["--effects", "light", "-o", files.path("a.jpg")], folder: folder)
        #expect(outcome.status == 69, "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "effects-missing")
        #expect(!files.names.contains { $0.hasPrefix("a.") })
    }

    @Test(arguments: [
        ["--effects", "light", "--quality", "single"], ["--effects", "framing"], ["--mask", "/tmp/mask.png"],
        ["--effects", "portrait=2"],
    ])
    func whatCannotHaveEffectsIsRefused(_ options: [String]) throws {
        let outcome = try shoot(options + ["-o", files.path("a.jpg")])
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(!files.names.contains { $0.hasPrefix("a.") })
    }

    @Test(arguments: [
        ("framing", "framing is"), ("brighten", "brighten is"), ("gestures,brighten", "brighten and gestures are"),
    ])
    func anEffectThatIsNotForPhotosIsNamed(_ list: String, _ words: String) throws {
        let outcome = try shoot(["--effects", list, "-o", files.path("a.jpg")])
        #expect(outcome.status == 64 && outcome.errors.contains("\(words) not for photos"), "\(outcome.errors)")
        #expect(outcome.errors.contains("--zoom") == (list == "framing"))
    }

    @Test(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
    func bothPicturesAreWrittenAndEffectsTakenBack() throws {
        let plain = try shoot(["-o", files.path("b.png")])
        #expect(plain.status == 0, "\(plain.errors)")
        let outcome = try shoot([
            "--effects", "background=#00ff00", "--mask", files.path("mask.png"), "-o", files.path("a.png"),
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let shot = try outcome.object
        #expect(shot["effects"] as? String == "background=#00ff00")
        #expect(shot["plainFile"] as? String == files.path("a.plain.png"))
        #expect(try files.bytes("a.plain.png") == files.bytes("b.png"))
        #expect(try files.bytes("a.png") != files.bytes("b.png"))
        #expect(files.names.contains("mask.png"))
        // An effect that is taken back is the plain picture; another one is drawn into that.
        let back = try develop(files.path("a.png"), "--effects", "none", "-o", files.path("back.png"))
        #expect(back.status == 0, "\(back.errors)")
        #expect(try files.bytes("back.png") == files.bytes("b.png"))
        let other = try develop(files.path("a.png"), "--effects", "background=#ff0000", "-o", files.path("red.png"))
        #expect(other.status == 0, "\(other.errors)")
        #expect(try other.object["effects"] as? String == "background=#ff0000")
        #expect(!files.names.contains("red.plain.png"))
        let again = try develop(files.path("red.png"), "--effects", "none", "-o", files.path("no.png"))
        #expect(again.status == 64 && again.errors.contains("plain"), "\(again.errors)")
    }

    @Test(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
    func aNameThatIsTakenIsRefusedBeforeAnythingIsTaken() throws {
        try files.write([7], to: "a.plain.jpg")
        let outcome = try shoot(["--effects", "light", "-o", files.path("a.jpg")])
        #expect(outcome.status != 0 && outcome.errors.contains("a.plain.jpg"), "\(outcome.errors)")
        #expect(try files.bytes("a.plain.jpg") == [7] && !files.names.contains("a.jpg"))
    }

    @Test(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
    func aPhotoOfTheLibraryIsDevelopedWithoutItsEffects() throws {
        let library = files.path("library")
        let plain = try shoot(["-o", files.path("plain.jpg")])
        #expect(plain.status == 0, "\(plain.errors)")
        let outcome = try shoot([
            "--effects", "background=#00ff00", "--defer", "never", "--library", library, "--mask", files.path("m.png"),
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let shot = try outcome.object, id = try #require(shot["libraryId"] as? Int)
        #expect(shot["keptFrames"] as? Int ?? 0 >= 8)
        let mask = try RunningLivecap([
            "library", "mask", "\(id)", "--library", library, "-o", files.path("kept.png"),
        ]).finish()
        #expect(mask.status == 0, "\(mask.errors)")
        #expect(try files.bytes("kept.png") == files.bytes("m.png"))
        // What is needed to take them back stays.
        let cleaned = try RunningLivecap(["library", "clean", "--budget", "0", "--library", library]).finish()
        #expect(cleaned.status == 0, "\(cleaned.errors)")
        for (name, effects) in [("back.png", ["--effects", "none"]), ("same.png", [])] {
            let made = try RunningLivecap(
                ["develop", "\(id)", "--json", "--library", library, "-o", files.path(name)] + effects
            ).finish()
            #expect(made.status == 0, "\(made.errors)")
            #expect(try (made.object["effects"] as? String == nil) == !effects.isEmpty)
        }
        #expect(try files.bytes("back.png") != files.bytes("same.png"))
    }

    @Test(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
    func aRunDrawsThemIntoPhotosThatAskForThem() throws {
        let fifo = files.path("input")
        try #require(mkfifo(fifo, 0o600) == 0)
        let pipe = try #require(FileHandle(forUpdatingAtPath: fifo))
        let program = try RunningLivecap(
            [
                "run", "--no-socket", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--effects", "light",
                "--effects-in", "photos", "-o", files.path("out") + "/",
            ], shell: "exec \"$@\" <'\(fifo)'")
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        try pipe.write(contentsOf: Data("\n".utf8))
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: files.path("out")).sorted()
        #expect(names == ["livecap-0001.jpg", "livecap-0001.plain.jpg"])
    }

    @Test(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
    func photosGetWhatIsSwitchedOnWhileARunLasts() throws {
        let fifo = files.path("input"), socket = files.path("s"), folder = files.path("out")
        try #require(mkfifo(fifo, 0o600) == 0)
        let pipe = try #require(FileHandle(forUpdatingAtPath: fifo))
        let program = try RunningLivecap(
            [
                "run", "--socket", socket, "--synthetic", "tripod:prerender=4", "--size", "64x48", "--effects-in",
                "photos", "-o", folder + "/",
            ], shell: "exec \"$@\" <'\(fifo)'")
        func tap(_ number: Int) throws {
            try pipe.write(contentsOf: Data("\n".utf8))
            let path = "\(folder)/livecap-000\(number).jpg"
            try eventually(path) { FileManager.default.fileExists(atPath: path) || !program.isRunning }
        }
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        try tap(1)
        for (number, list) in [(2, "background=#ff0000"), (3, "none")] {
            let outcome = try RunningLivecap(["effects", "set", list, "--socket", socket]).finish()
            #expect(outcome.status == 0, "\(outcome.errors)")
            try tap(number)
        }
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names == ["livecap-0001.jpg", "livecap-0002.jpg", "livecap-0002.plain.jpg", "livecap-0003.jpg"])
    }

    @Test func aLivePictureCannotGetEffectsLater() throws {
        let outcome = try RunningLivecap(
            ["run", "--no-socket", "--effects-in", "photos", "--live", "-o", files.path("out") + "/"] + Self.scene
        ).finish()
        #expect(outcome.status == 64 && outcome.errors.contains("--live"), "\(outcome.errors)")
    }
}
