// SPDX-License-Identifier: MIT
// `livecap run` with the webcam, tapped through its socket, next to the kernel's own trace of the frames.

import Foundation
import Glibc
import LivecapCSystem
import LivecapFrames
import LivecapPatience
import Testing

/// The program, armed. Its photos are PNG files of single frames unless a tap asks for something else.
final class ArmedCamera {
    let program: RunningProgram
    let frameInterval: Duration
    private let account: DriverAccount
    private let folder: TemporaryFolder
    private let socket: Int32
    private var taps = 0

    /// Starts and arms the program with additional `arguments`. The default rate is low enough for a slow machine: 26
    /// frames of history last five seconds.
    init(_ arguments: [String] = [], fps: Int = 5) throws {
        frameInterval = .nanoseconds(1_000_000_000 / Int64(fps))
        account = try DriverAccount()
        folder = try TemporaryFolder()
        let path = folder.path("shutter.sock")
        program = try Livecap.start(
            [
                "run", "--device", Lab.webcam, "--on-unplug", "end", "--format", "YUYV", "--size", "\(LabStream.size)",
                "--fps", "\(fps)",
            ]
                + [
                    "--ring", "5s", "--format", "png", "--quality", "single", "--socket", path, "-o",
                    folder.path("photos") + "/",
                ]
                + arguments)
        socket = lc_unix_socket()
        let (program, socket) = (program, socket)
        try Self.eventually("the words that it is armed", program) { program.errors.contains("takes a picture") }
        try #require(lc_unix_connect(socket, path) == 0)
        #expect(!program.errors.contains("the history is"), "as long as was asked for: \(program.errors)")
    }

    deinit {
        close(socket)
        // The program still runs if a test failed before it ended.
        if program.isRunning { program.signal(SIGKILL) }
    }

    /// The frames the driver has delivered so far.
    func frames() throws -> [DriverFrame] { try account.frames() }

    /// Waits until the driver has delivered `count` more frames. Returns all frames.
    @discardableResult
    func waitForFrames(_ count: Int) throws -> [DriverFrame] {
        let before = try frames().count
        return try waitForFrames("\(count) frames") { $0.count >= before + count }
    }

    /// Waits until the frames delivered by the driver meet a condition. Returns all frames.
    @discardableResult
    func waitForFrames(_ what: String, _ condition: ([DriverFrame]) -> Bool) throws -> [DriverFrame] {
        var frames: [DriverFrame] = []
        try Self.eventually(what, program) {
            frames = try self.frames()
            return condition(frames)
        }
        return frames
    }

    /// Waits until the program has written these words to stderr.
    func waitForWords(_ words: String) throws {
        try Self.eventually("'\(words)'", program) { program.errors.contains(words) }
    }

    /// Asks for a photo. `moment` is JSON as the socket expects it; `more` holds further fields. Returns the number of
    /// the shot.
    @discardableResult
    func tap(_ moment: String, _ more: String = "") throws -> Int {
        let line = "{\"tap\":\(moment)\(more.isEmpty ? "" : ",")\(more)}\n"
        try #require(lc_send(socket, line, line.utf8.count) == Int64(line.utf8.count))
        taps += 1
        return taps
    }

    /// Asks for a photo of this moment.
    @discardableResult
    func tap(at moment: Timestamp, _ more: String = "") throws -> Int {
        try tap("{\"ns\":\(moment.nanoseconds)}", more)
    }

    /// Waits until a shot is finished and returns its report.
    func shot(_ number: Int) throws -> ShotObject {
        var shot: ShotObject?
        try Self.eventually("shot \(number)", program) {
            shot = try ShotObject.all(in: self.program.output).first { $0.shot == number }
            return shot != nil
        }
        return shot!
    }

    /// Ends the program with SIGINT, as Ctrl-C does, and checks what it leaves.
    func finish() throws {
        program.signal(SIGINT)
        let outcome = try ended()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// Waits for the end of the program. Its folder must contain exactly the photos it reported, all complete.
    func ended() throws -> Lab.Outcome {
        let outcome = try program.finish()
        let reported = try ShotObject.all(in: outcome.output).compactMap(\.file)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("photos"))
        #expect(names.sorted() == reported.map { String($0.split(separator: "/").last!) }.sorted())
        for file in reported { _ = try PNGPicture(file) }
        return outcome
    }

    /// Waits as long as the program runs.
    private static func eventually(
        _ what: String, _ program: RunningProgram, _ condition: () throws -> Bool
    ) throws {
        do {
            try LivecapPatience.eventually(what) {
                if try condition() { return true }
                // Its last words may fulfil the condition.
                if !program.isRunning, try condition() { return true }
                try #require(program.isRunning, "it ended without \(what): \(program.output)\(program.errors)")
                return false
            }
        } catch let error as WaitedInVain {
            throw LabStream.Missing("\(error): \(program.output)\(program.errors)")
        }
    }
}
