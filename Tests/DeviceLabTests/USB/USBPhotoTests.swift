// SPDX-License-Identifier: MIT
// Photos from USB cameras: the pixels prove that each shows the frame of its moment, and never a damaged one.

import Foundation
import LivecapFrames
import Testing

extension DeviceLab {
    @Suite("photos from USB cameras")
    struct USBPhotoTests {
        @Test("a photo shows the frame nearest its moment by the camera's own clock", arguments: ["MJPG", "YUYV"])
        func moment(format: String) throws {
            let camera = try LabCamera()
            let interval = 1000.0 / 15
            for (shot, marks) in try shoot(camera, format, at: [-600, -300, 0]) {
                let moment = Timestamp(nanoseconds: try #require(shot.tapNs))
                // The nearest by the driver's time; the camera's own is up to a transfer's time earlier.
                #expect((marks.time - moment).milliseconds.magnitude <= interval / 2 + 10, "\(shot) shows \(marks)")
                let reference = Timestamp(nanoseconds: try #require(shot.referenceNs))
                #expect(reference >= marks.time && (reference - marks.time).milliseconds < interval / 2)
            }
        }

        @Test("the lag's bound is that of the light, not of an exposure that does not fit between two frames")
        func manualExposure() throws {
            let camera = try LabCamera()
            // At 15 fps, 200 ms are cut to 66.7 ms, and 10 ms are not.
            for (milliseconds, bound) in [(200, 1000.0 / 15), (10, 10)] {
                let folder = try TemporaryFolder()
                let shots = try photos(
                    camera, "MJPG", at: [-200], into: folder.path("seen.png"),
                    ["--set", "exposure=\(milliseconds)ms"])
                let lagBound = try #require(shots[0].lagBoundMs)
                let exposure = try #require(shots[0].exposureMs)
                #expect(abs(exposure - bound) < 1, "\(shots)")
                // The time of the first packet is uncertain by up to a frame.
                #expect(lagBound >= bound - 1 && lagBound <= 1000 / 15 + 5, "\(shots)")
            }
        }

        @Test("a bracket shows each exposure, and puts back what was set", arguments: [nil, "exposure=12ms"])
        func bracket(setting: String?) throws {
            let camera = try LabCamera()
            let before = try setting.map { (setting) throws in
                let set = try RunningProgram(
                    Livecap.program, ["controls", "--device", camera.path, "--set", setting]
                ).finish()
                try #require(set.status == 0, "\(set.errors)")
                return 120
            }
            let folder = try TemporaryFolder()
            let outcome = try Livecap.start(
                ["shoot", "--device", camera.path, "--format", "MJPG", "--size", "320x240", "--fps", "15"]
                    + ["--quality", "single", "--bracket", "0,-20", "-o", folder.path("seen.png")]
            ).finish()
            #expect(outcome.status == 64, "a step of -20 EV: \(outcome.errors)")
            let taken = try Livecap.start(
                ["shoot", "--device", camera.path, "--format", "MJPG", "--size", "320x240", "--fps", "15"]
                    + ["--quality", "single", "--bracket", "0,-2,-1", "-o", folder.path("seen.png")]
            ).finish()
            let shots = try ShotObject.all(in: taken.output)
            try #require(taken.status == 0 && shots.count == 3, "\(taken.output)\(taken.errors)")
            let exposures = try shots.map { shot in
                // The whole picture in the words of a failed test would be too much.
                let marks = LabMarks(try PNGPicture(try #require(shot.file)))
                return try #require(marks, "the marks of \(shot)").exposure
            }
            // The lab's camera exposes for 15.6 ms by itself, and says so.
            let base = Double(before ?? 156)
            #expect(exposures == [base, base / 4, base / 2].map { Int($0) })
            let state = try camera.state()
            #expect(state["exposure-auto"] == (setting == nil ? 8 : 1), "\(state)")
            if let before { #expect(state["exposure"] == before) }
        }

        @Test("a damaged frame is never a photo's", arguments: [LabCamera.Fault.truncated, .corrupt])
        func damaged(fault: LabCamera.Fault) throws {
            let camera = try LabCamera()
            // Every other frame.
            try camera.fault(fault, every: 2)
            for (_, marks) in try shoot(camera, "MJPG", at: [-800, -600, -466, -333, -200]) {
                #expect(marks.number % 2 == 1)
            }
        }

        /// Takes pictures of several moments, and reads the marks in them.
        private func shoot(
            _ camera: LabCamera, _ format: String, at moments: [Int]
        ) throws -> [(ShotObject, LabMarks)] {
            let folder = try TemporaryFolder()
            return try photos(camera, format, at: moments, into: folder.path("seen.png")).map { shot in
                let picture = try PNGPicture(try #require(shot.file))
                return (shot, try #require(LabMarks(picture), "the marks of \(shot) are unreadable"))
            }
        }

        private func photos(
            _ camera: LabCamera, _ format: String, at moments: [Int], into path: String, _ options: [String] = []
        ) throws -> [ShotObject] {
            let outcome = try Livecap.start(
                ["shoot", "--device", camera.path, "--format", format, "--size", "320x240", "--fps", "15"]
                    + ["--ring", "2500ms", "--quality", "single", "-o", path]
                    + moments.flatMap { ["--at", "\($0)ms"] } + options
            ).finish()
            let shots = try ShotObject.all(in: outcome.output)
            try #require(outcome.status == 0 && shots.count == moments.count, "\(outcome.output)\(outcome.errors)")
            return shots
        }
    }
}
