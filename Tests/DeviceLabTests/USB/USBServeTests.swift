// SPDX-License-Identifier: MIT
// `livecap serve` while its page asks for other formats and other cameras.

import Camera
import Foundation
import FrameRing
import Glibc
import LivecapCSystem
import Testing

import enum LivecapIntents.JSON
import struct LivecapWebGear.HTTPAnswer
import class LivecapWebGear.HTTPConnection
import struct LivecapWebGear.HTTPRequest

extension DeviceLab {
    @Suite("USB cameras served to browsers")
    struct USBServeTests {
        /// `LIVECAP_SWITCHES=200` tries longer.
        private static let switches = ProcessInfo.processInfo.environment["LIVECAP_SWITCHES"].flatMap(Int.init) ?? 12
        /// What the page asks for: each differs from the one before in its camera, its format or both.
        private static let wishes: [(camera: Int, format: String, width: Int, height: Int)] = [
            (0, "YUYV", 640, 480), (1, "MJPG", 320, 240), (1, "YUYV", 320, 240), (0, "MJPG", 640, 480),
            (0, "MJPG", 320, 240), (1, "YUYV", 640, 480),
        ]

        @Test("every switch to another camera or format is answered, and the program serves on")
        func switching() throws {
            try Lab.run("busybox", ["ip", "link", "set", "lo", "up"])
            let bus = try LabBus()
            let cameras = [
                try LabCamera(on: bus, name: "front", port: 0, "serial=SN1"),
                try LabCamera(on: bus, name: "rear", port: 1, "serial=SN2"),
            ]
            let folder = try TemporaryFolder()
            let state = "XDG_STATE_HOME=" + folder.path("state")
            let program = try RunningProgram(
                state,
                [
                    Livecap.program, "serve", "--device", cameras[0].path, "--format", "MJPG", "--size", "320x240",
                    "--fps", "15", "--listen", "0", "--library", folder.path("library"), "--json",
                ])
            let page = try Page(program)
            let ids = try cameras.map { try page.id(ofCameraAt: $0.path) }
            for number in 0..<Self.switches {
                let wish = Self.wishes[number % Self.wishes.count]
                let answer = try page.switchCamera([
                    ("id", .string(ids[wish.camera])), ("format", .string(wish.format)), ("width", JSON(wish.width)),
                    ("height", JSON(wish.height)), ("fps", .integer(15)),
                ])
                #expect(answer.status == 200, "switch \(number): \(answer.text)")
                #expect(try page.switchCamera([("id", .string("usb-missing"))]).status == 404)
                let (status, words) = (try page.status(), "switch \(number): \(program.errors)")
                #expect(status["camera"]?["id"]?.string == ids[wish.camera], "\(words)")
                #expect(status["format"]?["pixelFormat"]?.string == wish.format, "\(words)")
                #expect(status["format"]?["width"]?.integer == Int64(wish.width), "\(words)")
            }
            print("device lab: \(Self.switches) switches of camera or format, served on")
            program.signal(SIGINT)
            let outcome = try program.finish()
            #expect(outcome.status == 0, "\(outcome)")
            // The camera that was chosen last is preferred from now on.
            let chosen = try String(contentsOfFile: folder.path("state/livecap/cameras"), encoding: .utf8)
            let last = Self.wishes[(Self.switches - 1) % Self.wishes.count].camera
            let first = try #require(chosen.split(separator: "\n").first { !$0.hasPrefix("#") })
            #expect(first.hasPrefix(ids[last] + "\t"), "\(chosen)")
        }

