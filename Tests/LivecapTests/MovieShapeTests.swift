// SPDX-License-Identifier: MIT
// `livecap movie`: pauses, chapters, parts, timelapses and canvases on the command line.

import Foundation
import LivecapPatience
import LivecapProcesses
import Testing

@Suite(.timeLimit(.long)) struct MovieShapeTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// What ffprobe prints of the pictures of a file.
    private func probe(_ name: String, _ entries: String) throws -> [String] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "ffprobe", "-v", "error", "-select_streams", "v", "-count_packets", "-show_entries", entries, "-of",
            "csv=p=0", files.path(name),
        ]
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.awaitEnd()
        return text.split(separator: "\n").map(String.init)
    }

    private func movie(_ name: String, _ options: String..., scene: String = "tripod:frames=60,prerender=4") throws
        -> Outcome
    {
        try RunningLivecap(
            ["movie", "--synthetic", scene, "--size", "64x48", "--fps", "30", "--json", "-o", files.path(name)]
                + options
        ).finish()
    }

    /// A pause from before its beginning would leave out all of the movie.
    @Test func keysBeforeItsBeginningAreRefused() throws {
        let terminal = try PseudoTerminal()
        let program = try RunningLivecap(
            ["movie", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--json", "-o", files.path("a.mkv")]
                + ["--on-tap", "-t", "300ms"],
            shell: "exec \"$@\" <'\(terminal.path)'")
        try eventually("the ways to tap") { program.errors.contains("begins the movie") }
        for key in ["p", "c"] {
            terminal.type(key)
            try eventually("the refusal of \(key)") {
                program.errors.components(separatedBy: "the movie has not begun").count == (key == "p" ? 2 : 3)
            }
        }
        terminal.type(" ")
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect(object["frames"] as? Int ?? 0 > 0 && object["pauses"] as? Int ?? 0 == 0)
    }

    @Test(arguments: [["--on-tap"], ["--pre", "60s"]]) func qEndsTheWaitAsCtrlCDoes(options: [String]) throws {
        let terminal = try PseudoTerminal()
        let program = try RunningLivecap(
            ["movie", "--synthetic", "tripod:prerender=4", "--size", "64x48", "-o", files.path("a.mkv")] + options,
            shell: "exec \"$@\" <'\(terminal.path)'")
        try eventually("the wait") { program.errors.contains(options.count == 1 ? "begins the movie" : "in memory") }
        terminal.type("q")
        let outcome = program.finish()
        #expect(outcome.status == 128 + SIGINT, "\(outcome.errors)")
        #expect(outcome.errors.contains("before anything was taken") && files.names == [], "\(outcome.errors)")
    }

    @Test func fusedMoviesEndAfterSoManyFrames() throws {
        for name in ["a.mkv", "a.mp4", "a.y4m"] {
            let outcome = try livecap(
                "live", "--synthetic", "tripod:frames=40", "--size", "64x48", "-n", "20", "--json", "-o",
                files.path(name))
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try outcome.object["written"] as? Int == 20)
            #expect(try probe(name, "stream=nb_read_packets") == ["20"])
        }
    }

    @Test func keysPauseItAndMarkChapters() throws {
        let terminal = try PseudoTerminal()
        let program = try RunningLivecap(
            ["movie", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--json", "-o", files.path("a.mkv")],
            shell: "exec \"$@\" <'\(terminal.path)'")
        try eventually("the keys") { program.errors.contains("p pauses, c marks a chapter") }
        try eventually("a picture") { files.names.contains("a.mkv") }
        terminal.type("c")
        try eventually("the chapter") { program.errors.contains("a chapter begins") }
        // Keys are obeyed in their order: once the second chapter is announced, the movie is paused.
        terminal.type("pc")
        try eventually("another") { program.errors.components(separatedBy: "a chapter begins").count == 3 }
        try program.waitForFrames(20)
        let size = try files.bytes("a.mkv").count
        terminal.type("p")
        try eventually("pictures after the pause") { (try? files.bytes("a.mkv").count) ?? 0 > size }
        terminal.type("q")
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect(object["pauses"] as? Int == 1 && object["pausedMs"] as? Double ?? 0 > 300)
        let chapters = try #require(object["chapters"] as? [[String: Any]])
        #expect(chapters.dropFirst().map { $0["name"] as? String } == ["Mark 1", "Mark 2"])
        #expect(try probe("a.mkv", "stream=nb_read_packets") == ["\(object["frames"] as? Int ?? -1)"])
        let info = try livecap("info", files.path("a.mkv"), "--json").object
        let found = (info["chapters"] as? [[String: Any]])?.map { $0["name"] as? String }
        #expect(found == chapters.map { $0["name"] as? String })
    }

    @Test func partsAreListed() throws {
        let outcome = try movie("a.mp4", "--pace", "fast", "--split", "500ms")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect(files.names == ["a-001.mp4", "a-002.mp4", "a-003.mp4", "a-004.mp4"])
        let parts = try #require(object["parts"] as? [[String: Any]])
        let (paths, pictures) = (parts.map { $0["file"] as? String }, parts.map { $0["pictures"] as? Int })
        #expect(paths == files.names.map { files.path($0) })
        #expect(pictures == [15, 15, 15, 15] && object["frames"] as? Int == 60)
        #expect(object["file"] as? String == files.path("a-001.mp4"))
        for name in files.names { #expect(try probe(name, "stream=nb_read_packets") == ["15"]) }
    }

    @Test func partsMayBeginInThePast() throws {
        let movie = try RunningLivecap(
            ["movie", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--format", "MJPG", "--json", "-o"]
                + [files.path("a.mkv"), "--pre", "1s", "--on-tap", "-t", "2s", "--split", "500ms"])
        try eventually("readiness") { movie.errors.contains("begins the movie 1.0 s before") }
        try movie.waitForFrames(60)
        movie.signal(SIGUSR1)
        let outcome = movie.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect(files.names == (1...4).map { "a-00\($0).mkv" } && object["preMs"] as? Double ?? 0 > 800)
        let pictures = try files.names.map { Int(try probe($0, "stream=nb_read_packets").first ?? "") ?? -1 }
        #expect(pictures.reduce(0, +) == object["frames"] as? Int)
    }

    @Test(arguments: ["1ms", "10M", "100kB", "x", "-1s"]) func splitsThatAreNoneAreRefused(text: String) throws {
        let outcome = try movie("a.mkv", "--split", text)
        #expect(outcome.status == 64 && files.names == [])
    }

    @Test func aTimelapseIsFast() throws {
        let outcome = try movie("a.mkv", "--format", "MJPG", "--pace", "fast", "--timelapse", "200ms")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect(
            object["frames"] as? Int == 10 && object["factor"] as? Double == 6 && object["unchanged"] as? Bool == true)
        #expect(try probe("a.mkv", "stream=nb_read_packets") == ["10"])
        let refused = try movie("b.mkv", "--timelapse", "200ms", "--sound", "synthetic")
        #expect(refused.status == 64 && refused.output.contains("a timelapse has no sound"))
        #expect(try movie("c.mkv", "--timelapse", "1s", "--sound", "none", "-t", "2s").status == 0)
    }

    @Test func aCanvasThatIsNoneIsToldItsLimits() throws {
        let outcome = try movie("b.mkv", "--canvas", "16386x96")
        #expect(outcome.output.contains("from 16x16 to 16384x16384"), "\(outcome.output)")
    }

    @Test func datesAreShownAlikeWhateverTheFile() throws {
        for name in ["a.mkv", "a.mp4", "a.webm"] {
            let made = try movie(
                name, "--format", "MJPG", "--pace", "realtime", scene: "tripod:frames=8,prerender=4")
            #expect(made.status == 0, "\(made.errors)")
            let begin = try #require(livecap("info", files.path(name), "--json").object["begin"] as? String)
            // 2026-11-26T08:36:54.123+01:00
            let date = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d/
            #expect(begin.wholeMatch(of: date) != nil, "\(begin)")
            let words = try livecap("info", files.path(name)).output
            #expect(words.contains("begun \(begin.prefix(19).replacing("T", with: " "))"), "\(words)")
        }
    }

    @Test func steadiedFramesAreCounted() throws {
        let plain = try movie("a.mp4", "--pace", "fast")
        #expect(try plain.object["steadied"] as? Int == 0)
        let steady = try movie("b.mp4", "--pace", "fast", "--stabilise", "standard")
        #expect(try steady.object["steadied"] as? Int == steady.object["frames"] as? Int)
    }

    @Test func aCanvasHasASizeAndARate() throws {
        let outcome = try movie(
            "a.mkv", "--format", "MJPG", "--pace", "fast", "--canvas", "96x96@60")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.object["codec"] as? String == "h264")
        #expect(try probe("a.mkv", "stream=codec_name,width,height") == ["h264,96,96"])
        for canvas in ["96", "8x8", "96x96@", "96x96@0", "96x96@30@30", "96x96@100000", "16386x96"] {
            #expect(try movie("b.mkv", "--canvas", canvas).status == 64, "\(canvas)")
        }
    }
}
