// SPDX-License-Identifier: MIT
// USB cameras that are unplugged at any moment, and plugged in again.

import Foundation
import LivecapFrames
import LivecapThreads
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("unplugging USB cameras")
    struct USBUnplugTests {
        @Test(
            "at random instants of transfers, shots and recordings: a named error, all whole, the same identity, nothing left"
        )
        func random() async throws { try await onThread(named: "rounds") { () throws(any Error) in try Self.rounds() } }

        private static func rounds() throws {
            var rounds = UnplugRounds("unplugs", UnplugRounds.count(default: 12))
            let camera = try LabCamera("serial=SN1")
            let directory = CameraDirectory()
            let identity = try #require(directory.cameras().first { $0.path == camera.path }).identity
            try camera.unplug()
            for round in 1...rounds.count {
                try camera.plug(into: Int.random(in: 0..<3, using: &rounds.random))
                let path = try directory.camera(named: identity).path
                try WatchedSession.require(path == camera.path, "round \(round): \(path)")
                let format: PixelFormat = Bool.random(using: &rounds.random) ? .mjpeg : .yuyv
                let watched = try WatchedSession(path, format, onUnplug: .end)
                let underWay = try rounds.begin(round, watched, camera)
                let words = "\(underWay.words) of \(format)"
                try rounds.noteLoss(1, watched, camera)
                try WatchedSession.require(
                    watched.session.failure == .disconnected(path: path), "\(words): \(watched.session.failure as Any)")
                try rounds.end(underWay, watched)
                watched.stop()
                // No part of the frame that was cut off was published, and each one before it was.
                let number = try #require(camera.state()["number"])
                let newest = watched.frames.last?.marks.number
                try WatchedSession.require(newest.map(Int.init) == number - 1, "\(words): \(newest as Any)")
                try rounds.checkRemains(round)
            }
            try rounds.conclude()
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
