// SPDX-License-Identifier: MIT
// Movies of `livecap run`: they begin and end by key and request, and pictures go on.

import Foundation
import Glibc
import LivecapCSystem
import LivecapPatience
import LivecapProcesses
import Testing

@Suite(.timeLimit(.long)) struct RunMovieTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private func run(
        _ arguments: String..., stages: [String] = [], size: String = "64x48", scene: String = "tripod:prerender=4",
        shell: String
    ) throws -> RunningLivecap {
        try RunningLivecap(
            [
                "run", "--synthetic", scene, "--size", size, "--format", "MJPG", "--quality", "single", "--json",
                "-o", files.path("out") + "/", "--movies", files.path("movies") + "/",
            ] + arguments + stages, shell: shell)
    }

    /// The number of pictures in a movie that can be decoded.
    private func pictures(_ name: String) -> Int? {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "ffprobe", "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames",
            "-of", "csv=p=0", files.path("movies/\(name)"),
        ]
        (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        process.awaitEnd()
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private var movies: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: files.path("movies")).sorted()) ?? []
    }

    private func objects(_ outcome: Outcome, _ event: String) throws -> [[String: Any]] {
        try outcome.objects.filter { $0["event"] as? String == event }
    }

    @Test func theKeyMStartsAndEndsThem() throws {
        let terminal = try PseudoTerminal()
        let program = try run("--no-socket", "--pre", "1s", shell: "exec \"$@\" <'\(terminal.path)'")
        try eventually("the words that it is armed") { program.errors.contains("starts a movie") }
        try program.waitForFrames(45)
        terminal.type("m")
        try eventually("the beginning") { program.output.contains("movie-begun") }
        terminal.type(" ")
        try eventually("the picture") { program.output.contains("livecap-0001.jpg") }
        terminal.type("m")
        try eventually("the end") { program.output.contains("\"event\":\"movie\"") }
        terminal.type("m")
        try eventually("another") { program.output.contains("livecap-0002.mkv") }
        // Ends the second one, too.
        terminal.type("q")
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(movies == ["livecap-0001.mkv", "livecap-0002.mkv"])
        let reports = try objects(outcome, "movie")
        #expect(reports.count == 2)
        for (name, report) in zip(movies, reports) {
            let (frames, repeated) = (report["frames"] as? Int ?? 0, report["repeated"] as? Int ?? -1)
            #expect(frames > 0 && pictures(name) == frames + repeated, "\(report)")
            #expect(report["codec"] as? String == "mjpeg")
        }
        #expect(reports.first?["preMs"] as? Double ?? 0 > 500)
    }

    @Test(arguments: [["--fuse", "movies"], ["--steady", "movies"], ["--fuse", "movies", "--steady", "movies"]])
    func moviesOfTreatedFramesBeginInThePast(_ stages: [String]) throws {
        let terminal = try PseudoTerminal()
        let program = try run(
            "--no-socket", "--pre", "1s", stages: stages, shell: "exec \"$@\" <'\(terminal.path)'")
        try eventually("the words that it is armed") { program.errors.contains("starts a movie") }
        try program.waitForFrames(60)
        terminal.type("m")
        try eventually("the beginning") { program.output.contains("movie-begun") }
        try program.waitForFrames(6)
        terminal.type("q")
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try #require(try objects(outcome, "movie").first)
        #expect(report["preMs"] as? Double ?? 0 > 300, "\(report)")
        #expect(report["fused"] as? Bool == stages.contains("--fuse"), "\(report)")
        #expect((report["steadied"] as? Int ?? 0 > 0) == stages.contains("--steady"), "\(report)")
        let file = try RunningLivecap(["info", files.path("movies/livecap-0001.mkv"), "--json"]).finish().object
        let provenance = try #require(file["provenance"] as? [String: Any])
        #expect(provenance["fused"] as? Bool == stages.contains("--fuse"))
        #expect(provenance["steadied"] as? Bool == stages.contains("--steady"))
    }

    @Test func requestsAreAnswered() throws {
        let (fifo, path) = (files.path("taps"), files.path("shutter.sock"))
        try #require(mkfifo(fifo, 0o600) == 0)
        let pipe = try #require(FileHandle(forUpdatingAtPath: fifo))
        let program = try run("--socket", path, "--movie-kind", "mp4", shell: "exec \"$@\" <'\(fifo)'")
        try eventually("the words that it is armed") { program.errors.contains("starts a movie") }
        let descriptor = lc_unix_socket()
        defer { close(descriptor) }
        try #require(lc_unix_connect(descriptor, path) == 0)
        func ask(_ words: String, until answer: String) throws -> String {
            let line = Array("\(words)\n".utf8)
            #expect(lc_send(descriptor, line, line.count) == Int64(line.count))
            var answers: [UInt8] = []
            while !String(decoding: answers, as: UTF8.self).contains(answer) {
                var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                try #require(poll(&polled, 1, Patience.milliseconds) == 1)
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor, &bytes, bytes.count)
                try #require(count > 0)
                answers += bytes[..<count]
            }
            try checkSocketLines(answers)
            return String(decoding: answers, as: UTF8.self)
        }
        #expect(try ask("{\"movie\":\"stop\",\"id\":1}", until: "\n").contains("no movie is being made"))
        let past = try ask("{\"movie\":{\"do\":\"start\",\"preMs\":60000}}", until: "\n")
        #expect(past.contains("for the beginning of a movie"), "\(past)")
        #expect(try ask("{\"movie\":\"start\",\"id\":2}", until: "movie-begun").contains("\"id\":2"))
        #expect(try ask("{\"movie\":\"start\"}", until: "\n").contains("a movie is being made"))
        #expect(try ask("{\"tap\":\"now\"}", until: "\"event\":\"photo\"").contains("captured"))
        // A slow machine may not have looked at a frame yet.
        try eventually("a picture of the movie") { movies == ["livecap-0001.mp4"] }
        #expect(try ask("{\"movie\":\"pause\"}", until: "\n").contains("movie-paused"))
        #expect(try ask("{\"movie\":\"resume\",\"id\":4}", until: "movie-resumed").contains("\"id\":4"))
        #expect(try ask("{\"movie\":\"mark\",\"name\":\"Goal\"}", until: "\n").contains("movie-marked"))
        let long = String(repeating: "a", count: 3000)
        #expect(try ask("{\"movie\":\"mark\",\"name\":\"\(long)\"}", until: "\n").contains("mark-too-long"))
        #expect(try ask("{\"movie\":\"toggle\",\"id\":3}", until: "\"event\":\"movie\"").contains("livecap-0001.mp4"))
        #expect(try ask("{\"movie\":\"dance\"}", until: "\n").contains("bad-request"))
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0 && movies == ["livecap-0001.mp4"])
        let chapters = try #require(try objects(outcome, "movie").first?["chapters"] as? [[String: Any]])
        #expect(chapters.last?["name"] as? String == "Goal")
    }

    @Test func theyMayHavePartsAndASizeOfTheirOwn() throws {
        let terminal = try PseudoTerminal()
        let program = try run(
            "--no-socket", "--pre", "1s", "--split", "400ms", "--canvas", "96x96@30",
            shell: "exec \"$@\" <'\(terminal.path)'")
        try eventually("the words that it is armed") { program.errors.contains("starts a movie") }
        try program.waitForFrames(36)
        terminal.type("m")
        try eventually("a second part") { movies.contains("livecap-0001-002.mkv") }
        terminal.type("pc")
        try program.waitForFrames(9)
        terminal.type("q")
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try #require(try objects(outcome, "movie").first)
        let parts = try #require(report["parts"] as? [[String: Any]])
        let names = parts.compactMap { ($0["file"] as? String)?.split(separator: "/").last.map(String.init) }
        #expect(names == movies && names.first == "livecap-0001-001.mkv")
        for (name, part) in zip(names, parts) { #expect(pictures(name) == part["pictures"] as? Int) }
        #expect(report["codec"] as? String == "h264" && report["preMs"] as? Double ?? 0 > 300)
    }

    /// The limit on the size of files stands for a full disk: both fail write(2).
    /// The thread sanitizer cannot set up its own memory under that limit.
    @Test(.enabled(if: getenv("LIVECAP_SANITIZER").map { String(cString: $0) } != "thread"))
    func aFullDiskEndsTheMovieAndPicturesGoOn() throws {
        let terminal = try PseudoTerminal()
        let program = try run(
            "--no-socket", size: "320x240", scene: "tripod:noise=4,prerender=4",
            shell: "ulimit -f 512; exec \"$@\" <'\(terminal.path)'")
        try eventually("the words that it is armed") { program.errors.contains("starts a movie") }
        terminal.type("m")
        try eventually("the full disk") { program.output.contains("file-error") }
        terminal.type(" ")
        try eventually("the picture") { program.output.contains("livecap-0001.jpg") }
        terminal.type("q")
        let outcome = program.finish()
        #expect(outcome.status == 74, "\(outcome.errors)")
        let report = try #require(try objects(outcome, "movie").first)
        let (frames, found) = (report["frames"] as? Int ?? 0, pictures("livecap-0001.mkv") ?? 0)
        #expect(frames > 0 && found >= frames, "\(report)")
    }

    @Test func withoutAPlaceThatIsSaid() throws {
        #expect(try livecap("run", "--pre", "3s", "--synthetic", "tripod").status == 64)
        let outcome = try livecap(
            "run", "--synthetic", "tripod", "--movies", files.path("a/b/c"), "--no-socket", "--duration", "1s")
        #expect(outcome.status == 73, "\(outcome.errors)")
    }
}
