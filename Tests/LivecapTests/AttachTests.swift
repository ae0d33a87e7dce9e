// SPDX-License-Identifier: MIT
// Commands that use the camera of a running livecap, as people and scripts do.

import Foundation
import Glibc
import LivecapCSystem
import LivecapPatience
import Testing

@Suite(.timeLimit(.usual)) struct AttachTests {
    private let files: Scratch
    private let shell: String

    init() throws {
        files = try Scratch()
        try FileManager.default.createDirectory(
            atPath: files.path("runtime"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        shell = "XDG_RUNTIME_DIR='\(files.path("runtime"))' exec \"$@\" </dev/null"
    }

    /// Starts a livecap that has a scene, and waits until it has three seconds of it.
    private func host(_ arguments: String..., frames: UInt64 = 90) throws -> (program: RunningLivecap, pipe: FileHandle)
    {
        let fifo = files.path("taps")
        if access(fifo, F_OK) != 0 { try #require(mkfifo(fifo, 0o600) == 0) }
        let pipe = try #require(FileHandle(forUpdatingAtPath: fifo))
        let program = try RunningLivecap(
            [
                "run", "--synthetic", "tripod:prerender=4", "--size", "64x48", "--fps", "60", "--ring", "4s",
                "--no-socket", "-o", files.path("out") + "/",
            ] + arguments, shell: "XDG_RUNTIME_DIR='\(files.path("runtime"))' exec \"$@\" <'\(fifo)'")
        try eventually("its socket") { !sockets.isEmpty }
        try program.waitForFrames(frames)
        return (program, pipe)
    }

    private var sockets: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: files.path("runtime/livecap"))) ?? []).filter {
            $0.hasPrefix("host-")
        }
    }

    private func attached(_ arguments: String...) throws -> Outcome {
        try RunningLivecap(Array(arguments), shell: shell).finish()
    }

    @Test func aPictureOfItsPastIsTakenAtOnce() throws {
        let (program, pipe) = try host(frames: 150)
        let outcome = try attached("shoot", "-d", "livecap", "--at", "-1800ms", "-o", files.path("a.png"), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("using the frames of livecap run (pid \(program.id))"))
        #expect(try (outcome.object["framesUsed"] as? [Any])?.count ?? 0 > 1)
        try pipe.close()
        #expect(program.finish().status == 0)
        #expect(sockets.isEmpty)
    }

    @Test func aMomentBeforeItsPastIsRefused() throws {
        let (program, pipe) = try host()
        let outcome = try attached("shoot", "-d", "livecap", "--at", "-1h", "-o", files.path("a.png"))
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(outcome.errors.contains("exceeds the history of livecap run (pid \(program.id))"))
        #expect(!files.names.contains("a.png"))
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func controlsOfASceneAreNone() throws {
        let (program, pipe) = try host(frames: 1)
        let outcome = try attached("controls", "-d", "livecap")
        #expect(outcome.status == 64 && outcome.errors.contains("and no camera"), "\(outcome.errors)")
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func itsLastMomentsAreSaved() throws {
        let (program, pipe) = try host()
        let outcome = try attached(
            "record", "-d", "livecap:\(program.id)", "--pre", "1s", "--duration", "1s", "-o", files.path("a.lcap"),
            "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let (first, last) = (try outcome.object["firstNs"] as? Int ?? 0, try outcome.object["lastNs"] as? Int ?? 0)
        #expect((500_000_000...1_000_000_000).contains(last - first), "\(outcome.output)")
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func itsLastMomentsAreExported() throws {
        let (program, pipe) = try host()
        let movie = try attached("export", "--last", "1s", "-o", files.path("a.mkv"), "--json")
        #expect(movie.status == 0, "\(movie.errors)")
        // A busy machine may leave out frames of a scene, and the last one may not have come.
        #expect((10...61).contains(try movie.object["frames"] as? Int ?? 0), "\(movie.output)")
        let pictures = try attached("export", "--last", "1h", "-o", files.path("pictures") + "/")
        #expect(pictures.status == 0 && pictures.errors.contains("keeps no more"), "\(pictures.errors)")
        #expect(FileManager.default.fileExists(atPath: files.path("pictures/000060.png")))
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test(arguments: [
        (["export", "--last", "1s", "-o", "a.mkv"], "no livecap is running"),
        (["export", "--last", "1s", "walk.lcap", "-o", "a.mkv"], "exclude each other: walk.lcap"),
        (["export", "-o", "a.mkv"], "needs FILE or --last"),
        (["export", "--last", "1s", "-o", "a.lcap"], "unknown kind of output"),
        (["export", "walk.lcap", "-d", "livecap", "-o", "a.mkv"], "changes nothing without --last"),
    ])
    func whatCannotBeExportedIsSaid(_ words: [String], expected: String) throws {
        let outcome = try RunningLivecap(words, shell: shell).finish()
        #expect(outcome.status != 0 && outcome.errors.contains(expected), "\(outcome.errors)")
    }

    @Test func lessPastThanIsAskedForIsNoted() throws {
        let (program, pipe) = try host()
        let outcome = try attached("record", "-d", "livecap", "--pre", "1h", "-n", "5", "-o", files.path("a.lcap"))
        #expect(outcome.status == 0 && outcome.errors.contains("has kept no more"), "\(outcome.errors)")
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func aMovieBeginsWithWhatThereIsOfThePast() throws {
        let (program, pipe) = try host()
        let outcome = try attached(
            "movie", "-d", "livecap", "--pre", "1h", "--duration", "2s", "--sound", "none", "-o", files.path("a.mkv"))
        #expect(outcome.status == 0 && outcome.errors.contains("has kept no more"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("waiting"))
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test(arguments: [
        ["movie", "-o", "m.mkv", "--duration", "500ms", "--codec", "vp9", "--sound", "none"],
        ["live", "-o", "l.y4m", "-n", "10"], ["record", "-o", "r.mkv", "-n", "10"],
        ["shoot", "-o", "s.jpg"],
    ])
    func commandsUseItsFrames(_ words: [String]) throws {
        let (program, pipe) = try host("--idle-off", "1h", frames: 10)
        let arguments = words.map { $0.contains(".") ? files.path($0) : $0 }
        let outcome = try RunningLivecap(arguments + ["-d", "livecap"], shell: shell).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("using the frames of livecap run"))
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func aCameraThatRestsIsSwitchedOnForThem() throws {
        let (program, pipe) = try host("--idle-off", "100ms", frames: 1)
        try eventually("the rest") { program.errors.contains("the camera is off") }
        let outcome = try attached("record", "-d", "livecap", "-n", "20", "-o", files.path("a.lcap"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        try eventually("another rest") { program.errors.components(separatedBy: "the camera is off").count > 2 }
        let shot = try attached("shoot", "-d", "livecap", "-o", files.path("a.jpg"))
        #expect(shot.status == 0, "\(shot.errors)")
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func whatIsRecordedStaysWhenItIsKilled() throws {
        let (program, held) = try host()
        let recording = try RunningLivecap(
            ["record", "-d", "livecap", "-o", files.path("a.lcap"), "--json"], shell: shell)
        try eventually("frames") { FileManager.default.fileExists(atPath: files.path("a.lcap")) }
        program.signal(SIGKILL)
        _ = program.finish()
        try held.close()
        let outcome = recording.finish()
        #expect(outcome.status == 69 && outcome.errors.contains("has ended"), "\(outcome.errors)")
        #expect(outcome.errors.contains("are kept in"))
        #expect(try RunningLivecap(["info", files.path("a.lcap")]).finish().status == 0)
        // What it has left is removed by the next one.
        let (next, pipe) = try host(frames: 1)
        #expect(sockets == ["host-\(next.id).sock"])
        try pipe.close()
        #expect(next.finish().status == 0)
    }

    @Test func aMovieIsWholeAlthoughItIsKilled() throws {
        let (program, held) = try host()
        let movie = try RunningLivecap(
            ["movie", "-d", "livecap", "--pre", "1s", "--sound", "none", "-o", files.path("a.mkv"), "--json"],
            shell: shell)
        try eventually("pictures") { FileManager.default.fileExists(atPath: files.path("a.mkv")) }
        program.signal(SIGKILL)
        _ = program.finish()
        try held.close()
        let outcome = movie.finish()
        #expect(outcome.status == 69 && outcome.errors.contains("has ended"), "\(outcome.errors)")
        let found = try RunningLivecap(["info", files.path("a.mkv"), "--json"]).finish()
        let tracks = try found.object["tracks"] as? [[String: Any]]
        // The second before it was asked for is among it, as far as it came.
        #expect(tracks?.first?["packets"] as? Int ?? 0 >= 30, "\(found.output)")
    }

    @Test(arguments: [
        (["--size", "32x32"], Int32(69), "instead of 32x32"), (["--format", "MJPG"], 69, "instead of MJPG"),
        (["--fps", "5"], 69, "instead of 5 fps"), (["--set", "gain=3"], 64, "controls"), (["--own"], 64, "--own"),
    ])
    func whatItLacksIsRefusedInWords(_ options: [String], status: Int32, words: String) throws {
        let (program, pipe) = try host(frames: 1)
        let outcome = try RunningLivecap(
            ["record", "-d", "livecap", "-n", "3", "-o", files.path("a.lcap")] + options, shell: shell
        ).finish()
        #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome.errors)")
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func withoutOneTheNameIsExplained() throws {
        try FileManager.default.createDirectory(
            atPath: files.path("runtime/livecap"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // What is no socket is no livecap.
        _ = try files.write([1], to: "runtime/livecap/host-1.sock")
        let outcome = try attached("shoot", "-d", "livecap", "-o", files.path("a.jpg"))
        #expect(outcome.status == 69 && outcome.errors.contains("no other livecap of yours"), "\(outcome.errors)")
    }

    @Test func twoOfThemHaveToBeToldApart() throws {
        let (first, pipe) = try host(frames: 1)
        let (second, otherPipe) = try host(frames: 1)
        let outcome = try attached("shoot", "-d", "livecap", "-o", files.path("a.jpg"))
        #expect(outcome.status == 64, "\(outcome.errors)")
        for pid in [first.id, second.id] { #expect(outcome.errors.contains("livecap:\(pid)")) }
        try pipe.close()
        try otherPipe.close()
        #expect(first.finish().status == 0 && second.finish().status == 0)
    }

    @Test func theyAreListedWithTheDevices() throws {
        let (program, pipe) = try host(frames: 1)
        let outcome = try attached("devices")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output.contains("livecap:\(program.id)  synthetic tripod, YUYV 64x48 at 60 fps, of livecap run"))
        try pipe.close()
        #expect(program.finish().status == 0)
        #expect(try !attached("devices").output.contains("livecap:"))
    }

    @Test func aPastThatNobodyKeepsIsRefused() throws {
        let outcome = try attached("record", "--synthetic", "tripod", "--pre", "1s", "-o", files.path("a.lcap"))
        #expect(outcome.status == 64 && outcome.errors.contains("nothing of its past is kept"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: files.path("a.lcap")))
    }

    /// Clients that connect and never read, more than there is room for.
    @Test func aThousandIdleClientsCostItNothing() throws {
        let (program, pipe) = try host(frames: 1)
        let path = files.path("runtime/livecap/host-\(program.id).sock")
        var clients: [Int32] = []
        defer { for client in clients { close(client) } }
        for _ in 0..<1000 {
            if clients.count == 200 { close(clients.removeFirst()) }
            let client = lc_unix_socket()
            try #require(client >= 0)
            clients.append(client)
            try eventually("a connection") { lc_unix_connect(client, path) == 0 }
        }
        try program.waitForFrames(20)
        let refused = try attached("record", "-d", "livecap", "-n", "3", "-o", files.path("a.lcap"))
        #expect(refused.status == 69 && refused.errors.contains("read from livecap:\(program.id)"), "\(refused.errors)")
        #expect(try attached("devices").output.contains("livecap:\(program.id)  does not answer"))
        for client in clients { close(client) }
        clients = []
        try eventually("a free place") {
            (try? attached("record", "-d", "livecap", "-n", "3", "-o", files.path("a.lcap")).status) == 0
        }
        try pipe.close()
        #expect(program.finish().status == 0)
    }
}
