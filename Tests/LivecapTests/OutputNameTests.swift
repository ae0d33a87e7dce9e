// SPDX-License-Identifier: MIT
// Names of outputs: what they may stand for, which are refused, and what is reported first.

import Foundation
import Glibc
import LivecapFiles
import LivecapFrames
import LivecapPatience
import Testing

@testable import livecap

@Suite(.timeLimit(.usual)) struct OutputNameTests {
    private let files: Scratch
    private let scene = ["--synthetic", "tripod", "--size", "64x48", "--format", "YUYV"]

    init() throws { files = try Scratch() }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: files.path("."))) ?? []).sorted()
            .filter { !["output", "errors", "livecap"].contains($0) }
    }

    @Test func partsOfAMovieAreNotNumberedTwice() throws {
        let moment = CalendarTime(sinceEpoch: .zero)
        let error = #expect(throws: Failure.self) {
            try OutputName.path("tl%03d.mkv", at: moment, mayReplace: false, isSplit: true)
        }
        #expect(error?.hint.contains("walk-001.mkv") == true)
        #expect(try OutputName.path("%Y.mkv", at: moment, mayReplace: false, isSplit: true) == "1970.mkv")
        // In a folder of a month, %d is the day.
        let day = try OutputName.path(files.path("%Y/%m/%d.mkv"), at: moment, mayReplace: false, isSplit: true)
        #expect(day == files.path("1970/01/01.mkv"))
    }

    @Test(arguments: ["record", "movie"]) func numbersInNamesCount(command: String) throws {
        let length = command == "record" ? ["-n", "3"] : ["-t", "100ms", "--pace", "fast"]
        for _ in 0..<2 {
            let outcome = try RunningLivecap([command, "-o", files.path("tl%03d.mkv")] + length + scene).finish()
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(names == ["tl001.mkv", "tl002.mkv"])
    }

    @Test func anUnknownPlaceholderIsRefusedBeforeAnythingIsOpened() throws {
        let outcome = try RunningLivecap(["movie", "-o", files.path("%Q.mkv")] + scene).finish()
        #expect(outcome.status == 64 && outcome.errors.contains("%Q") && names == [], "\(outcome.errors)")
    }

    @Test(arguments: ["a.mov", "a.avi", "a.mjpg", "a.jpg"]) func endingsThatLiveDoesNotWriteListThoseThatItDoes(
        name: String
    ) throws {
        let error = #expect(throws: Failure.self) { try LiveFile.checkName(name) }
        for ending in [".mkv", ".mp4", ".webm", ".y4m", ".lcap"] { #expect(error?.hint.contains(ending) == true) }
        #expect(error?.hint.contains("ffmpeg") == false && error?.hint.contains("--format MJPG") == false)
    }

    @Test(arguments: ["a.mp4", "a.MKV", "a.y4m", "a.lcap", "-", "a"]) func namesThatLiveWritesAreAccepted(
        name: String
    ) throws {
        try LiveFile.checkName(name)
    }

    @Test func aFileThatExistsHidesNoMistakeInTheSource() throws {
        try files.write([], to: "a.jpg")
        let typo = try RunningLivecap(["shoot", "--synthetic", "tirpod", "-o", files.path("a.jpg")]).finish()
        #expect(typo.errors.contains("tirpod") && !typo.errors.contains("exists"), "\(typo.errors)")
        let missing = try RunningLivecap(["shoot", "--replay", files.path("none"), "-o", files.path("a.jpg")]).finish()
        #expect(missing.errors.contains("no such file") && !missing.errors.contains("exists"), "\(missing.errors)")
    }

    @Test func aPairsMovieThatExistsIsNoticedBeforeTheShot() throws {
        try files.write([1], to: "a.mov")
        let outcome = try RunningLivecap(["shoot", "--live", "--pair", "-o", files.path("a.jpg")] + scene).finish()
        #expect(outcome.status == 73 && outcome.errors.contains("a.mov"), "\(outcome.errors)")
        #expect(names == ["a.mov"])
    }

    @Test func aPicturesLineIsShortUnlessMoreIsAskedFor() throws {
        let shoot = ["shoot", "--pace", "fast", "--size", "64x48", "--synthetic", "tripod:noise=3", "--frames", "4"]
        let script = "cd '\(files.path("."))' && exec \"$@\""
        let brief = try RunningLivecap(shoot + ["-o", "evening-walk-0001.jpg"], shell: script).finish()
        let line = brief.output.dropLast()
        #expect(line.hasPrefix("evening-walk-0001.jpg: 4 frames, +0.00 ms from the moment, "), "\(line)")
        #expect(line.count < 80)
        let verbose = try RunningLivecap(shoot + ["-o", "b.jpg", "--verbose"], shell: script).finish()
        #expect(verbose.output.contains("noise") && verbose.output.contains("(within "), "\(verbose.output)")
    }

    /// A reader that takes nothing holds up the end.
    @Test func whoWaitsForAReaderHearsOfTheSecondInterrupt() throws {
        let reader = files.path("pipe")
        try #require(mkfifo(reader, 0o600) == 0)
        let pipe = try #require(FileHandle(forUpdatingAtPath: reader))
        // A frame is more than the pipe has room for.
        let program = try RunningLivecap(
            ["live", "-o", "-", "--synthetic", "tripod", "--size", "320x240"],
            // Threads that have ended by then are joined no more.
            shell: "TSAN_OPTIONS=$TSAN_OPTIONS:report_thread_leaks=0 exec \"$@\" >'\(reader)'")
        try eventually("a full pipe") {
            var waiting: Int32 = 0
            return ioctl(pipe.fileDescriptor, UInt(FIONREAD), &waiting) == 0 && waiting > 60_000
        }
        program.signal(SIGINT)
        try eventually("the way to end at once") { program.errors.contains("again ends at once") }
        program.signal(SIGINT)
        #expect(program.finish().status == 130)
        try pipe.close()
    }

    @Test func aMovieInAFolderIsTheNextOne() throws {
        let folder = files.path("clips")
        #expect(try OutputName.movie(files.path("a.mp4")) == files.path("a.mp4"))
        #expect(try OutputName.movie(folder + "/") == "\(folder)/livecap-0001.mkv")
        #expect(FileManager.default.createFile(atPath: "\(folder)/livecap-0004.webm", contents: nil))
        #expect(try OutputName.movie(folder) == "\(folder)/livecap-0005.mkv")
    }

    @Test func folderAndNameOfAnExportAreDates() throws {
        let scene = ["--synthetic", "tripod", "--size", "32x32"]
        let library = files.path("library")
        let shot = try RunningLivecap(["shoot", "--count", "3", "--library", library] + scene).finish()
        try #require(shot.status == 0, "\(shot.errors)")
        let name = files.path("%Y/n%02d.jpg")
        let copies = try RunningLivecap(["library", "export", "--all", "--library", library, "-o", name, "--json"])
            .finish()
        #expect(copies.status == 0, "\(copies.errors)")
        let paths = try copies.objects.compactMap { $0["file"] as? String }
        #expect(paths.map { String($0.suffix(8)) } == ["/n01.jpg", "/n02.jpg", "/n03.jpg"])
        #expect(paths.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        let recording = files.path("a.lcap")
        let recorded = try RunningLivecap(["record", "-n", "2", "-o", recording] + scene).finish()
        try #require(recorded.status == 0, "\(recorded.errors)")
        let export = try RunningLivecap(["export", recording, "-o", files.path("out/%Y-%m.y4m"), "--json"]).finish()
        #expect(export.status != 0, "a folder that is no date is not made")
        let dated = try RunningLivecap(["export", recording, "-o", files.path("out-%Y/%03d.y4m"), "--json"]).finish()
        #expect(dated.status == 0, "\(dated.errors)")
        let path = try #require(try dated.object["file"] as? String)
        #expect(path.hasSuffix("/001.y4m") && FileManager.default.fileExists(atPath: path))
    }
}
