// SPDX-License-Identifier: MIT
// USB cameras that give only H.264: each picture shows the frame that it is said to be, whatever was lost before it.

import Foundation
import FrameRing
import LivecapFrames
import Testing

extension DeviceLab {
    @Suite("USB cameras that give only H.264")
    struct USBVideoTests {
        /// A frame, and what its picture shows if it has one.
        private struct Seen {
            let frame: FrameMetadata
            let marks: LabMarks?
        }

        private static let interval = FrameRate(15).interval
        private static let small = FrameSize(width: 160, height: 120)

        private func stream(_ camera: LabCamera) throws -> LabStream {
            try LabStream(camera.path, format: .h264, size: Self.small, fps: 15, isDecoded: true)
        }

        /// The next `count` frames. Pictures whose marks cannot be read, or are of several frames, fail the test.
        private func see(_ count: Int, of stream: LabStream) throws -> [Seen] {
            let reader = try MarkReader(stream.ring.format)
            var seen: [Seen] = []
            try stream.follow(count) { lease in
                let marks = lease.metadata.isUsable ? try reader.read(lease) : nil
                seen.append(Seen(frame: lease.metadata, marks: marks))
            }
            return seen
        }

        /// Each picture must be of its own frame: drawn shortly before the driver's time of it, in order.
        private func judge(_ seen: [Seen]) {
            let pictures = seen.compactMap { seen in seen.marks.map { (seen.frame, $0) } }
            for (frame, marks) in pictures {
                let delay = frame.time - marks.time
                #expect(delay.magnitude < Self.interval, "frame \(frame.id) shows \(marks)")
            }
            let numbers = pictures.map(\.1.number)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
        }

        @Test("each picture is of its own frame, decoded when it came")
        func pictures() throws {
            let camera = try LabCamera("h264", "serial=SN1")
            let stream = try stream(camera)
            #expect(stream.ring.format.pixelFormat == .i420 && stream.ring.format.size == Self.small)
            let seen = try see(70, of: stream)
            #expect(seen.allSatisfy { $0.marks != nil })
            judge(seen)
            #expect(try #require(camera.state()["keys"]) >= 3)
        }

        @Test(
            "after a lost or damaged frame, nothing is seen before the next key frame",
            arguments: [LabCamera.Fault.marked, .empty, .truncated])
        func loss(fault: LabCamera.Fault) throws {
            let camera = try LabCamera("h264", "serial=SN1")
            let stream = try stream(camera)
            _ = try see(2, of: stream)
            let number = try #require(camera.state()["number"])
            try camera.fault(fault, at: number + 6, count: 1)
            let seen = try see(70, of: stream)
            judge(seen)
            let unseen = seen.filter { $0.marks == nil }
            #expect(unseen.contains { $0.frame.damage == .needsKeyFrame }, "\(unseen.map(\.frame.damage))")
            #expect(unseen.count <= 31 && seen.suffix(10).allSatisfy { $0.marks != nil })
        }

        @Test("a camera that can be asked for a key frame is asked after a loss")
        func request() throws {
            let camera = try LabCamera("h264", "serial=SN1")
            let program = try #require(ProcessInfo.processInfo.environment["LIVECAP_LAB_CAMERA"])
            let mapped = try Lab.run(program, ["map", camera.path, "key"])
            try #require(mapped.status == 0, "\(mapped)")
            let stream = try stream(camera)
            // The first frames come with a key frame. The loss is right after it.
            _ = try see(2, of: stream)
            let before = try camera.state()
            try camera.fault(.marked, at: try #require(before["number"]) + 4, count: 1)
            let seen = try see(40, of: stream)
            judge(seen)
            #expect(seen.filter { $0.frame.damage == .needsKeyFrame }.count < 15, "\(seen.map(\.frame.damage))")
            #expect(try #require(stream.loop.decodingStatistics).keyFramesAsked >= 1)
            #expect(try camera.state()["vendor"] == 1)
        }

        @Test("a camera that never sends a key frame again is seen again once its pictures are refreshed")
        func refresh() throws {
            let camera = try LabCamera("h264", "refresh", "serial=SN1")
            let stream = try stream(camera)
            _ = try see(2, of: stream)
            try camera.fault(.empty, at: try #require(camera.state()["number"]) + 6, count: 1)
            let seen = try see(60, of: stream)
            judge(seen)
            let unseen = seen.filter { $0.marks == nil }
            // Eight rows of blocks: a whole refresh, after the rest of the one before.
            #expect(unseen.count >= 7 && unseen.count <= 18, "\(seen.map(\.frame.damage))")
            // Newer kernels deliver the empty frame, and mark it.
            #expect(unseen.dropFirst().allSatisfy { $0.frame.damage == .needsKeyFrame })
            #expect(try camera.state()["keys"] == 1)
        }

        @Test("lines that only fill up blocks are cut off, whether the camera says so or not")
        func uncropped() throws {
            let camera = try LabCamera("h264", "uncropped", "serial=SN1")
            let stream = try stream(camera)
            let seen = try see(10, of: stream)
            #expect(seen.allSatisfy { $0.marks != nil })
            judge(seen)
        }

        @Test("stills show their moments, and a movie has the camera's own frames, through a loss")
        func program() throws {
            let camera = try LabCamera("h264", "serial=SN1")
            let folder = try TemporaryFolder()
            let shot = try Livecap.start(
                ["shoot", "--device", camera.path, "--size", "320x240", "--fps", "15", "--ring", "2500ms"]
                    + ["--quality", "single", "-o", folder.path("seen.png"), "--at", "-600ms", "--at", "0ms"]
            ).finish()
            let shots = try ShotObject.all(in: shot.output)
            try #require(shot.status == 0 && shots.count == 2, "\(shot.output)\(shot.errors)")
            for shot in shots {
                let picture = try PNGPicture(try #require(shot.file))
                let marks = try #require(LabMarks(picture), "the marks of \(shot) are unreadable")
                let moment = Timestamp(nanoseconds: try #require(shot.tapNs))
                #expect((marks.time - moment).magnitude <= Self.interval, "\(shot) shows \(marks)")
            }
            let number = try #require(camera.state()["number"])
            try camera.fault(.marked, at: number + 40, count: 1)
            let path = folder.path("movie.mkv")
            let movie = try Livecap.start(
                ["movie", "--device", camera.path, "--format", "H264", "--size", "320x240", "--fps", "15"]
                    + ["--duration", "8s", "-o", path]
            ).finish()
            try #require(movie.status == 0, "\(movie.errors)")
            let report = try #require(Livecap.reports(movie).first)
            #expect(
                try #require(report.frames) > 45 && (report.lost ?? 0) + (report.damaged ?? 0) == 1, "\(movie.output)")
            let decoded = try Lab.run(
                "ffprobe",
                ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", path])
            #expect(decoded.output.contains("\(report.frames ?? 0)") && decoded.errors.isEmpty, "\(decoded)")
        }
    }
}
