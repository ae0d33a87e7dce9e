// SPDX-License-Identifier: MIT
// `livecap run` before the webcam, tapped through its socket while the kernel keeps account of the frames.

import CSystem
import Foundation
import Frames
import Glibc
import Testing

/// The program, armed. Its photos are PNG files of single frames, unless a tap says otherwise.
final class ArmedCamera {
    let program: RunningProgram
    let frameInterval: TimeSpan
    private let account: DriverAccount
    private let folder: TemporaryFolder
    private let socket: Int32
    private var taps = 0

    /// Arms it, at a rate that leaves even a slow machine time: 26 frames of history are five seconds. `arguments` come on top.
    init(_ arguments: [String] = [], fps: Int = 5) throws {
        frameInterval = .nanoseconds(1_000_000_000 / Int64(fps))
        account = try DriverAccount()
        folder = try TemporaryFolder()
        let path = folder.path("shutter.sock")
        program = try Livecap.start(
            ["run", "--device", Lab.webcam, "--format", "YUYV", "--size", "\(LabStream.size)", "--fps", "\(fps)"]
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
        // Where a test has failed on the way.
        if program.isRunning { program.signal(SIGKILL) }
    }

    /// The frames the driver has given so far.
    func frames() throws -> [DriverFrame] { try account.frames() }

    /// Waits until the driver has given so many more usable frames; all of them.
    @discardableResult
    func waitForFrames(_ count: Int) throws -> [DriverFrame] {
        let before = try frames().count
        return try waitForFrames("\(count) frames") { $0.count >= before + count }
    }

    /// Waits until the driver has given frames of a kind; all of them.
    @discardableResult
    func waitForFrames(_ what: String, _ condition: ([DriverFrame]) -> Bool) throws -> [DriverFrame] {
        var frames: [DriverFrame] = []
        try Self.eventually(what, program) {
            frames = try self.frames()
            return condition(frames)
        }
        return frames
    }

    /// Waits until it has said something to people.
    func waitForWords(_ words: String) throws {
        try Self.eventually("'\(words)'", program) { program.errors.contains(words) }
    }

    /// Asks for a photo: `moment` as the socket understands it, with more beside it; the number of its shot.
    @discardableResult
    func tap(_ moment: String, _ more: String = "") throws -> Int {
        let line = "{\"tap\":\(moment)\(more.isEmpty ? "" : ",")\(more)}\n"
        try #require(lc_send(socket, line, line.utf8.count) == Int64(line.utf8.count))
        taps += 1
        return taps
    }

    /// Asks for a photo of a moment.
    @discardableResult
    func tap(at moment: Timestamp, _ more: String = "") throws -> Int {
        try tap("{\"ns\":\(moment.nanoseconds)}", more)
    }

    /// Waits until a shot is over; what was said of it.
    func shot(_ number: Int) throws -> ShotObject {
        var shot: ShotObject?
        try Self.eventually("shot \(number)", program) {
            shot = try ShotObject.all(in: self.program.output).first { $0.shot == number }
            return shot != nil
        }
        return shot!
    }

    /// Ends it by Ctrl-C, and checks what it leaves.
    func finish() throws {
        program.signal(SIGINT)
        let outcome = try ended()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// Waits until it has ended. In its folder are the photos it told of, all of them whole, and nothing else.
    func ended() throws -> Lab.Outcome {
        let outcome = try program.finish()
        let told = try ShotObject.all(in: outcome.output).compactMap(\.file)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("photos"))
        #expect(names.sorted() == told.map { String($0.split(separator: "/").last!) }.sorted())
        for file in told { _ = try PNGPicture(file) }
        return outcome
    }

    private static func eventually(
        _ what: String, _ program: RunningProgram, _ condition: () throws -> Bool
    ) throws {
        for _ in 0..<1200 {
            if try condition() { return }
            // What it has said last counts.
            if !program.isRunning, try condition() { return }
            try #require(program.isRunning, "it ended without \(what): \(program.output)\(program.errors)")
            usleep(50_000)
        }
        throw LabStream.Missing("\(what) did not come: \(program.output)\(program.errors)")
    }
}
