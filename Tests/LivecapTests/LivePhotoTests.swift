// SPDX-License-Identifier: MIT
// Pictures with the moments around them in their own files.

import Foundation
import LivecapFrames
import LivecapPatience
import LivecapProcesses
import LivecapStills
import Testing

@Suite(.timeLimit(.usual)) struct LivePhotoTests {
    private let files = try! Scratch()
    private let scene = ["--synthetic", "handheld:seed=2,prerender=10", "--size", "160x96"]

    private func run(_ arguments: [String], shell: String? = nil) throws -> Outcome {
        try RunningLivecap(arguments, shell: shell).finish()
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: files.path(name))))
    }

    /// The codec and the number of pictures of the movie in a picture's file.
    private func movie(in file: [UInt8]) throws -> (codec: String, pictures: Int)? {
        let found = try #require(MotionPhoto(file))
        let path = files.path("movie.mp4")
        try Data(file[found.movie]).write(to: URL(filePath: path))
        let probe = try run(
            "ffprobe",
            [
                "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,nb_read_frames", "-of",
                "csv=p=0", path,
            ], output: files.path("probe"))
        #expect(probe == 0)
        let words = try String(contentsOf: URL(filePath: files.path("probe")), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ",")
        return words.count == 2 ? (String(words[0]), Int(words[1]) ?? 0) : nil
    }

    /// Runs a program with its output in a file. Returns its exit status.
    private func run(_ program: String, _ arguments: [String], output: String) throws -> Int32 {
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = FileHandle(forWritingAtPath: output)
        try process.run()
        process.awaitEnd()
        return process.terminationStatus
    }

    @Test(arguments: ["jpg", "heic"]) func aPictureHasTheMomentsAround(suffix: String) throws {
        let outcome = try run(["shoot"] + scene + ["--live", "--json", "-o", files.path("a.\(suffix)")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try outcome.object
        let file = try bytes("a.\(suffix)")
        #expect(report["bytes"] as? Int == file.count)
        let found = try #require(MotionPhoto(file))
        #expect(report["movieBytes"] as? Int == found.movie.count)
        // A second and a half on both sides, to a frame.
        let (moment, length) = (
            try #require(report["movieMomentMs"] as? Double), try #require(report["movieMs"] as? Double)
        )
        #expect(moment <= 1501 && moment > 1501 - 68 && length - moment <= 1501 && length - moment > 1501 - 68)
        if suffix == "jpg" {
            let inside = try #require(found.moment)
            #expect(abs(inside / .milliseconds(1) - moment) < 0.01)
        }
        let movie = try #require(try movie(in: file))
        #expect(movie.codec == "h264" && abs(Double(movie.pictures) - (length / 33.3 + 1)) < 3)
        #expect(PhotoInspection(file)?.isWhole == true && PhotoInspection(file)?.provenance != nil)
        #expect(PhotoInspection(file)?.size == FrameSize(width: 160, height: 96))
    }

    /// The limit on the size of files stands for a full disk: both fail write(2).
    /// The thread sanitizer cannot set up its own memory under that limit.
    @Test(.disabled(if: ProcessInfo.processInfo.environment["LIVECAP_SANITIZER"] == "thread"))
    func aPictureWithoutRoomForItsMovieIsNotSaidToBeComplete() throws {
        let outcome = try run(
            ["shoot"] + scene + ["--live", "--pair", "-o", files.path("a.jpg")], shell: "ulimit -f 48; exec \"$@\"")
        #expect(outcome.status == 74, "\(outcome.errors)")
        #expect(outcome.errors.contains("no picture is complete; one picture lacks the files"), "\(outcome.errors)")
        #expect(files.names == ["a.jpg"])
    }

    @Test func itHasSoundIfThatIsAskedFor() throws {
        let outcome = try run(
            ["shoot"] + scene + ["--live", "--sound", "synthetic", "--json", "-o", files.path("a.jpg")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.object["movieSound"] as? String == "aac")
        let file = try bytes("a.jpg")
        let found = try #require(MotionPhoto(file))
        try Data(file[found.movie]).write(to: URL(filePath: files.path("movie.mp4")))
        let status = try run(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", files.path("movie.mp4")],
            output: files.path("probe"))
        #expect(status == 0)
        let codecs = try String(contentsOf: URL(filePath: files.path("probe")), encoding: .utf8)
        #expect(codecs.split(separator: "\n") == ["h264", "aac"])
    }

    @Test func soundNeedsLive() throws {
        let outcome = try run(["shoot"] + scene + ["--sound", "synthetic", "-o", files.path("a.jpg")])
        #expect(outcome.status == 64 && outcome.errors.contains("--live"), "\(outcome.errors)")
    }

    /// A photo that is made at once, and one whose final follows.
    @Test(arguments: [("never", "jpeg"), ("required", "jpeg"), ("required", "heic")])
    func inALibraryItIsOnePhoto(deferral: String, format: String) throws {
        let library = files.path("library")
        let outcome = try run(
            ["shoot"] + scene + ["--live", "--library", library, "--defer", deferral, "--format", format, "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try outcome.object
        let movieBytes = try #require(report["movieBytes"] as? Int)
        #expect(report["deferred"] as? Bool == (deferral == "required"))
        func file() throws -> [UInt8] {
            #expect(
                try run(["library", "export", "1", "-o", files.path("out"), "--overwrite", "--library", library])
                    .status == 0)
            return try bytes("out")
        }
        let first = try file()
        #expect(first.count == report["bytes"] as? Int && MotionPhoto(first)?.movie.count == movieBytes)
        #expect(try run(["library", "finish", "--library", library]).status == 0)
        let final = try file()
        let found = try #require(MotionPhoto(final))
        #expect(found.movie.count == movieBytes && PhotoInspection(final)?.isWhole == true)
        let shown = try run(["library", "show", "1", "--json", "--library", library]).object
        #expect(shown["movieBytes"] as? Int == movieBytes && shown["state"] as? String == "finished")
        #expect(try run(["library", "verify", "--library", library]).status == 0)
        #expect(try run(["library", "remove", "1", "--for-good", "--yes", "--library", library]).status == 0)
        let left = FileManager.default.enumerator(atPath: library)?.compactMap { $0 as? String } ?? []
        #expect(!left.contains { $0.contains(".jpg") || $0.contains(".heic") }, "\(left)")
    }

    @Test(arguments: ["jpg", "heic"]) func aPairHasOneIdentifier(suffix: String) throws {
        let outcome = try run(
            ["shoot"] + scene + ["--live", "--pair", "--count", "2", "--json", "-o", files.path("a.b.\(suffix)")])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let movies = try outcome.objects.map { try #require($0["movieFile"] as? String) }
        #expect(movies == [files.path("a.b-1.mov"), files.path("a.b-2.mov")])
        var seen: Set<Substring> = []
        for movie in movies {
            let status = try run(
                "exiftool", ["-s3", "-ContentIdentifier", "-MediaGroupUUID", movie, movie.dropLast(3) + suffix],
                output: files.path("tags"))
            #expect(status == 0)
            let identifiers = try String(contentsOf: URL(filePath: files.path("tags")), encoding: .utf8)
                .split(separator: "\n").filter { $0.count == 36 && !$0.contains("/") }
            #expect(identifiers.count == 2 && Set(identifiers).count == 1, "\(identifiers)")
            seen.formUnion(identifiers)
        }
        #expect(seen.count == 2)
    }

    @Test func aMovieBesideReplacesNothing() throws {
        try files.write([1, 2, 3], to: "a.mov")
        let options = ["--live", "--pair", "--json", "-o", files.path("a.jpg")]
        let outcome = try run(["shoot"] + scene + options)
        #expect(outcome.status == 73 && outcome.errors.contains("a.mov already exists"), "\(outcome.errors)")
        #expect(try bytes("a.mov") == [1, 2, 3])
        #expect(files.names == ["a.mov"])
        #expect(try run(["shoot"] + scene + options + ["--overwrite"]).status == 0)
        #expect(try bytes("a.mov").count > 1000)
    }

    @Test func everyTapOfARunGetsItsMovie() throws {
        let outcome = try run(
            ["run"] + scene + ["--live", "--json", "--no-socket", "--duration", "6s", "-o", files.path("taps/")],
            shell: "(sleep 2.5; echo; sleep 0.3; echo; sleep 2.5) | \"$@\"")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let reports = try outcome.objects
        #expect(reports.count == 2)
        for report in reports {
            let path = try #require(report["file"] as? String)
            let file = [UInt8](try Data(contentsOf: URL(filePath: path)))
            #expect(MotionPhoto(file)?.movie.count == report["movieBytes"] as? Int)
            #expect(try #require(report["movieMomentMs"] as? Double) > 1400)
        }
    }

    @Test(
        "What has no room for a movie is refused",
        arguments: [
            ["-o", "a.png"], ["-o", "-"], ["--library", "lib", "--format", "png"], ["--pace", "fast", "-o", "a.jpg"],
            ["--ring", "1s", "-o", "a.jpg"],
        ])
    func refusals(options: [String]) throws {
        let outcome = try run(["shoot"] + scene + ["--live"] + options, shell: "cd '\(files.path("."))' && exec \"$@\"")
        #expect(outcome.status == 64 && outcome.errors.contains("--live"), "\(outcome.errors)")
        #expect(files.names.isEmpty)
    }

    @Test func aKillLeavesTheStillOrBoth() throws {
        let shot = try RunningLivecap(["shoot"] + scene + ["--live", "--json", "-o", files.path("a.jpg")])
        // The still is there before its movie is complete.
        try eventually("a still") { files.names.contains("a.jpg") }
        shot.signal(SIGKILL)
        _ = shot.finish()
        #expect(PhotoInspection(try bytes("a.jpg"))?.isWhole == true)
    }

    @Test func withoutFFmpegThePictureIsThereAllTheSame() throws {
        try files.hideFFmpeg(in: "libraries")
        let outcome = try run(
            ["shoot"] + scene + ["--live", "--json", "-o", files.path("a.jpg")],
            shell: "LD_LIBRARY_PATH='\(files.path("libraries"))' exec \"$@\"")
        #expect(outcome.status == 69)
        let file = try bytes("a.jpg")
        #expect(PhotoInspection(file)?.isWhole == true && MotionPhoto(file) == nil)
        #expect(try outcome.objects.map { $0["code"] as? String } == [nil, "no-ffmpeg"])
    }
}
