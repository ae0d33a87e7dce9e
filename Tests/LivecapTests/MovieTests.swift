// SPDX-License-Identifier: MIT
// `livecap movie`: how it begins and ends, its report, and what it refuses.

import Foundation
import LivecapPatience
import LivecapProcesses
import Testing

@Suite struct MovieTests {
    private let files: Scratch
    private static let scene = ["--synthetic", "tripod:prerender=4", "--size", "64x48"]

    init() throws { files = try Scratch() }

    /// The number of pictures that ffprobe finds; nil if the file cannot be read.
    private func pictures(_ name: String) -> Int? {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0",
            files.path(name),
        ]
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        process.awaitEnd()
        return process.terminationStatus == 0 ? Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) : nil
    }

    /// Starts a movie of a scene that goes on for ever at its own pace.
    private func endless(_ name: String, _ options: String...) throws -> RunningLivecap {
        try RunningLivecap(["movie"] + Self.scene + ["--format", "MJPG", "-o", files.path(name), "--json"] + options)
    }

    @Test func documentedKeysArePresent() throws {
        let outcome = try RunningLivecap(
            ["movie", "--synthetic", "tripod:frames=30,prerender=4", "--size", "64x48", "--pace", "fast", "--json"]
                + ["-o", files.path("a.mp4")]
        ).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect(object["file"] as? String == files.path("a.mp4") && object["frames"] as? Int == 30)
        #expect(object["container"] as? String == "mp4" && object["codec"] as? String == "h264")
        #expect(object["unchanged"] as? Bool == false && object["dropped"] as? Int == 0)
        #expect(object["width"] as? Int == 64 && object["askedNs"] is NSNull && object["preMs"] is NSNull)
        #expect(object["bytes"] as? Int == (try files.bytes("a.mp4").count))
        #expect(pictures("a.mp4") == 30)
    }

    @Test func aRecordingBecomesAMovieAtOnce() throws {
        let recorded = try RunningLivecap(
            ["record", "--synthetic", "tripod:frames=40,prerender=4", "--pace", "fast", "--size", "64x48"]
                + ["--format", "MJPG", "-o", files.path("a.lcap")]
        ).finish()
        try #require(recorded.status == 0)
        let outcome = try livecap("movie", "--replay", files.path("a.lcap"), "-o", files.path("a.mkv"), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect(object["unchanged"] as? Bool == true && object["codec"] as? String == "mjpeg")
        #expect(pictures("a.mkv") == 40)
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalEndsItWithEveryFrameAnnounced(signal: Int32) throws {
        let movie = try endless("a.mkv")
        try eventually("a picture") { (try? files.bytes("a.mkv").count) ?? 0 > 1000 }
        movie.signal(signal)
        let outcome = movie.finish()
        #expect(outcome.status == (signal == SIGINT ? 0 : 128 + signal), "\(outcome.errors)")
        let frames = try outcome.object["frames"] as? Int
        #expect(frames ?? 0 > 0 && pictures("a.mkv") == frames)
    }

    @Test("A movie removed while it is filmed ends with 74, and is not said to be kept")
    func removedWhileFilming() throws {
        let movie = try endless("a.mkv")
        try eventually("a picture") { (try? files.bytes("a.mkv").count) ?? 0 > 1000 }
        unlink(files.path("a.mkv"))
        movie.signal(SIGINT)
        let outcome = movie.finish()
        #expect(outcome.status == 74 && outcome.errors.contains("was removed"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("kept") && files.names.isEmpty, "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "file-removed")
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func whatWasWrittenBeforeAKillCanBePlayed(name: String) throws {
        let movie = try endless(name)
        // More than the first piece.
        try eventually("a second of pictures") { pictures(name) ?? 0 >= 30 }
        let before = try #require(pictures(name))
        movie.signal(SIGKILL)
        #expect(movie.finish().status == -SIGKILL)
        #expect(try #require(pictures(name)) >= before)
        #expect(try run("ffmpeg", ["-v", "error", "-xerror", "-i", files.path(name), "-f", "null", "-"]) == 0)
        #expect(files.names == [name])
    }

    @Test func aTapBeginsItAtMostSoMuchBefore() throws {
        let movie = try endless("a.mkv", "--pre", "500ms", "--on-tap", "--time", "700ms")
        try eventually("readiness") { movie.errors.contains("begins the movie 0.5 s before") }
        movie.signal(SIGUSR1)
        let outcome = movie.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        let (first, asked) = (try #require(object["firstNs"] as? Int), try #require(object["askedNs"] as? Int))
        // The tap may come before the scene's first frame.
        #expect(asked - first <= 500_000_000)
        #expect(pictures("a.mkv") == object["frames"] as? Int)
    }

    @Test func withoutATapItBeginsOnceThePastIsThere() throws {
        let outcome = try endless("a.mkv", "--pre", "400ms", "--time", "600ms").finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        let past = try #require(object["preMs"] as? Double)
        #expect(past > 0 && past <= 400)
    }

    @Test func memoryWithoutRoomForThePastIsRefused() throws {
        let outcome = try RunningLivecap([
            "movie", "--synthetic", "tripod", "--size", "160x96", "--format", "YUYV", "--ring", "1M", "--pre", "30s",
            "--on-tap", "-o", files.path("a.mkv"),
        ]).finish()
        #expect(outcome.status == 64 && outcome.errors.contains("--pre needs 30.0 s"), "\(outcome.errors)")
        #expect(files.names == [])
    }

    @Test func aSecondTapEndsIt() throws {
        let movie = try endless("a.mkv", "--on-tap")
        try eventually("readiness") { movie.errors.contains("begins the movie") }
        movie.signal(SIGUSR1)
        try eventually("a picture") { pictures("a.mkv") ?? 0 > 0 }
        movie.signal(SIGUSR1)
        let outcome = movie.finish()
        let frames = try outcome.object["frames"] as? Int
        #expect(outcome.status == 0 && pictures("a.mkv") == frames)
    }

    @Test func interruptedBeforeTheTapThereIsNoMovie() throws {
        let movie = try endless("a.mkv", "--on-tap")
        try eventually("readiness") { movie.errors.contains("begins the movie") }
        movie.signal(SIGINT)
        #expect(movie.finish().status == 130 && files.names == [])
    }

    @Test(arguments: [
        (["-o", "a.webm", "--codec", "h264"], "unplayable"), (["-o", "a.mp4", "--codec", "mjpeg"], "unplayable"),
        (["-o", "a.avi"], "bad-settings"), (["-o", "-"], "usage"),
        (["-o", "a.mkv", "--pre", "3s", "--ring", "2s"], "usage"),
        (["-o", "a.mkv", "--pre", "1s", "--synthetic", "tripod", "--pace", "fast"], "usage"),
    ]) func mistakesAreRefusedBeforeTheCameraIsOpened(options: [String], code: String) throws {
        let device = options.contains("--synthetic") ? [] : ["--device", "/dev/video-none"]
        let outcome = try RunningLivecap(["movie", "--json"] + device + options).finish()
        #expect(outcome.status == 64, "\(outcome.output)")
        #expect(try outcome.object["code"] as? String == code)
    }

    @Test func anExistingFileIsNotReplaced() throws {
        try files.write([1, 2, 3], to: "a.mkv")
        let outcome = try RunningLivecap(["movie"] + Self.scene + ["-o", files.path("a.mkv"), "-t", "1s"]).finish()
        #expect(outcome.status == 73 && outcome.errors.contains("--overwrite"), "\(outcome.errors)")
        #expect(try files.bytes("a.mkv") == [1, 2, 3])
    }

    /// The limit on the size of files stands for a full disk: both fail write(2).
    /// The thread sanitizer cannot set up its own memory under that limit.
    @Test(
        .enabled(if: getenv("LIVECAP_SANITIZER").map { String(cString: $0) } != "thread"),
        arguments: ["a.mkv", "a.mp4"]
    )
    func aFullDiskEndsItWithWhatWasWritten(name: String) throws {
        let outcome = try RunningLivecap(
            ["movie", "--synthetic", "tripod:noise=4", "--size", "320x240", "--pace", "fast", "-t", "60s", "--json"]
                + ["--format", "MJPG", "-o", files.path(name)],
            shell: "ulimit -f 512; exec \"$@\""
        ).finish()
        #expect(outcome.status == 74, "\(outcome.errors)")
        let objects = try outcome.objects
        #expect(objects.count == 2 && objects.last?["code"] as? String == "file-error")
        let frames = objects.first?["frames"] as? Int
        #expect(frames ?? 0 > 0 && pictures(name) == frames)
        #expect(try run("ffmpeg", ["-v", "error", "-xerror", "-i", files.path(name), "-f", "null", "-"]) == 0)
    }

    /// Asks for a movie where the loader finds a folder with files that are no libraries instead of FFmpeg's.
    private func withoutFFmpeg() throws -> Outcome {
        try files.hideFFmpeg(in: "libraries")
        let outcome = try RunningLivecap(
            ["movie"] + Self.scene + ["-o", files.path("a.mkv"), "--json"],
            shell: "LD_LIBRARY_PATH='\(files.path("libraries"))' exec \"$@\""
        ).finish()
        #expect(outcome.status == 69)
        #expect(try outcome.object["code"] as? String == "no-ffmpeg")
        #expect(files.names == ["libraries"])
        return outcome
    }

    @Test func withoutFFmpegThatIsSaidBeforeAnyFrame() throws {
        // The newest that is there is named.
        let outcome = try withoutFFmpeg()
        #expect(outcome.errors.contains("libavformat.so.63: file too short"), "\(outcome.errors)")
    }

    @Test func anFFmpegThatIsNotKnownIsRefusedByName() throws {
        try FileManager.default.createDirectory(atPath: files.path("libraries"), withIntermediateDirectories: true)
        let library = files.path("libraries/libavformat.so.64")
        try #require(run("cc", ["-shared", "-o", library, "-x", "c", "/dev/null"]) == 0)
        let outcome = try withoutFFmpeg()
        #expect(outcome.errors.contains("FFmpeg 10 is installed (libavformat.so.64)"), "\(outcome.errors)")
        #expect(outcome.errors.contains("install the libraries of FFmpeg 5 to 9"), "\(outcome.errors)")
    }

    @Test func aLibraryThatIsNotWhatItsNameSaysIsRefused() throws {
        try FileManager.default.createDirectory(atPath: files.path("libraries"), withIntermediateDirectories: true)
        let library = files.path("libraries/libavformat.so.63")
        let source = "unsigned avformat_version(void) { return 58 << 16; }"
        let line = "echo '\(source)' | cc -shared -fPIC -o '\(library)' -x c -"
        try #require(run("sh", ["-c", line]) == 0)
        let outcome = try withoutFFmpeg()
        #expect(outcome.errors.contains("libavformat.so.63 says that it is version 58"), "\(outcome.errors)")
    }

    @Test func nothingLinksFFmpeg() throws {
        let libraries = try livecap("version", shell: "LD_TRACE_LOADED_OBJECTS=1 exec \"$@\"").output
        #expect(libraries.contains("libturbojpeg") && !libraries.contains("libav"), "\(libraries)")
    }

    /// Compares the table of the release that is installed, and all else that we declare of FFmpeg, with its headers.
    /// `make test-ffmpeg` does the same for the others.
    @Test func ourDeclarationsAreFFmpegs() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        #expect(try run(root.appending(path: "scripts/libav-layout").path, ["--check"]) == 0)
    }

    // MARK: Sound

    /// Runs a movie of a scene with sound, without ALSA's library and the user's PipeWire.
    private func withoutALSA(_ sound: String) throws -> Outcome {
        try FileManager.default.createDirectory(atPath: files.path("libraries"), withIntermediateDirectories: true)
        try files.write([], to: "libraries/libasound.so.2")
        return try RunningLivecap(
            ["movie"] + Self.scene + ["-o", files.path("a.mkv"), "-t", "300ms", "--sound", sound, "--json"],
            shell: "XDG_RUNTIME_DIR='\(files.path("."))' LD_LIBRARY_PATH='\(files.path("libraries"))' exec \"$@\""
        ).finish()
    }

    @Test func withoutALSATheMovieIsSilent() throws {
        let outcome = try withoutALSA("auto")
        #expect(outcome.status == 0 && outcome.errors.contains("so the movie has no sound"), "\(outcome.errors)")
        #expect(try outcome.object["sound"] is NSNull)
    }

    @Test(arguments: [(true, "no-alsa"), (false, "no-such-microphone")])
    func aNamedMicrophoneThatCannotBeUsedIsRefused(isALSAMissing: Bool, code: String) throws {
        let outcome =
            isALSAMissing
            ? try withoutALSA("some microphone")
            : try RunningLivecap(
                ["movie"] + Self.scene + ["-o", files.path("a.mkv"), "--sound", "some microphone", "--json"]
            ).finish()
        #expect(outcome.status == 69, "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == code)
        #expect(!files.names.contains("a.mkv"))
    }

    @Test func soundOfAnotherClockIsRefused() throws {
        let outcome = try RunningLivecap(
            ["movie"] + Self.scene + ["--pace", "fast", "-o", files.path("a.mkv"), "--sound", "synthetic", "--json"]
        ).finish()
        #expect(outcome.status == 64 && files.names == [], "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "bad-settings")
    }
}