        @Test("a run's socket sets a control and changes the camera")
        func socket() throws {
            try Lab.run("busybox", ["ip", "link", "set", "lo", "up"])
            let bus = try LabBus()
            let cameras = [
                try LabCamera(on: bus, name: "front", port: 0, "serial=SN1"),
                try LabCamera(on: bus, name: "rear", port: 1, "serial=SN2"),
            ]
            let folder = try TemporaryFolder()
            let program = try Livecap.start([
                "run", "--device", cameras[0].path, "--format", "MJPG", "--size", "320x240", "--fps", "15", "--serve",
                "--listen", "0", "--library", folder.path("library"), "--socket", folder.path("s"),
            ])
            let address = /browsers find it at http:\/\/[0-9.]+:([0-9]+)/
            try LabBus.wait("the address") { program.errors.contains(address) || !program.isRunning }
            let page = try Page(try #require(program.errors.firstMatch(of: address).flatMap { UInt16($0.1) }))
            let rear = try page.id(ofCameraAt: cameras[1].path)
            let socket = try LabSocket(folder.path("s"))
            let control = try socket.ask(#"{"control":{"key":"brightness","value":20},"id":1}"#)
            #expect(control.contains(#""event":"control","id":1,"key":"brightness","value":"20""#), "\(control)")
            let camera = try socket.ask("{\"camera\":{\"id\":\"\(rear)\",\"format\":\"YUYV\",\"fps\":15}}")
            #expect(camera.contains(#""event":"camera""#) && camera.contains(rear), "\(camera)")
            #expect(try page.status()["camera"]?["id"]?.string == rear)
            let missing = try socket.ask(#"{"camera":{"id":"usb-missing"}}"#)
            #expect(missing.contains("failed"), "\(missing)")
            #expect(try page.status()["camera"]?["id"]?.string == rear)
            program.signal(SIGINT)
            #expect(try program.finish().status == 0)
        }

        @Test("a run with everything attached goes on in all of it when its camera is back")
        func everything() throws {
            try Lab.run("busybox", ["ip", "link", "set", "lo", "up"])
            let camera = try LabCamera("serial=SN1")
            let folder = try TemporaryFolder()
            let program = try Livecap.start([
                "run", "--device", camera.path, "--format", "MJPG", "--size", "320x240", "--fps", "15", "--on-unplug",
                "wait", "--serve", "--listen", "0", "--library", folder.path("library"), "--record",
                folder.path("walk.lcap"), "--movies", folder.path("movies"), "--movie-kind", "mkv", "--to",
                "/dev/video90", "--share", "--sound", "none", "--no-socket",
            ])
            let address = /browsers find it at http:\/\/[0-9.]+:([0-9]+)/
            try LabBus.wait("the address") { program.errors.contains(address) || !program.isRunning }
            let page = try Page(try #require(program.errors.firstMatch(of: address).flatMap { UInt16($0.1) }))
            let socket = try #require(program.errors.firstMatch(of: /read its frames at (\S+)/).map { String($0.1) })
            let folderOfPrograms = URL(filePath: Livecap.program).deletingLastPathComponent()
            let reader = try RunningProgram(folderOfPrograms.appending(path: "share-reader").path, [socket])
            let films = try page.ask("/movies", .object([("do", "start")]))
            #expect(films.status == 201, "\(films.text)")
            let place = { CameraDirectory().cameras().contains { $0.path == "/dev/video90" } }
            try LabBus.wait("the virtual camera") { place() || !program.isRunning }
            let watched = try LabStream("/dev/video90", size: USBStreamTests.small, fps: nil)
            defer { watched.loop.stop() }
            func bytes(_ name: String) -> Int {
                (try? FileManager.default.attributesOfItem(atPath: folder.path(name))[.size]) as? Int ?? 0
            }
            // Of each place: what it has got so far.
            func account() -> [Int] {
                [
                    bytes("walk.lcap"), bytes("movies/livecap-0001.mkv"), reader.output.count,
                    Int(watched.ring.nextCounter),
                ]
            }
            func waitForAll(toPass before: [Int]) throws {
                try LabBus.wait("more in every place") {
                    !program.isRunning || zip(account(), before).allSatisfy { $0 > $1 }
                }
                #expect(program.isRunning, "\(program.errors)")
                let shot = try page.ask("/shots?wait=1", .object([]))
                #expect(shot.status == 201, "\(shot.text)")
            }
            try waitForAll(toPass: [0, 0, 0, 0])
            try camera.unplug()
            try camera.plug(into: 2)
            try LabBus.wait("the return") {
                program.errors.contains("frames are arriving again") || !program.isRunning
            }
            // What was under way when it left is written by now, or counts for nothing.
            try waitForAll(toPass: account())
            #expect(try page.ask("/movies", .object([("do", "stop")])).status == 200)
            program.signal(SIGINT)
            let outcome = try program.finish()
            #expect(outcome.status == 0, "\(outcome)")
            let report = try Livecap.info(folder.path("walk.lcap"))
            #expect(report.isWhole && report.frames ?? 0 > 0, "\(report)")
        }

        @Test("a run that records goes on in the next file when its page changes the format")
        func recording() throws {
            try Lab.run("busybox", ["ip", "link", "set", "lo", "up"])
            let camera = try LabCamera("serial=SN1")
            let folder = try TemporaryFolder()
            let program = try Livecap.start([
                "run", "--device", camera.path, "--format", "MJPG", "--size", "320x240", "--fps", "15", "--serve",
                "--listen", "0", "--library", folder.path("library"), "--record", folder.path("walk.lcap"),
                "--no-socket",
            ])
            let address = /browsers find it at http:\/\/[0-9.]+:([0-9]+)/
            try LabBus.wait("the address") { program.errors.contains(address) || !program.isRunning }
            let page = try Page(try #require(program.errors.firstMatch(of: address).flatMap { UInt16($0.1) }))
            func exists(_ name: String) -> Bool { access(folder.path(name), F_OK) == 0 }
            try LabBus.wait("the recording") { exists("walk.lcap") }
            let answer = try page.switchCamera([
                ("id", .string(try page.id(ofCameraAt: camera.path))), ("format", "YUYV"), ("width", 640),
                ("height", 480), ("fps", 15),
            ])
            #expect(answer.status == 200, "\(answer.text)")
            try LabBus.wait("the next file") { exists("walk-001.lcap") }
            program.signal(SIGINT)
            let outcome = try program.finish()
            #expect(outcome.status == 0, "\(outcome)")
            for name in ["walk.lcap", "walk-001.lcap"] {
                let report = try Livecap.info(folder.path(name))
                #expect(report.isWhole && report.frames ?? 0 > 0, "\(report)")
            }
        }
    }
}

/// The socket of a run.
private struct LabSocket {
    private let file: FileHandle

    init(_ path: String) throws {
        let descriptor = lc_unix_socket()
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try #require(lc_unix_connect(descriptor, path) == 0)
        // Reads wait.
        _ = fcntl(descriptor, F_SETFL, 0)
    }

    /// The next line after sending one.
    func ask(_ line: String) throws -> String {
        try file.write(contentsOf: Data("\(line)\n".utf8))
        var answer = Data()
        while answer.last != UInt8(ascii: "\n") {
            guard let byte = try file.read(upToCount: 1), !byte.isEmpty else { break }
            answer += byte
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

/// What the tests ask of a program that serves.
private struct Page {
    private let port: UInt16
    private var proof = ""

    init(_ program: RunningProgram) throws {
        try LabBus.wait("the address") { program.output.hasSuffix("\n") || !program.isRunning }
        let object = try JSONSerialization.jsonObject(with: Data(program.output.utf8)) as? [String: Any]
        let address = try #require(object?["listen"] as? String, "\(program.errors)")
        try self.init(try #require(address.split(separator: ":").last.flatMap { UInt16($0) }))
    }

    init(_ port: UInt16) throws {
        self.port = port
        proof = try #require(try status()["proof"]?.string)
    }

    private func ask(_ request: HTTPRequest) throws -> HTTPAnswer {
        try HTTPConnection.exchange(port: port, request)
    }

    func status() throws -> JSON { try #require(ask(HTTPRequest("GET", "/status")).json) }

    func id(ofCameraAt path: String) throws -> String {
        let cameras = try ask(HTTPRequest("GET", "/cameras")).json?["cameras"]?.elements ?? []
        return try #require(cameras.first { $0["path"]?.string == path }?["id"]?.string)
    }

    /// Posts an object.
    func ask(_ path: String, _ body: JSON) throws -> HTTPAnswer {
        try ask(HTTPRequest("POST", path, fields: [("Livecap-Proof", proof)], json: body))
    }

    func switchCamera(_ wish: [(String, JSON)]) throws -> HTTPAnswer {
        try ask(HTTPRequest("POST", "/cameras", fields: [("Livecap-Proof", proof)], json: .object(wish)))
    }
}
