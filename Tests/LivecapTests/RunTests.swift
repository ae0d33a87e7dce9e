// SPDX-License-Identifier: MIT
// `livecap run` as a whole: taps of every kind become pictures, and every way to end is orderly.

import Foundation
import Glibc
import LivecapCSystem
import LivecapFiles
import LivecapPatience
import Testing

@Suite(.timeLimit(.long)) struct RunTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Starts it with a small scene. Standard input is a pipe, which is returned for writing.
    private func run(
        _ arguments: String..., scene: String = "tripod", quality: String = "single", limit: String = ""
    ) throws -> (program: RunningLivecap, pipe: FileHandle) {
        let fifo = files.path("taps")
        try #require(mkfifo(fifo, 0o600) == 0)
        let pipe = try #require(FileHandle(forUpdatingAtPath: fifo))
        let program = try RunningLivecap(
            [
                "run", "--synthetic", scene, "--size", "64x48", "--format", "YUYV", "--quality", quality, "--json",
                "-o",
                files.path("out") + "/",
            ] + arguments, shell: limit + "exec \"$@\" <'\(fifo)'")
        try eventually("the words that it is armed") { program.errors.contains("takes a picture") }
        return (program, pipe)
    }

    /// Connects to the program's socket and sends `words`.
    private func send(_ words: String, to path: String) throws -> Int32 {
        let descriptor = lc_unix_socket()
        try #require(lc_unix_connect(descriptor, path) == 0)
        #expect(lc_send(descriptor, Array(words.utf8), words.utf8.count) == Int64(words.utf8.count))
        return descriptor
    }

    private func pictures(_ outcome: Outcome) throws -> [[String: Any]] {
        try outcome.objects.filter { $0["file"] != nil }
    }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: files.path("out")).sorted()) ?? []
    }

    @Test func linesOnAPipeAndItsEnd() throws {
        let (program, pipe) = try run("--no-socket")
        try pipe.write(contentsOf: Data("\n\n\n".utf8))
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try pictures(outcome).count == 3)
        #expect(names == (1...3).map { "livecap-000\($0).jpg" })
    }

    /// More lines than the inbox has room for, while a press that waits is no button held down.
    @Test func eachOfManyPressesIsTakenOrFailsOrIsCounted() throws {
        let (program, pipe) = try run("--no-socket")
        let lines = 2000
        try pipe.write(contentsOf: Data(repeating: 10, count: lines))
        try pipe.close()
        let outcome = program.finish()
        let counts = outcome.errors.matches(of: /presses came too fast: (\d+) of them/).compactMap { Int($0.1) }
        #expect(try outcome.objects.count + counts.reduce(0, +) == lines, "\(counts)")
    }

    /// The thread sanitizer delays signals, and keeps one of each kind meanwhile.
    @Test(.disabled(if: getenv("LIVECAP_SANITIZER").map { String(cString: $0) } == "thread"))
    func aSignalTakesOneAndQueuedOnesEachTheirOwn() throws {
        let (program, pipe) = try run("--no-socket", "--count", "6")
        program.signal(SIGUSR1)
        for _ in 0..<5 { program.signal(__libc_current_sigrtmin()) }
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try pictures(outcome).count == 6)
        #expect(names.count == 6)
    }

    @Test func anInterruptEndsItWithAllPicturesFinished() throws {
        let (program, pipe) = try run("--no-socket")
        try pipe.write(contentsOf: Data("\n\n\n\n".utf8))
        try eventually("the last picture") { program.output.split(separator: "\n").count == 4 }
        program.signal(SIGINT)
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(names.count == 4)
    }

    /// Sends lines to the program's socket, and returns its answers once they have all of these words.
    private func ask(_ lines: String, at path: String, until wanted: [String]) throws -> String {
        let descriptor = try send(lines, to: path)
        defer { close(descriptor) }
        var answers: [UInt8] = []
        func text() -> String { String(decoding: answers, as: UTF8.self) }
        while !wanted.allSatisfy({ text().contains($0) }) {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&polled, 1, Patience.milliseconds) == 1, "\(text())")
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            try #require(count > 0, "\(text())")
            answers += bytes[..<count]
        }
        try checkSocketLines(answers)
        return text()
    }

    @Test func aTapOfTheSocketHasTheFieldsOfOneOfABrowser() throws {
        let path = files.path("shutter.sock")
        let (program, pipe) = try run("--socket", path)
        let lines = """
            {"tap":{"agoMs":1,"quality":"mean","tag":"mine","zoom":{"factor":2}}}
            {"tap":{"format":"png"}}
            {"tap":"3700s"}

            """
        let answers = try ask(
            lines, at: path, until: ["\"event\":\"photo\"", "this run makes jpeg pictures only", "an hour ahead"])
        let photo = answers.split(separator: "\n").first { $0.contains("\"event\":\"photo\"") }
        #expect(photo?.contains("\"tag\":\"mine\"") == true, "\(answers)")
        try pipe.close()
        #expect(program.finish().status == 0)
        #expect(names == ["livecap-0001.jpg"])
    }

    @Test func aSceneHasNoControlsAndACameraThatIsMissingChangesNothing() throws {
        let path = files.path("shutter.sock")
        let (program, pipe) = try run("--socket", path)
        let controls = try ask("{\"control\":{\"key\":\"gain\",\"value\":1}}\n", at: path, until: ["\n"])
        #expect(controls.contains("\"failed\"") && controls.contains("no controls"), "\(controls)")
        let camera = try ask("{\"camera\":{\"id\":\"usb-missing\"},\"id\":3}\n", at: path, until: ["\n"])
        #expect(camera.contains("no camera called 'usb-missing'") && camera.contains("\"id\":3"), "\(camera)")
        _ = try ask("{\"tap\":{}}\n", at: path, until: ["\"event\":\"photo\""])
        try pipe.close()
        #expect(program.finish().status == 0)
    }

    @Test func requestsOfOtherProgramsAndWordsThatAreNone() throws {
        let path = files.path("shutter.sock")
        let (program, pipe) = try run("--socket", path)
        let answers = try ask(
            "{\"tap\":\"now\",\"id\":7}\nnonsense\n{\"tap\":{\"frame\":\"9:999999\"}}\n{\"readiness\":true}\n",
            at: path,
            until: ["\"event\":\"photo\"", "no-such-frame", "\"event\":\"readiness\"", "error"])
        let photo = answers.split(separator: "\n").first { $0.contains("\"event\":\"photo\"") }
        #expect(photo?.contains("\"id\":7") == true, "\(answers)")
        try pipe.close()
        let outcome = program.finish()
        // The frame that never existed is a picture less.
        #expect(outcome.status == 65, "\(outcome.errors)")
        #expect(names == ["livecap-0001.jpg"])
        #expect(access(path, F_OK) != 0)
    }

    @Test func anIdleCameraIsSwitchedOffAndATapSwitchesItOn() throws {
        let (program, pipe) = try run("--no-socket", "--idle-off", "100ms")
        try eventually("the words that it is off") { program.errors.contains("the camera is off until it is needed") }
        try pipe.write(contentsOf: Data("\n".utf8))
        try pipe.close()
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let picture = try #require(pictures(outcome).first)
        #expect(picture["cameraWasOff"] as? Bool == true)
        #expect((picture["referenceId"] as? String)?.hasPrefix("1:") == true, "\(picture)")
    }

    @Test func theLastOfACountIsWaitedFor() throws {
        let path = files.path("shutter.sock")
        let (program, pipe) = try run("--socket", path, "--count", "1")
        let descriptor = try send("{\"tap\":\"400ms\"}\n{\"tap\":\"now\",\"id\":2}\n", to: path)
        defer { close(descriptor) }
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 0, "\(outcome.errors)")
        // Only the picture of the future moment, and nothing beyond the count.
        #expect(try pictures(outcome).count == 1)
    }

    /// Sends words, and returns when they were understood.
    private func schedule(_ words: String, at path: String) throws -> (connection: Int32, answers: String) {
        let descriptor = try send(words + "{\"readiness\":true}\n", to: path)
        var answers: [UInt8] = []
        while !String(decoding: answers, as: UTF8.self).contains("\"event\":\"readiness\"") {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&polled, 1, Patience.milliseconds) == 1)
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            try #require(count > 0)
            answers += bytes[..<count]
        }
        return (descriptor, String(decoding: answers, as: UTF8.self))
    }

    @Test func whatAClientScheduledCountsNoLongerWhenItHasLeft() throws {
        let path = files.path("shutter.sock")
        let (program, pipe) = try run("--socket", path, "--count", "2")
        let taps = String(repeating: "{\"tap\":\"3600s\"}\n", count: 2)
        close(try schedule(taps, at: path).connection)
        // Taps count from when the program knows that the client has left.
        try eventually("the pictures of others") {
            try? pipe.write(contentsOf: Data("\n".utf8))
            return names.count == 2
        }
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.objects.count == 2 && pictures(outcome).count == 2)
    }

    @Test func aClientHearsOfEachPictureOfItsPress() throws {
        let path = files.path("shutter.sock")
        let (program, pipe) = try run("--socket", path, "--count", "4")
        // A press before the first frame has no picture of its own moment.
        try eventually("the first frame") {
            let (connection, answers) = try! schedule("", at: path)
            close(connection)
            return answers.contains("\"state\":\"ready\"")
        }
        let descriptor = try send("{\"press\":true,\"id\":5}\n", to: path)
        defer { close(descriptor) }
        let outcome = program.finish()
        try pipe.close()
        #expect(try pictures(outcome).count == 4)
        var (answers, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 { answers += bytes[..<count] }
        let lines = String(decoding: answers, as: UTF8.self).split(separator: "\n")
        let reported = lines.filter { $0.contains("\"event\":\"photo\"") && $0.contains("\"id\":5") }
        #expect(reported.count == 4, "\(lines)")
    }

    @Test func aClientsTapsToComeAreBoundedAndEndWithTheRun() throws {
        let path = files.path("shutter.sock")
        let (program, pipe) = try run("--socket", path)
        let taps = String(repeating: "{\"tap\":\"3600s\"}\n", count: 65)
        let (connection, answers) = try schedule(taps, at: path)
        defer { close(connection) }
        #expect(answers.components(separatedBy: "too-many-scheduled").count == 2, "\(answers)")
        program.signal(SIGTERM)
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 143, "\(outcome.errors)")
        let codes = try outcome.objects.compactMap { $0["code"] as? String }
        #expect(codes == [String](repeating: "cancelled", count: 64))
    }

    @Test func aFolderThatGoesAwayKeepsWhatWasThere() throws {
        let (program, pipe) = try run("--no-socket", "--count", "3")
        try pipe.write(contentsOf: Data("\n".utf8))
        try eventually("the first picture") { names == ["livecap-0001.jpg"] }
        // Nothing can be written any more: the folder was moved, and a file has its name.
        try FileManager.default.moveItem(atPath: files.path("out"), toPath: files.path("kept"))
        try files.write([], to: "out")
        try pipe.write(contentsOf: Data("\n\n".utf8))
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status != 0)
        #expect(try outcome.objects.count == 3)
        #expect(try outcome.objects.filter { $0["code"] != nil }.count == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path("kept")) == ["livecap-0001.jpg"])
    }

    @Test func futureTapDoesNotDelayTheEnd() throws {
        let path = files.path("shutter.sock")
        let (program, pipe) = try run("--socket", path)
        let descriptor = try send("{\"tap\":\"3600s\"}\n{\"readiness\":true}\n", to: path)
        defer { close(descriptor) }
        // The answer to the second request shows that the first was understood.
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&polled, 1, Patience.milliseconds) == 1)
        var bytes = [UInt8](repeating: 0, count: 4096)
        try #require(read(descriptor, &bytes, bytes.count) > 0)
        program.signal(SIGTERM)
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 143, "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "cancelled")
    }

    @Test func everySwitchAtOnceAndATraceOfIt() throws {
        let trace = files.path("trace.json")
        let (program, pipe) = try run("--no-socket", "--no-overlap", "--prioritize", "--trace", trace, "--count", "3")
        try pipe.write(contentsOf: Data("\n\n\n".utf8))
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let events = try JSONSerialization.jsonObject(with: Data(try files.bytes("trace.json"))) as? [[String: Any]]
        let reported = Set((events ?? []).compactMap { $0["name"] as? String })
        for name in ["tap", "frame", "wait for frames", "encode", "store", "notRunning"] {
            #expect(reported.contains(name), "\(name)")
        }
    }

    /// For livecap a limit on file sizes is a full disk: a write fails half-way. The thread sanitizer's runtime cannot
    /// run under this limit, because it maps a temporary file that would then be too short.
    @Test(.disabled(if: getenv("LIVECAP_SANITIZER").map { String(cString: $0) } == "thread"))
    func aFullDiskKeepsWhatWasThereAndIsNamed() throws {
        try FileManager.default.createDirectory(atPath: files.path("out"), withIntermediateDirectories: true)
        try files.write(Array("kept".utf8), to: "out/livecap-0001.jpg")
        // Pictures of this scene take about 3 KB, and the reports of two failures less than one.
        let (program, pipe) = try run("--no-socket", "--count", "2", limit: "ulimit -f 2; ")
        try pipe.write(contentsOf: Data("\n\n".utf8))
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 74, "\(outcome.errors)")
        #expect(try outcome.objects.compactMap { $0["code"] as? String } == ["file-error", "file-error"])
        #expect(outcome.errors.contains("ulimit -f"), "\(outcome.errors)")
        #expect(names == ["livecap-0001.jpg"])
        #expect(files.text("out/livecap-0001.jpg") == "kept")
    }

    @Test func theKeyQEndsIt() throws {
        let terminal = try PseudoTerminal()
        let program = try RunningLivecap(
            [
                "run", "--synthetic", "tripod", "--size", "64x48", "--format", "YUYV", "--quality", "single", "--json",
                "--no-socket", "-o", files.path("out") + "/",
            ], shell: "exec \"$@\" <'\(terminal.path)'")
        try eventually("the words that it is armed") { program.errors.contains("q ends") }
        terminal.type(" ")
        try eventually("the picture") { names == ["livecap-0001.jpg"] }
        terminal.type("q")
        let outcome = program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try pictures(outcome).count == 1)
    }

    @Test func whatIsOnItsWayWhenTheSourceEndsIsFinishedOrFailsByName() throws {
        let path = files.path("shutter.sock")
        let (program, pipe) = try run("--socket", path, scene: "tripod:frames=90", quality: "mean")
        // The second moment is after the end of the scene. The first shot still waits for later frames when it is
        // requested.
        let descriptor = try send("{\"tap\":\"now\",\"frames\":8,\"after\":7}\n{\"tap\":\"60s\"}\n", to: path)
        defer { close(descriptor) }
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 65, "\(outcome.errors)")
        #expect(try pictures(outcome).count == 1)
        #expect(try outcome.objects.compactMap { $0["code"] as? String } == ["stream-ended"])
    }

    @Test func whereTapsAreToBeRefusedTheSecondOfTwoIs() throws {
        let (program, pipe) = try run(
            "--no-socket", "--no-overlap", "--overload", "refuse", "--count", "2", quality: "balanced")
        try pipe.write(contentsOf: Data("\n\n".utf8))
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 75, "\(outcome.errors)")
        #expect(try pictures(outcome).count == 1)
        #expect(try outcome.objects.compactMap { $0["code"] as? String } == ["overloaded"])
    }

    @Test func inQuickSuccessionQualityIsLoweredWhereThatIsAllowed() throws {
        let (program, pipe) = try run("--no-socket", "--prioritize", "--count", "6", quality: "quality")
        // Lines that arrive together are taps of the same moment.
        try pipe.write(contentsOf: Data("\n\n\n\n\n\n".utf8))
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let all = try pictures(outcome)
        #expect(all.count == 6)
        #expect(all.allSatisfy { $0["qualityAsked"] as? String == "quality" })
        let lowered = all.filter { $0["prioritized"] as? Bool == true }
        #expect((1..<6).contains(lowered.count))
        #expect(lowered.allSatisfy { $0["qualityGiven"] as? String == "balanced" })
    }

    @Test func aSourceThatEndsEndsIt() throws {
        let (program, pipe) = try run("--no-socket", scene: "tripod:frames=20")
        let outcome = program.finish()
        try pipe.close()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}

@Suite(.timeLimit(.usual)) struct SeveralMomentsTests {
    @Test func failedMomentDoesNotAffectTheOthers() throws {
        let files = try Scratch()
        let frames = try files.rawFrames(30)
        let outcome = try RunningLivecap(
            [
                "shoot", "--replay", frames, "--json", "--quality", "single", "--at", "100ms", "--at", "9s", "--at",
                "500ms",
            ]
                + ["-o", files.path("a.jpg")] + Scratch.rawOptions
        ).finish()
        #expect(outcome.status == 65, "\(outcome.errors)")
        let objects = try outcome.objects
        #expect(objects.compactMap { $0["referenceNs"] as? Int } == [100_000_000, 500_000_000])
        let failures = objects.filter { $0["code"] != nil }
        #expect(failures.count == 1 && failures.first?["code"] as? String == "no-frame")
        #expect(files.names == ["a-1.jpg", "a-2.jpg", "frames.nv12"])
    }
}
