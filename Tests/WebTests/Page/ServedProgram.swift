// SPDX-License-Identifier: MIT
// `livecap serve` as users start it, with a synthetic scene and a library of its own.

import Foundation
import Glibc
import LivecapFrames
import LivecapIntents
import LivecapPatience
import LivecapWebGear
import Testing

/// A running server. It ends with this object.
final class ServedProgram: WebServer {
    /// What the server is started with.
    struct Settings {
        /// The scene. Noise would cost time, and no test here needs it.
        var scene = "tripod:noise=none"
        var size = FrameSize(width: 640, height: 360)
        /// Low, because a browser without a graphics processor shows the frames, often several of them.
        var rate = FrameRate(15)
        /// The port; 0 for a free one.
        var port: UInt16 = 0
        /// More arguments.
        var arguments = ["--always-on"]
    }

    /// The port it listens on.
    let port: UInt16
    /// The folder of its library.
    let library: TemporaryFolder
    let settings: Settings
    private let program: LeashedProgram

    /// The program that `scripts/test-web` names, or else the one that was built with the tests.
    private static let path =
        ProcessInfo.processInfo.environment["LIVECAP"]
        ?? URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "livecap").path

    /// Starts the server, and returns once it has said where it listens.
    init(_ settings: Settings = Settings(), library: TemporaryFolder? = nil) throws {
        (self.settings, self.library) = (settings, try library ?? TemporaryFolder())
        let folder = self.library.path("library")
        let rate = settings.rate
        program = try LeashedProgram(
            Self.path,
            [
                "serve", "--synthetic", settings.scene, "--size", "\(settings.size)", "--fps",
                "\(rate.numerator)/\(rate.denominator)", "--format", "MJPG", "--listen", "127.0.0.1:\(settings.port)",
                "--library", folder, "--json", "--quiet",
            ] + settings.arguments, errors: self.library.path("errors"))
        let line = program.line()
        guard let line, let listen = JSON(parsing: Array(line.utf8))?["listen"]?.string,
            let port = listen.split(separator: ":").last.flatMap({ UInt16($0) })
        else {
            program.quit()
            throw WireError.program("livecap serve: \(line ?? "") \(self.library.text("errors"))")
        }
        self.port = port
    }

    /// Whether it has not ended.
    var isRunning: Bool { program.isRunning }

    /// Kills it, as a crash or a lack of memory does.
    func kill() throws {
        program.signal(SIGKILL)
        try eventually("the end of the server") { !program.isRunning }
    }

    /// Ends it as Ctrl-C does, and returns once it has ended.
    func interrupt() throws {
        program.signal(SIGINT)
        try eventually("the end of the server") { !program.isRunning }
    }
}

/// A folder that is removed with this object.
final class TemporaryFolder {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "livecap-web-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }
}
