// SPDX-License-Identifier: MIT
// Options as they are typed: none is ignored, and spellings known from elsewhere work or are answered with ours.

import Foundation
import LiveCapture
import LivecapCommandTable
import LivecapStills
import Testing

@testable import livecap

@Suite struct OptionTests {
    /// The arguments of a valid command line.
    private func arguments(_ line: [String]) throws -> Arguments {
        guard case .run(_, let arguments) = try Livecap.program.parse(line) else {
            throw UsageError("asked for help", hint: "")
        }
        return arguments
    }

    private func refusal(_ line: [String]) -> UsageError? {
        do throws(UsageError) {
            _ = try Livecap.program.parse(line)
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        ["shoot", "--synthetic", "tripod", "--input-format", "NV12"], ["shoot", "--pace", "fast"],
        ["record", "-o", "a", "--device", "auto", "--pace", "fast"], ["shoot", "--interval", "1s"],
        ["run", "--grab"], ["run", "--shutter-key", "KEY_A"], ["run", "--defer", "required"],
        ["run", "--idle-off", "1s", "--latest", "a.jpg"], ["run", "--on-trigger", "movie"],
        ["run", "--trigger-quiet", "1s"], ["movie", "-o", "a.mkv", "--trigger", "motion"],
        ["shoot", "--bracket", "-1,0,1", "--count", "2"], ["shoot", "--bracket", "0", "--at", "1s"],
        ["shoot", "--bracket", "0", "--live"], ["shoot", "--bracket", "0", "--synthetic", "tripod"],
        ["shoot", "--bracket", "0,-8.5"], ["shoot", "--bracket", "0,,1"], ["shoot", "--bracket", "nan"],
        ["shoot", "--bracket", "0,0,0,0,0,0,0,0,0,0"],
        ["shoot", "--rotate", "90", "--orientation", "up"], ["shoot", "--hflip", "--orientation", "up"],
    ]) func whatWouldChangeNothingIsAUsageError(line: [String]) {
        #expect(refusal(line) != nil)
    }

    @Test(arguments: [
        ["-d", "X", "--save", "n"], ["-d", "X", "--reset"], ["-d", "X", "--forget", "n"], ["--reset", "--save", "n"],
        ["-d", "X", "--reset", "--set", "gain=20", "--save", "n"], ["--apply-at-plug", "--profile", "n", "--json"],
    ]) func controlsAreSetAndKeptInOneGo(options: [String]) throws {
        let refusal = refusal(["controls"] + options)
        #expect(refusal == nil, "\(refusal?.message ?? "")")
    }

    @Test(arguments: [["-d", "X"], ["--set", "gain=20"], ["--reset"], ["--save", "n"], ["--forget", "n"]])
    func camerasAreSetAsTheyAreKeptAndNotOtherwise(options: [String]) {
        #expect(refusal(["controls", "--apply-at-plug"] + options)?.message.contains("--apply-at-plug") == true)
    }

    /// The service must not fail because of what is meant for other commands.
    @Test func theServiceOfControlsIgnoresTheConfigurationOfOthers() throws {
        let text = "device = X\nset = gain=20\n[controls]\nset = gain=30\n"
        let line = ["controls", "--apply-at-plug"]
        let invocation = try Livecap.program.parse(line) { () throws(UsageError) in
            try Configuration(text, path: "config", home: nil, for: Livecap.program)
        }
        guard case .run(_, let arguments) = invocation else { throw UsageError("asked for help", hint: "") }
        #expect(!arguments.contains(SourceOptions.device) && !arguments.contains(SourceOptions.set))
    }

