// SPDX-License-Identifier: MIT
// `livecap run` as the host of everything at once: taps, a page, movies, and readers of its memory.

import Foundation
import Glibc
import LivecapCSystem
import LivecapPatience
import LivecapProcesses
import Testing

import class LivecapWebGear.FrameRecords
import class LivecapWebGear.HTTPConnection
import struct LivecapWebGear.HTTPRequest

@Suite(.timeLimit(.usual)) struct RunPlacesTests {
    private let files: Scratch

    init() throws {
        files = try Scratch()
        try FileManager.default.createDirectory(
            atPath: files.path("runtime"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Starts it with a small scene, and returns the port of its page.
    private func run(_ arguments: String...) throws -> (program: RunningLivecap, pipe: FileHandle, port: UInt16) {
        let fifo = files.path("taps")
        try #require(mkfifo(fifo, 0o600) == 0)
        let pipe = try #require(FileHandle(forUpdatingAtPath: fifo))
        let program = try RunningLivecap(
            [
                "run", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--format", "MJPG", "--quality",
                "single",
                "--json", "--library", files.path("library"), "--serve", "--listen", "0",
            ] + arguments, shell: "XDG_RUNTIME_DIR='\(files.path("runtime"))' exec \"$@\" <'\(fifo)'")
        try eventually("the page's address") { program.errors.contains("browsers find it at http://") }
        let address = try #require(program.errors.firstMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)\//))
        return (program, pipe, try #require(UInt16(address.1)))
    }

    private func ask(_ port: UInt16, _ method: String, _ path: String, _ body: String = "") throws -> [String: Any] {
        let status = try HTTPConnection.get(port: port, "/status")
        let proof = try #require(status.json?["proof"]?.string)
        let answer = try HTTPConnection.exchange(
            port: port, HTTPRequest(method, path, fields: [("Livecap-Proof", proof)], body: Array(body.utf8)))
        #expect((200...202).contains(answer.status), "\(answer.text)")
        return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
    }

    /// Reads frames with the example client in Python.
    private func read(_ count: Int) throws -> [Substring] {
        let reader = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Examples/Sharing/reader.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [reader.path, files.path("runtime/livecap/share.sock"), "\(count)"]
        let output = try files.write([], to: "lines")
        process.standardOutput = FileHandle(forWritingAtPath: output)
        try process.run()
        process.awaitEnd()
        #expect(process.terminationStatus == 0)
        return files.text("lines").split(separator: "\n")
    }

    @Test func tapsPageMoviesAndReadersHaveOneCamera() throws {
        let (program, pipe, port) = try run("--share", "--movies", files.path("movies"), "--sound", "synthetic")
        #expect(program.errors.contains("other programs read its frames at"))
        try pipe.write(contentsOf: Data("\n".utf8))
        try eventually("the tap's picture") { program.output.contains("\"file\"") }
        #expect(try ask(port, "POST", "/shots?wait=1", "{}")["state"] as? String == "finished")
        let movie = try ask(port, "POST", "/movies", #"{"do":"start"}"#)
        #expect(movie["state"] as? String == "recording" && movie["sound"] as? String != nil)
        #expect(try read(5).count == 5)
        #expect(try HTTPConnection.get(port: port, "/snapshot").body.starts(with: [0xFF, 0xD8]))
        _ = try ask(port, "POST", "/movies", #"{"do":"stop"}"#)
        let photos = try ask(port, "GET", "/photos")["photos"] as? [Any]
        #expect(photos?.count == 2)
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path("movies")) == ["livecap-0001.mp4"])
        #expect(try tracks("movies/livecap-0001.mp4") == ["pictures", "sound"])
        #expect(!FileManager.default.fileExists(atPath: files.path("runtime/livecap/share.sock")))
    }

    @Test func thePageDoesNotRemoveAMovieThatIsBeingMade() throws {
        let (program, pipe, port) = try run("--movies", files.path("movies"))
        try pipe.write(contentsOf: Data("m\n".utf8))
        try eventually("the movie's file") {
            ((try? ask(port, "GET", "/movies"))?["movies"] as? [Any])?.isEmpty == false
        }
        let proof = try #require(try HTTPConnection.get(port: port, "/status").json?["proof"]?.string)
        func remove() throws -> Int {
            try HTTPConnection.exchange(
                port: port, HTTPRequest("DELETE", "/movies/livecap-0001.mkv", fields: [("Livecap-Proof", proof)])
            ).status
        }
        #expect(try remove() == 409)
        try pipe.write(contentsOf: Data("m\n".utf8))
        try eventually("the movie's end") { program.output.contains("\"frames\"") }
        #expect(try remove() == 204)
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func aMovieOfAKeyIsShownAndEndedByThePage() throws {
        let (program, pipe, port) = try run("--movies", files.path("movies"))
        try pipe.write(contentsOf: Data("m\n".utf8))
        func state() -> String? { (try? ask(port, "GET", "/movies"))?["state"] as? String }
        try eventually("what the page says of it") { state() == "recording" }
        #expect(try ask(port, "POST", "/movies", #"{"do":"pause"}"#)["state"] as? String == "paused")
        #expect(try ask(port, "POST", "/movies", #"{"do":"resume"}"#)["state"] as? String == "recording")
        #expect(try ask(port, "POST", "/movies", #"{"do":"stop"}"#)["state"] as? String == "changing")
        try eventually("its end") { state() == "idle" }
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        // A line that is a key takes no picture.
        #expect(outcome.output.contains("movie-begun") && !outcome.output.contains("\"shot\""), "\(outcome.output)")
    }

    @Test func theCameraMayRestWhileNobodyReadsWhatIsShared() throws {
        let (program, pipe, _) = try run("--share", "--idle-off", "100ms")
        try eventually("the rest") { program.errors.contains("the camera is off until it is needed") }
        // More than the history holds.
        #expect(try read(100).count == 100)
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func placesGetFusedFramesAndPicturesTheCamerasOwn() throws {
        let (program, pipe, port) = try run(
            "--share", "--movies", files.path("movies"), "--record", files.path("a.lcap"), "--fuse",
            "share,movies,record,page", "--strength", "8")
        #expect(
            program.errors.contains(
                "the shared memory, movies, the recording and the page get frames fused with their past"))
        let records = try FrameRecords(port: port)
        let shown = try records.nextFrame()
        // A picture of what was shown is one of the camera's frame.
        let own = try HTTPConnection.get(port: port, "/snapshot?frame=\(shown.id)")
        #expect(own.status == 200 && own["Livecap-Frame"] == shown.id && own.body != shown.jpeg)
        let shot = try ask(port, "POST", "/shots?wait=1", "{\"frame\":\"\(shown.id)\"}")
        #expect(shot["state"] as? String == "finished", "\(shot)")
        let proof = try #require(try HTTPConnection.get(port: port, "/status").json?["proof"]?.string)
        let past = try HTTPConnection.exchange(
            port: port,
            HTTPRequest(
                "POST", "/movies", fields: [("Livecap-Proof", proof)],
                body: Array(#"{"do":"start","preMs":1000}"#.utf8)))
        #expect(past.status == 409 && past.text.contains("nothing of the past is fused"), "\(past.text)")
        _ = try ask(port, "POST", "/movies", #"{"do":"start"}"#)
        try eventually("pictures") { try! ask(port, "GET", "/movies")["bytes"] as? Int ?? 0 > 0 }
        #expect(try read(5).count == 5)
        _ = try ask(port, "POST", "/movies", #"{"do":"stop"}"#)
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let movie = try RunningLivecap(["info", files.path("movies/livecap-0001.mp4"), "--json"]).finish().object
        #expect((movie["provenance"] as? [String: Any])?["fused"] as? Bool == true, "\(movie)")
        let recording = try RunningLivecap(["info", files.path("a.lcap"), "--json"]).finish().object
        #expect(recording["format"] as? String != "MJPG" && recording["frames"] as? Int ?? 0 > 0, "\(recording)")
        #expect("\(recording)".contains("tripod, fused"), "\(recording)")
    }

    @Test(
        arguments: [["--fuse", "record"], ["--fuse", "record", "--steady", "record"]],
        [("a.lcap", 70), ("a.y4m", 70), ("a.lcap", 1), ("a.y4m", 3)])
    func aFileThatIsReplayedWaitsForTheRecordingOfItsFusedFrames(
        stages: [String], recording: (name: String, frames: Int)
    ) throws {
        let (name, count) = recording
        let (source, copy) = (files.path("source.lcap"), files.path(name))
        let scene = ["--synthetic", "handheld:prerender=4", "--size", "64x48", "--format", "MJPG", "-n", "\(count)"]
        #expect(try RunningLivecap(["record", "-o", source] + scene).finish().status == 0)
        let outcome = try RunningLivecap(
            ["run", "--replay", source, "--pace", "fast", "--no-socket", "-o", files.path("out") + "/"]
                + ["--record", copy] + stages, shell: "exec \"$@\" </dev/null"
        ).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try RunningLivecap(["info", copy, "--json"]).finish().object
        #expect(report["frames"] as? Int == count && report["format"] as? String != "MJPG", "\(report)")
    }

    @Test func fusedFramesAreNoJPEGFile() throws {
        let outcome = try RunningLivecap(
            ["run", "--synthetic", "tripod", "--record", files.path("a.mjpg"), "--fuse", "record"]
        ).finish()
        #expect(outcome.status == 64 && outcome.errors.contains("are not JPEG"), "\(outcome.errors)")
        #expect(files.names == ["runtime"])
    }

    @Test(arguments: [("synthetic", ["pictures", "sound"]), ("none", ["pictures"])])
    func moviesOfThePageHaveTheSoundThatIsAskedFor(_ sound: String, kinds: [String]) throws {
        let program = try RunningLivecap([
            "serve", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--format", "MJPG", "--listen", "0",
            "--library", files.path("library"), "--movies", files.path("movies"), "--sound", sound,
        ])
        try eventually("the address") { program.output.hasSuffix("/\n") }
        let port = try #require(program.output.firstMatch(of: /:([0-9]+)\//).flatMap { UInt16($0.1) })
        let movie = try ask(port, "POST", "/movies", #"{"do":"start"}"#)
        #expect((movie["sound"] as? String != nil) == kinds.contains("sound"), "\(movie)")
        try eventually("pictures") { try! ask(port, "GET", "/movies")["bytes"] as? Int ?? 0 > 0 }
        // A server that ends completes the movie.
        program.signal(SIGINT)
        #expect(program.finish().status == 0, "\(program.errors)")
        #expect(try tracks("movies/livecap-0001.mp4") == kinds)
    }

    @Test func moviesOfThePageAndOfTheSocketHaveNamesOfTheirOwn() throws {
        let (program, pipe, port) = try run("--movies", files.path("movies"), "--movie-kind", "mp4")
        let socket = lc_unix_socket()
        defer { close(socket) }
        try #require(lc_unix_connect(socket, files.path("runtime/livecap/shutter.sock")) == 0)
        let start = Array("{\"movie\":\"start\"}\n".utf8)
        #expect(lc_send(socket, start, start.count) == Int64(start.count))
        _ = try ask(port, "POST", "/movies", #"{"do":"start"}"#)
        try eventually("the socket's movie") { program.output.contains("movie-begun") }
        try eventually("pictures of both") {
            (try? FileManager.default.contentsOfDirectory(atPath: files.path("movies")))?.count == 2
        }
        _ = try ask(port, "POST", "/movies", #"{"do":"stop"}"#)
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: files.path("movies")).sorted()
        #expect(names == ["livecap-0001.mp4", "livecap-0002.mp4"])
        for name in names { #expect(try tracks("movies/\(name)") == ["pictures"]) }
    }

    @Test func framesAreRecordedBesidePictures() throws {
        let (program, pipe, port) = try run("--record", files.path("walk.lcap"))
        try pipe.write(contentsOf: Data("\n".utf8))
        try eventually("the tap's picture") { program.output.contains("\"file\"") }
        #expect(try ask(port, "POST", "/shots?wait=1", "{}")["state"] as? String == "finished")
        try eventually("the recording") { FileManager.default.fileExists(atPath: files.path("walk.lcap")) }
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try #require(try outcome.objects.first { $0["event"] as? String == "recording" })
        #expect(report["file"] as? String == files.path("walk.lcap") && report["dropped"] as? Int == 0)
        let found = try RunningLivecap(["info", files.path("walk.lcap"), "--json"]).finish().object
        #expect(report["frames"] as? Int ?? 0 > 0 && found["frames"] as? Int == report["frames"] as? Int)
    }

    @Test(arguments: ["walk.lcap", "walk.y4m"]) func noFrameOfAFastSceneIsMissing(_ name: String) throws {
        let outcome = try RunningLivecap(
            [
                "run", "--synthetic", "tripod:frames=100,prerender=2", "--size", "320x240", "--pace", "fast",
                "--no-socket", "-o", files.path("out/"), "--record", files.path(name), "--json",
            ], shell: "exec \"$@\" </dev/null"
        ).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try #require(try outcome.objects.first { $0["event"] as? String == "recording" })
        #expect(report["frames"] as? Int == 100 && report["dropped"] as? Int == 0, "\(outcome.output)")
    }

    @Test func anExistingFileIsNotRecordedOver() throws {
        let path = try files.write([1], to: "walk.lcap")
        let outcome = try RunningLivecap(
            [
                "run", "--synthetic", "tripod", "--size", "64x48", "--no-socket", "-o", files.path("out/"), "--record",
                path,
            ]
        ).finish()
        #expect(outcome.status == 73 && outcome.errors.contains("exists"), "\(outcome.errors)")
        #expect(files.text("walk.lcap") == "\u{1}")
    }

    /// The limit on the size of files stands for a full disk: both fail write(2).
    /// The thread sanitizer cannot set up its own memory under that limit.
    @Test(.enabled(if: getenv("LIVECAP_SANITIZER").map { String(cString: $0) } != "thread"))
    func aFullDiskEndsTheRecordingAndPicturesGoOn() throws {
        let terminal = try PseudoTerminal()
        let program = try RunningLivecap(
            [
                "run", "--synthetic", "tripod:noise=4,prerender=4", "--size", "320x240", "--quality", "single",
                "--json",
                "--no-socket", "-o", files.path("out") + "/", "--record", files.path("walk.lcap"),
            ], shell: "ulimit -f 8192; exec \"$@\" <'\(terminal.path)'")
        try eventually("the full disk") { program.output.contains("file-error") }
        terminal.type(" ")
        try eventually("the picture") { program.output.contains("livecap-0001.jpg") }
        terminal.type("q")
        let outcome = program.finish()
        #expect(outcome.status == 74, "\(outcome.errors)")
        let found = try RunningLivecap(["info", files.path("walk.lcap"), "--json"]).finish().object
        #expect(found["frames"] as? Int ?? 0 > 0)
    }

    @Test(arguments: ["run", "serve", "live"]) func aPlaceThatIsNoCameraIsNamedBeforeAnyFrame(command: String) throws {
        let own = command == "serve" ? ["--library", files.path("library"), "--listen", "0"] : []
        let outcome = try RunningLivecap(
            [command, "--synthetic", "tripod:prerender=2", "--size", "64x48", "--to", "/dev/null"] + own,
            shell: "XDG_RUNTIME_DIR='\(files.path("runtime"))' exec \"$@\" </dev/null"
        ).finish()
        #expect(
            outcome.status == 69 && outcome.errors.contains("/dev/null does not take pictures"), "\(outcome.errors)")
    }

    @Test func aSharingSocketInUseIsNamedByRunToo() throws {
        let (program, pipe, _) = try run("--share")
        let second = try RunningLivecap(
            ["run", "--synthetic", "tripod:prerender=2", "--size", "64x48", "--share", "--no-socket"],
            shell: "cd '\(files.path("runtime"))' && XDG_RUNTIME_DIR='\(files.path("runtime"))' exec \"$@\" </dev/null"
        ).finish()
        #expect(second.status == 69 && second.errors.contains("socket"), "\(second.errors)")
        try pipe.close()
        #expect(program.finish().status == 0, "\(program.errors)")
    }

    @Test func aPageShowsSteadiedFramesAndPicturesAreTheCamerasOwn() throws {
        let (program, pipe, port) = try run("--share", "--steady", "share,page", "--fuse", "share")
        #expect(program.errors.contains("the shared memory gets frames fused with their past and steadied"))
        #expect(program.errors.contains("the page gets steadied frames"))
        let records = try FrameRecords(port: port)
        let shown = try records.nextFrame()
        let shot = try ask(port, "POST", "/shots?wait=1", "{\"frame\":\"\(shown.id)\"}")
        #expect(shot["state"] as? String == "finished", "\(shot)")
        #expect(try read(5).count == 5)
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// The kinds of tracks of a movie.
    private func tracks(_ name: String) throws -> [String] {
        let outcome = try RunningLivecap(["info", files.path(name), "--json"]).finish()
        let tracks = try outcome.object["tracks"] as? [[String: Any]] ?? []
        return tracks.compactMap { $0["kind"] as? String }
    }

    @Test(arguments: [
        (["--serve"], "--library"), (["--listen", "0"], "--serve"),
        (["--record", "a.lcap", "--idle-off", "1s"], "--idle-off"), (["--record", "-"], "name a file"),
        (["--record", "a.mp4"], ".mp4 files are not written"),
        (["--fuse", "to"], "--to pipewire"), (["--fuse", "share,pge"], "several of them with commas"),
        (["--strength", "4"], "--fuse"), (["--steady", "to"], "--to pipewire"),
        (["--movies", "m", "--steady", "movies", "--stabilise", "cinematic"], "steadies the same movies"),
        (["--effects", "portait"], "portrait=0.6"),
        (["--effects", "light"], "add --to pipewire, --serve, --view or --movies"),
        (["--effects", "light", "--effects-in", "share"], "--share"), (["--effects-in", "page"], "--effects"),
        (["--certificate", "c.pem", "--key", "k.pem"], "--serve"),
    ])
    func optionsThatNeedOrExcludeOthersSaySo(_ options: [String], word: String) throws {
        let outcome = try RunningLivecap(["run", "--synthetic", "tripod"] + options).finish()
        #expect(outcome.status == 64 && outcome.errors.contains(word), "\(outcome.errors)")
    }
}
