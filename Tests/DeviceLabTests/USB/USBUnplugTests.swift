// SPDX-License-Identifier: MIT
// USB cameras that are unplugged at any moment, and plugged in again.

import Foundation
import FrameRing
import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("unplugging USB cameras")
    struct USBUnplugTests {
        /// `LIVECAP_UNPLUGS` asks for more.
        private static let count = ProcessInfo.processInfo.environment["LIVECAP_UNPLUGS"].flatMap { Int($0) } ?? 12

        @Test(
            "at random instants: a named error, whole frames up to the last, the same identity again, nothing left open"
        )
        func random() throws {
            let seed = ProcessInfo.processInfo.environment["LIVECAP_SEED"].flatMap { UInt64($0) } ?? 1
            print("device lab: \(Self.count) unplugs of seed \(seed)")
            var random = SeededRandom(seed: seed)
            let camera = try LabCamera("serial=SN1")
            let directory = CameraDirectory()
            let identity = try #require(directory.cameras().first { $0.path == camera.path }).identity
            try camera.unplug()
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            for round in 0..<Self.count {
                try camera.plug(into: Int.random(in: 0..<3, using: &random))
                let path = try directory.camera(named: identity).path
                #expect(path == camera.path)
                let format: PixelFormat = Bool.random(using: &random) ? .mjpeg : .yuyv
                let stream = try LabStream(path, format: format, size: USBStreamTests.small)
                defer { stream.loop.stop() }
                try stream.follow(2) { _ in }
                let number = try #require(camera.state()["number"]) + Int.random(in: 1...4, using: &random)
                let percent = Int.random(in: 0..<100, using: &random)
                try camera.unplug(at: number, percent: percent)
                let error = try stream.failure()
                #expect(error == .disconnected(path: path), "round \(round): \(percent) % of \(format)")
                // No part of the frame that was cut off was published.
                guard let newest = stream.ring.leaseNewest() else { throw LabStream.Missing("no frame") }
                let marks = try MarkReader(stream.ring.format).read(newest)
                #expect(Int(marks.number) == number - 1, "round \(round): \(percent) % of \(format)")
                try camera.waitUntilGone()
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            // Those of earlier tests may have been closed meanwhile.
            #expect(left <= open)
        }

        @Test("a camera plugged in again, into another port, starts with its defaults")
        func defaults() throws {
            let camera = try LabCamera("serial=SN1")
            try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "brightness=20"])
            let first = try marks(camera)
            try camera.unplug()
            try camera.plug(into: 3)
            let second = try marks(camera)
            #expect(first.brightness == 20 && first.plugs == 1)
            #expect(second.brightness == 0 && second.plugs == 2)
            #expect(second.number > first.number)
        }

        @Test("a series of photos: those until then are whole, the others fail with the reason")
        func series() throws {
            let camera = try LabCamera()
            let folder = try TemporaryFolder()
            let program = try Livecap.start(
                [
                    "shoot", "--device", camera.path, "--on-unplug", "end", "--format", "MJPG", "--size", "320x240",
                    "--fps", "15",
                ]
                    + ["--quality", "single", "--count", "100", "--interval", "200ms", "--format", "png"]
                    + ["-o", folder.path("series") + "/"])
            try program.waitForFile(folder.path("series/livecap-0002.png"), bytes: 1)
            try camera.unplug(at: try #require(camera.state()["number"]) + 2, percent: 50)
            let outcome = try program.finish()
            #expect(outcome.status == 69, "\(outcome.errors)")
            let shots = try ShotObject.all(in: outcome.output)
            #expect(shots.count == 100)
            let photos = shots.prefix { $0.file != nil }
            #expect(photos.count >= 2 && shots.dropFirst(photos.count).allSatisfy { $0.code == "disconnected" })
            for shot in photos { #expect(LabMarks(try PNGPicture(shot.file!)) != nil) }
        }

        /// The marks of a frame of a new stream.
        private func marks(_ camera: LabCamera) throws -> LabMarks {
            let stream = try LabStream(camera.path, format: .mjpeg, size: USBStreamTests.small)
            defer { stream.loop.stop() }
            return try #require(stream.marked(2).last).marks
        }
    }
}
