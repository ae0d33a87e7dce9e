// SPDX-License-Identifier: MIT
// Cameras are set as they were kept when they are plugged in.

import Foundation
import Glibc
import LivecapProcesses
import Testing

/// Not under a sanitizer, whose library would have to be loaded before umockdev's.
@Suite(.serialized, .timeLimit(.usual), .enabled(if: getenv("LIVECAP_SANITIZER") == nil)) struct ControlKeepingTests {
    private let cameras: MockCameras
    private let files: Scratch
    /// With a folder of profiles that this test writes.
    private let shell: String

    init() throws {
        cameras = try MockCameras()
        files = try Scratch()
        let state = files.path("state")
        shell = cameras.shell.replacing(/XDG_STATE_HOME='[^']*'/, with: "XDG_STATE_HOME='\(state)'")
    }

    private func keep(_ settings: String, of identity: String) throws {
        let folder = files.path("state/livecap")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("\(identity)\tdefault\t\(settings)\n".utf8).write(to: URL(filePath: folder + "/profiles"))
    }

    /// The mocks have no controls, so everything that is kept is left out and named.
    @Test func eachArrivalIsAnswered() throws {
        try cameras.plug(0, port: "1", serial: "ABC1")
        let camera = try RunningLivecap(["devices", "--json"], shell: shell).finish().object
        let identity = try #require(camera["id"] as? String)
        try keep("gain=20", of: identity)
        let program = try RunningLivecap(["controls", "--apply-at-plug", "--json"], shell: shell)
        let first = try program.line(1)
        #expect(first["event"] as? String == "applied" && first["path"] as? String == "/dev/video0")
        #expect(first["leftOut"] as? [String] == ["gain"] && first["controls"] as? Int == 0)
        // Nothing was kept for this one.
        try cameras.plug(2, port: "2", serial: "XYZ9", name: "Other Eye")
        try cameras.command("report 0 remove")
        try cameras.command("report 0 add")
        #expect(try program.line(2)["id"] as? String == identity)
        program.signal(SIGINT)
        let outcome = program.finish()
        #expect(outcome.status == 0 && outcome.errors.contains("gain=20 could not be set"), "\(outcome.errors)")
    }

    @Test func aProfileNeedsIt() throws {
        let outcome = try RunningLivecap(["controls", "--profile", "night"], shell: shell).finish()
        #expect(outcome.status == 64 && outcome.errors.contains("--apply-at-plug"), "\(outcome.errors)")
    }
}
