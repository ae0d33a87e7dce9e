// SPDX-License-Identifier: MIT
// `livecap share --loopback`: what programs that only know V4L2's cameras see at a device of v4l2loopback's.

import Foundation
import Glibc
import LivecapFrames
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("loopback devices")
    struct LoopbackTests {
        private static let device = "/dev/video90"

        private static func share(
            _ camera: LabCamera, _ size: String = "320x240", to device: String = device
        ) throws -> RunningProgram {
            try Livecap.start(
                ["share", "--device", camera.path, "--format", "YUYV", "--size", size, "--fps", "15"]
                    + ["--loopback", device])
        }

        private static func end(_ livecap: RunningProgram) throws {
            livecap.signal(SIGINT)
            let outcome = try livecap.finish()
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        /// Waits until the device is a camera: with `exclusive_caps`, it is one while a program writes to it.
        private static func waitForCamera(_ livecap: RunningProgram) throws {
            try LabBus.wait("pictures at the loopback device") {
                if !livecap.isRunning { throw LabStream.Missing("livecap ended: \(livecap.errors)") }
                return CameraDirectory().cameras().contains { $0.path == device }
            }
        }

        /// Shares the camera until the device is one, and ends.
        private static func shareOnce(_ camera: LabCamera, atTheEnd body: () throws -> Void = {}) throws {
            let livecap = try share(camera)
            try waitForCamera(livecap)
            try body()
            try end(livecap)
        }

        @Test("show every frame, whole and in order, also those after the camera was unplugged and is back")
        func frames() throws {
            let camera = try LabCamera("serial=SN1")
            let livecap = try Self.share(camera)
            try Self.waitForCamera(livecap)
            let stream = try LabStream(Self.device, size: USBStreamTests.small, fps: nil)
            let before = try stream.marked(20).map(\.marks)
            #expect(Set(before.map(\.plugs)) == [1])
            try camera.unplug()
            try camera.plug(into: 2)
            var after: [LabMarks] = []
            while after.filter({ $0.plugs == 2 }).count < 20 { after += try stream.marked(5).map(\.marks) }
            let all = before + after
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.number < $1.number }, "\(all.map(\.number))")
            stream.loop.stop()
            try Self.end(livecap)
        }

        @Test("are cameras of which photos can be taken, also after another program has written to them")
        func photoThroughALoopback() throws {
            let camera = try LabCamera("serial=SN1")
            try Self.shareOnce(camera)
            let livecap = try Self.share(camera)
            try Self.waitForCamera(livecap)
            let folder = try TemporaryFolder()
            let path = folder.path("a.png")
            let shot = try Livecap.start(["shoot", "--device", Self.device, "--quality", "single", "-o", path])
                .finish(within: 60)
            #expect(shot.status == 0, "\(shot.errors)")
            #expect(LabMarks(try PNGPicture(path)) != nil)
            try Self.end(livecap)
        }

        @Test("that keep another format are refused before any frame is taken, and so are cameras")
        func refusedLoopback() throws {
            let camera = try LabCamera("serial=SN1")
            try Self.shareOnce(camera) {
                try Lab.run("v4l2-ctl", ["-d", Self.device, "-c", "keep_format=1"])
            }
            defer { _ = try? Lab.run("v4l2-ctl", ["-d", Self.device, "-c", "keep_format=0"]) }
            for (device, status, code) in [
                (Self.device, 69, "format-refused"), (Lab.webcam, 69, "not-an-output"),
                ("/dev/video99", 74, "virtual-camera-failed"),
            ] {
                let outcome = try Self.share(camera, "640x480", to: device).finish()
                let report = try #require(try Livecap.reports(outcome).last)
                #expect(outcome.status == status && report.code == code, "\(device): \(outcome)")
            }
        }
    }
}
