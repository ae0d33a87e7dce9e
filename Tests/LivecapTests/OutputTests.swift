// SPDX-License-Identifier: MIT
// Pictures that go to something other than a file, and that nothing is left behind if there is no picture.

import Foundation
import Glibc
import LivecapFiles
import Testing

@Suite struct OutputTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private func shoot(_ arguments: String..., shell: String? = nil) throws -> Outcome {
        let frames = try files.rawFrames(3)
        return try RunningLivecap(
            ["shoot", "--replay", frames, "--quality", "single"] + Scratch.rawOptions + arguments, shell: shell
        ).finish()
    }

    @Test func standardOutputGetsThePictureAndNothingElse() throws {
        let outcome = try shoot("-o", "-", shell: "\"$@\" > '\(files.path("out"))'")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("standard output: 1 frame"))
        #expect(try shoot("-o", files.path("a.jpg")).status == 0)
        #expect(try files.bytes("out") == files.bytes("a.jpg"))
    }

    @Test func standardOutputCannotHavePictureAndReport() throws {
        #expect(try shoot("-o", "-", "--json").status == 64)
        let outcome = try shoot("-o", "/dev/fd/3", "--json", shell: "\"$@\" 3> '\(files.path("out"))'")
        #expect(try outcome.object["file"] as? String == "/dev/fd/3")
        #expect(try files.bytes("out").starts(with: [0xFF, 0xD8]))
    }

    @Test func aTerminalGetsNoPicture() throws {
        let terminal = try PseudoTerminal()
        let outcome = try shoot("-o", "-", shell: "exec \"$@\" > \(terminal.path)")
        #expect(outcome.status == 64 && outcome.errors.contains("standard output is a terminal"))
    }

    /// The numbers of closed ones would otherwise go to the next files.
    @Test(arguments: [">&-", "2>&-", "<&- >&- 2>&-"], [["record", "-n", "3"], ["shoot"]])
    func closedStandardDescriptorsGoToNoFile(closed: String, words: [String]) throws {
        let path = files.path(words[0] == "shoot" ? "a.jpg" : "a.lcap")
        let outcome = try RunningLivecap(
            words + ["--synthetic", "tripod:prerender=2", "--size", "64x48", "-o", path],
            shell: "exec \"$@\" \(closed)"
        ).finish()
        // What is said of the file has no place.
        #expect(outcome.status == (closed == "2>&-" ? 0 : 74), "\(outcome.errors)")
        if closed == ">&-" { #expect(outcome.errors.contains("standard output is closed"), "\(outcome.errors)") }
        let info = try RunningLivecap(["info", path, "--json"]).finish()
        #expect(info.status == 0, "\(info.errors)")
        #expect(try info.object["tornBytes"] as? Int ?? 0 == 0)
    }

    @Test(arguments: [[], ["--overwrite"]]) func theNullDeviceTakesEverything(arguments: [String]) throws {
        let frames = try files.rawFrames(3)
        let outcome = try RunningLivecap(
            ["shoot", "--replay", frames, "-o", "/dev/null", "--explain", "/dev/null", "--trace", "/dev/null"]
                + Scratch.rawOptions + arguments
        ).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func withoutACameraNothingIsMade() throws {
        let outcome = try livecap(
            "run", "--device", "/dev/livecap-has-no-such-device", "--library", files.path("library"), "--trace",
            files.path("trace"), "--no-socket")
        #expect(outcome.status == 69, "\(outcome.errors)")
        #expect(!files.names.contains("library") && !files.names.contains("trace"))
    }

    @Test func runChecksTheOutputBeforeArming() throws {
        let outcome = try livecap(
            "run", "--synthetic", "tripod", "--size", "64x48", "--no-socket", "-o", files.path("missing/day.png"))
        #expect(outcome.status == 73)
        #expect(!outcome.errors.contains("takes a picture"), "\(outcome.errors)")
    }

    @Test func framesPicturesDoNotGoToAStream() throws {
        let frames = try files.rawFrames(3)
        let outcome = try RunningLivecap(
            ["export", frames, "-o", "-", "--to", "frames"] + Scratch.rawOptions,
            shell: "cd '\(files.path("."))' && exec \"$@\""
        ).finish()
        #expect(outcome.status == 64 && outcome.errors.contains("needs a folder"), "\(outcome.errors)")
        #expect(!files.names.contains("-"))
    }

    @Test func anExportThatFailsLeavesNoFolder() throws {
        let recorded = try livecap(
            "record", "--synthetic", "tripod:frames=2,damage=1", "--size", "64x48", "-o", files.path("a.lcap"))
        try #require(recorded.status == 0, "\(recorded.errors)")
        let outcome = try livecap("export", files.path("a.lcap"), "-o", files.path("frames") + "/")
        #expect(outcome.status == 65, "\(outcome.errors)")
        #expect(!files.names.contains("frames"))
    }

    @Test(arguments: ["new/", "n-%d.jpg"]) func theLatestFrameGoesToOneFile(name: String) throws {
        let outcome = try livecap(
            "run", "--synthetic", "tripod:frames=3", "--size", "64x48", "--no-socket", "-o", files.path("a.jpg"),
            "--latest", files.path(".") + "/" + name)
        #expect(outcome.status == 64 && outcome.errors.contains("--latest"), "\(outcome.errors)")
        #expect(files.names.isEmpty)
    }

    @Test func aRecordingIsNotReplacedByAPicture() throws {
        let frames = try files.rawFrames(3)
        let path = files.path("a.lcap")
        try #require(
            try RunningLivecap(["record", "--replay", frames, "-o", path] + Scratch.rawOptions).finish().status == 0)
        let before = try files.bytes("a.lcap")
        let outcome = try livecap("shoot", "--replay", path, "-o", path, "--overwrite", "--format", "jpeg")
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(try files.bytes("a.lcap") == before)
    }

    @Test func aNameNeedNotBeUTF8() throws {
        let folder = files.path("latin")
        // 0351 is an e with an acute accent in Latin-1.
        let outcome = try shoot(
            "--json",
            shell: "mkdir '\(folder)'; \"$@\" -o \"$(printf '\(folder)/caf\\351.jpg')\"; ls '\(folder)' | od -An -c")
        #expect(outcome.output.contains("\(folder)/caf\\udce9.jpg"), "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("c   a   f 351   .   j   p   g"), "\(outcome.output)")
        let said = try livecap(
            "info", shell: "\"$@\" \"$(printf '\(folder)/caf\\351.jpg')\""
        ).output
        #expect(said.contains("caf\\xe9.jpg") && said.contains("a jpeg picture"), "\(said)")
    }

    /// A shell's words that make a folder whose name is no UTF-8 and call it F.
    private var makeLatinFolder: String { "F=\"$(printf '\(files.path("h"))\\351')\"; mkdir -p \"$F/livecap\"; " }

    @Test func aNameInSettingsNeedNotBeUTF8() throws {
        let outcome = try shoot(
            shell: makeLatinFolder
                + "printf '[shoot]\\noutput = %s/o\\351.jpg\\n' \"$F\" > \"$F/livecap/config\"; "
                + "export XDG_CONFIG_HOME=\"$F\"; cd \"$F\"; \"$@\"; ls \"$F\" | od -An -c")
        #expect(outcome.output.contains("o 351   .   j   p   g"), "\(outcome.output)\(outcome.errors)")
    }

    @Test func theLibrarysUsualFolderNeedNotBeUTF8() throws {
        let made = try shoot(shell: makeLatinFolder + "\"$@\" --library \"$F/livecap/library\"")
        #expect(made.status == 0, "\(made.errors)")
        let listed = try livecap("library", "list", shell: makeLatinFolder + "export XDG_DATA_HOME=\"$F\"; \"$@\"")
        #expect(listed.status == 0, "\(listed.output)\(listed.errors)")
    }

    @Test func theTemporaryFolderNeedNotBeUTF8() throws {
        let frames = try files.rawFrames(3)
        let outcome = try RunningLivecap(
            ["info", "-"] + Scratch.rawOptions,
            shell: makeLatinFolder + "export TMPDIR=\"$F\"; cat '\(frames)' | \"$@\""
        ).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func aLibrarysPhotoGoesToStandardOutput() throws {
        let library = files.path("library")
        let taken = try livecap(
            "shoot", "--synthetic", "tripod", "--size", "64x48", "--pace", "fast", "--library", library, "--defer",
            "never",
            "--json")
        let path = try #require(try taken.object["file"] as? String, "\(taken.errors)")
        let outcome = try livecap(
            "library", "export", "1", "--library", library, "-o", "-", shell: "\"$@\" > '\(files.path("out"))'")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try files.bytes("out") == Array(Data(contentsOf: URL(filePath: path))))
    }
}
