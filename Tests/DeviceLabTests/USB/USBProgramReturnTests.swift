// SPDX-License-Identifier: MIT
// The program itself, living through an unplugging: --on-unplug of shoot, run and record.

import Foundation
import Glibc
import LivecapCSystem
import LivecapFrames
import Testing

@testable import LivecapFrameFiles

extension DeviceLab {
    @Suite("programs whose USB camera comes back")
    struct USBProgramReturnTests {
        @Test(
            "shoot --count waits: pictures of its presence are whole and of their moments, the others say that it is away"
        )
        func series() throws {
            let camera = try LabCamera("serial=SN1")
            let folder = try TemporaryFolder()
            let program = try Livecap.start(
                ["shoot", "--device", camera.path, "--on-unplug", "wait", "--size", "320x240", "--fps", "15"]
                    + ["--quality", "single", "--format", "YUYV", "--format", "png", "--count", "14"]
                    + ["--interval", "400ms", "-o", folder.path("series") + "/"])
            try program.waitForFile(folder.path("series/livecap-0002.png"), bytes: 1)
            try camera.unplug(at: try #require(camera.state()["number"]) + 2, percent: 50)
            try camera.waitUntilGone()
            try camera.plug(into: 2)
            let outcome = try program.finish()
            let shots = try ShotObject.all(in: outcome.output)
            #expect(shots.count == 14)
            #expect(
                shots.allSatisfy { $0.file != nil || $0.code == "camera-away" || $0.code == "no-frame" }, "\(shots)")
            let plugs = try shots.filter { $0.file != nil }.map { try judge($0).plugs }
            #expect(Set(plugs) == [1, 2] && plugs == plugs.sorted(), "\(plugs)")
        }

        @Test("run waits: earlier taps are answered from the history, taps meanwhile fail, later ones succeed")
        func run() throws {
            let camera = try LabCamera("serial=SN1")
            let folder = try TemporaryFolder()
            let path = folder.path("shutter.sock")
            let program = try Livecap.start(
                ["run", "--device", camera.path, "--on-unplug", "wait", "--size", "320x240", "--fps", "15"]
                    + ["--ring", "5s", "--quality", "single", "--format", "YUYV", "--format", "png"]
                    + ["--socket", path, "-o", folder.path("photos") + "/"])
            try words("takes a picture", program)
            let socket = lc_unix_socket()
            defer { close(socket) }
            try #require(lc_unix_connect(socket, path) == 0)
            func tap(_ moment: String) throws {
                let line = "{\"tap\":\(moment)}\n"
                try #require(lc_send(socket, line, line.utf8.count) == Int64(line.utf8.count))
            }
            func shot(_ number: Int) throws -> ShotObject {
                var shot: ShotObject?
                try LabBus.wait("shot \(number): \(program.errors)") {
                    shot = try ShotObject.all(in: program.output).first { $0.shot == number }
                    return shot != nil
                }
                return shot!
            }
            usleep(1_500_000)
            let moment = Timestamp.now - .milliseconds(500)
            try camera.unplug()
            try words("was unplugged", program)
            try tap("{\"ns\":\(moment.nanoseconds)}")
            #expect(try judge(shot(1)).plugs == 1)
            try tap("\"now\"")
            #expect(try shot(2).code == "camera-away")
            try camera.plug(into: 2)
            try words("frames are arriving again", program)
            usleep(300_000)
            try tap("\"now\"")
            #expect(try judge(shot(3)).plugs == 2)
            program.signal(SIGINT)
            // That of the tap while it was away.
            let outcome = try program.finish()
            #expect(outcome.status == 69, "\(outcome.errors)")
        }

        @Test("wait:TIME ends when that time is over")
        func limit() throws {
            let camera = try LabCamera("serial=SN1")
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let program = try record(camera, 100_000, onUnplug: "wait:2s", path)
            try camera.unplug()
            let begun = Timestamp.now
            try FaultRow(name: "unplugged for longer than `wait:TIME`", status: 69, code: "disconnected")
                .expect(program.finish(within: 30))
            #expect(Timestamp.now - begun >= .milliseconds(1900))
            #expect(try Livecap.info(path).isWhole)
        }

        @Test("a camera that comes back without its format ends the recording")
        func otherFormat() throws {
            let camera = try LabCamera("serial=SN1")
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let program = try record(camera, 100_000, onUnplug: "wait", path)
            try camera.unplug()
            try camera.fault(.otherGrant, value: 1)
            try camera.plug()
            try FaultRow(name: "plugged in again without its earlier format", status: 69, code: "unsupported")
                .expect(program.finish(within: 30))
            #expect(try Livecap.info(path).isWhole)
        }

        @Test("next goes on with another camera, and with the named one once it is back")
        func next() throws {
            let bus = try LabBus()
            let camera = try LabCamera(on: bus, "serial=SN1")
            let other = try LabCamera(on: bus, name: "other", port: 1, "serial=SN2")
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let program = try record(camera, 100_000, onUnplug: "next", path)
            try camera.unplug()
            let before = try #require(other.state()["number"])
            try LabBus.wait("frames of the other camera: \(program.errors)") {
                try #require(other.state()["number"]) >= before + 8
            }
            try camera.plug(into: 2)
            let number = try #require(camera.state()["number"])
            try LabBus.wait("frames of the first camera: \(program.errors)") {
                try #require(camera.state()["number"]) >= number + 8
            }
            program.signal(SIGINT)
            try FaultRow(name: "unplugged, with `--on-unplug next`").expect(program.finish())
            #expect(try Livecap.info(path).isWhole)
            let marks = try LabMarks.all(inRecording: path)
            #expect(
                marks.reduce(into: []) { if $0.last != $1.camera { $0.append($1.camera) } } == [0, 1, 0], "\(marks)")
        }

        private func record(
            _ camera: LabCamera, _ count: Int, onUnplug policy: String, _ path: String
        ) throws -> RunningProgram {
            let program = try Livecap.start(
                Livecap.recording(count, fps: 15, from: camera.path, size: "320x240", onUnplug: policy, to: path))
            try program.waitForFile(path, bytes: 10 * 320 * 240 * 2)
            return program
        }

        /// The marks of a photo, which must be of the moment asked for.
        private func judge(_ shot: ShotObject) throws -> LabMarks {
            let picture = try PNGPicture(try #require(shot.file, "\(shot)"))
            let marks = try #require(LabMarks(picture), "\(shot) is unreadable")
            let moment = Timestamp(nanoseconds: try #require(shot.tapNs))
            // At the edge of the stream the nearest frame may be a whole interval away; transfers take some time more.
            #expect((marks.time - moment).magnitude <= FrameRate(15).interval + .milliseconds(10), "\(shot) \(marks)")
            let reference = Timestamp(nanoseconds: try #require(shot.referenceNs))
            #expect(reference >= marks.time && reference - marks.time < FrameRate(15).interval, "\(shot) \(marks)")
            return marks
        }

        private func words(_ words: String, _ program: RunningProgram) throws {
            try LabBus.wait("'\(words)': \(program.errors)") { program.errors.contains(words) }
        }
    }
}