    @Test(arguments: [
        (["shoot", "0"], "--device 0"), (["shoot", "/dev/video2"], "--device /dev/video2"),
        (["shoot", "--width", "640"], "--size"), (["record", "-o", "a", "--height=480"], "--size"),
        (["shoot", "-q", "90"], "--encode-quality"), (["record", "-o", "a", "-q"], "--quiet"),
        (["shoot", "-t", "1000"], "--at"), (["run", "-t", "10"], "--duration"), (["shoot", "--timeout", "1"], "--at"),
        (["shoot", "--burst", "3"], "--count"), (["run", "--burst", "3"], "--burst-interval"),
        (["run", "--timelapse", "1s"], "shoot --count"), (["shoot", "--zsl"], "--at -250ms"),
        (["serve", "--port", "8080"], "--listen"), (["shoot", "--time", "2s"], "--at"),
        (["record", "-o", "a", "--time", "2s"], "--duration"), (["run", "--time", "2s"], "--duration"),
        (["movie", "-o", "a.mkv", "--force"], "--overwrite"), (["movie", "-o", "a.mkv", "--mic", "x"], "--sound"),
        (["record", "-o", "a", "-v"], "--json"),
        (["shoot", "--gain", "3"], "--set"), (["run", "--motion"], "--trigger motion"),
        (["movie", "-o", "a.mkv", "--motion"], "--on-tap"), (["run", "--timelapse", "1s"], "every 5s"),
    ]) func familiarSpellingsSuggestOurOption(line: [String], instead: String) {
        let error = refusal(line)
        #expect(error?.hint.contains(instead) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("10", HistoryWish.time(.seconds(10))), ("500ms", .time(.milliseconds(500))), ("2m", .time(.seconds(120))),
        ("256M", .bytes(256 << 20)), ("1G", .bytes(1 << 30)), ("512k", .bytes(512 << 10)),
    ]) func aHistoryIsATimeOrMemory(text: String, wish: HistoryWish) throws {
        #expect(try arguments(["serve", "--ring", text])[SourceOptions.history] == wish)
        #expect(refusal(["serve", "--ring", "0"])?.message.contains("longer than 0") == true)
        #expect(refusal(["serve", "--ring", "lots"]) != nil)
    }

    @Test func familiarSpellingsWork() throws {
        #expect(try arguments(["shoot", "-d", "0"])[SourceOptions.device] == "/dev/video0")
        #expect(try arguments(["shoot", "-d", "auto"])[SourceOptions.device] == "auto")
        let size = FrameSize(width: 1280, height: 720)
        #expect(try arguments(["shoot", "--size", "hd720"])[SourceOptions.size]?.size == size)
        #expect(try arguments(["shoot", "--size", "photo"])[SourceOptions.size] == FormatRequest())
        #expect(try arguments(["shoot", "--framerate", "25"])[SourceOptions.rate]?.description == "25")
        #expect(try arguments(["shoot", "--timelapse", "2s", "--count", "3"])[ShootOptions.interval] == .seconds(2))
        for word in ["--list-formats", "--list-ctrls"] {
            #expect(try arguments(["record", word])[SourceOptions.listDevices])
            guard case .run(let command, _) = try Livecap.program.parse([word]) else { continue }
            #expect(command.name == "devices")
        }
    }

    @Test(arguments: [
        (["--rotate", "90"], PhotoOrientation.right), (["--rotate", "180"], .down), (["--rotate", "270"], .left),
        (["--hflip"], .upMirrored), (["--vflip"], .downMirrored), (["--hflip", "--vflip"], .down),
        (["--hflip", "--rotate", "90"], .rightMirrored), (["--vflip", "--rotate", "180"], .upMirrored),
    ]) func turningAndMirroringAreAnOrientation(options: [String], orientation: PhotoOrientation) throws {
        #expect(try PictureOptions(try arguments(["shoot"] + options)).settings.metadata.orientation == orientation)
    }

    @Test func onlyWhatSaysNothingOfOrientationFollowsTheCamera() throws {
        let plain = try PictureOptions(try arguments(["shoot"])).settings
        #expect(plain.followsRotation && plain.metadata.orientation == .up)
        for options in [["--orientation", "up"], ["--rotate", "0"], ["--hflip"], ["--vflip"]] {
            #expect(try !PictureOptions(try arguments(["shoot"] + options)).settings.followsRotation)
        }
    }

    @Test func valuesAreListedInHelp() throws {
        let help = Livecap.program.help(for: try #require(Livecap.program.command("shoot")))
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(help.contains("one of up, right, down, left, mirrored, mirrored-right"))
        #expect(help.contains("one of portable"))
        #expect(help.contains("seconds without a unit"))
    }

    @Test(arguments: [["--size", "32x32"], ["--input-format", "GREY"], ["--format", "NV12"]])
    func whatAFileSaysItselfCannotBeChanged(option: [String]) throws {
        let files = try Scratch()
        let movie = "YUV4MPEG2 W16 H16 F30:1 C420\nFRAME\n".utf8 + [UInt8](repeating: 90, count: 384)
        let file = try files.write([UInt8](movie), to: "a.y4m")
        for line in [
            ["shoot", "--replay", file, "-o", files.path("a.jpg")],
            ["record", "--replay", file, "-o", files.path("b")],
        ] {
            let outcome = try RunningLivecap(line + option).finish()
            #expect(outcome.status == 64, "\(outcome.errors)")
            #expect(outcome.errors.contains("leave "), "\(outcome.errors)")
        }
        #expect(files.names == ["a.y4m"])
    }

    @Test func aRecordingKeepsItsRate() throws {
        let files = try Scratch()
        let scene = ["record", "--synthetic", "tripod", "--size", "64x48", "-n", "2", "-o", files.path("a.lcap")]
        try #require(try RunningLivecap(scene).finish().status == 0)
        let outcome = try livecap("record", "--replay", files.path("a.lcap"), "--fps", "3", "-o", files.path("b"))
        #expect(outcome.status == 64 && outcome.errors.contains("--fps 3"), "\(outcome.errors)")
    }

    @Test func rateIsGivenOnlyOnceForAScene() throws {
        let files = try Scratch()
        let outcome = try livecap(
            "record", "--synthetic", "tripod:fps=10", "--fps", "30", "--size", "64x48", "-n", "1", "-o", files.path("a")
        )
        #expect(outcome.status == 64 && outcome.errors.contains("fps=10"), "\(outcome.errors)")
    }

    @Test func settingsAreReadFromTheUsersFile() throws {
        let files = try Scratch()
        let line = ["record", "--synthetic", "tripod", "-n", "2", "-o", files.path("a.lcap")]
        let settings = "size = 64x48\nquiet = yes\njson = yes\n[shoot]\nformat = png\n"
        let first = try RunningLivecap(line, settings: settings).finish()
        #expect(first.status == 0 && first.errors == "", "\(first.errors)")
        #expect(try first.object["width"] as? Int == 64)
        // A default size for cameras does not apply to a recording.
        let replayed = try RunningLivecap(
            ["record", "--replay", files.path("a.lcap"), "-o", files.path("b.lcap")], settings: "size = 32x32\n"
        ).finish()
        #expect(replayed.status == 0, "\(replayed.errors)")
        let wrong = try RunningLivecap(line, settings: "size = 64x48\nsise = 3\n").finish()
        #expect(wrong.status == 64 && wrong.errors.contains("livecap/config:2: "), "\(wrong.errors)")
        #expect(try RunningLivecap(["record", "--help"], settings: "sise = 3\n").finish().status == 0)
        #expect(try RunningLivecap(["help"], settings: "sise = 3\n").finish().status == 0)
    }

    @Test(arguments: ["frames = 4", "format = heic", "count = 3"]) func aSettingReachesNoOptionOfAnotherMeaning(
        line: String
    ) throws {
        let files = try Scratch()
        let record = ["record", "--synthetic", "tripod", "--size", "64x48", "-n", "2", "-o", files.path("a.lcap")]
        let refused = try RunningLivecap(record, settings: line + "\n").finish()
        #expect(refused.status == 64 && refused.errors.contains("livecap/config:1: "), "\(refused.errors)")
        #expect(refused.errors.contains("means one thing for") && files.names == [], "\(refused.errors)")
        #expect(try RunningLivecap(record, settings: "[shoot]\n" + line + "\n").finish().status == 0)
    }

    @Test func aFilesNameCountsBeforeTheSettingOfAKind() throws {
        let files = try Scratch()
        let frames = try files.rawFrames(3)
        let export = ["export", frames, "-o", files.path("a.y4m")] + Scratch.rawOptions
        let outcome = try RunningLivecap(export, settings: "[export]\nto = mkv\n").finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(files.text("a.y4m").hasPrefix("YUV4MPEG2"))
    }

    @Test func settingsThatAreNoFileAreRefused() throws {
        let config = "\"$XDG_CONFIG_HOME/livecap/config\""
        let outcome = try livecap("devices", shell: "mkfifo \(config); exec \"$@\"")
        #expect(outcome.status == 64 && outcome.errors.contains("not a regular file"), "\(outcome.errors)")
    }

    @Test func quietSaysErrorsAlone() throws {
        let files = try Scratch()
        let line = ["record", "--synthetic", "tripod", "--size", "64x48", "-n", "2", "-o", files.path("a"), "--quiet"]
        let first = try RunningLivecap(line).finish()
        #expect(first.status == 0 && first.errors == "" && first.output.contains("2 frames"), "\(first.errors)")
        let second = try RunningLivecap(line).finish()
        #expect(second.status == 73 && second.errors.contains("already exists"))
    }
}
