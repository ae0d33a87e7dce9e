// SPDX-License-Identifier: MIT
// Streams of USB cameras through the kernel's uvcvideo: every frame is whole, in order, and of its time.

import FrameRing
import LivecapFrames
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("streams of USB cameras")
    struct USBStreamTests {
        /// How a camera is streamed from.
        struct Way: CustomTestStringConvertible, Sendable {
            var isBulk = false
            let format: PixelFormat
            let size: FrameSize
            var fps: UInt32 = 30
            var testDescription: String { "\(isBulk ? "bulk" : "isochronous"), \(format) \(size) at \(fps) fps" }
        }

        static let small = FrameSize(width: 320, height: 240)
        static let medium = FrameSize(width: 640, height: 480)
        static let large = FrameSize(width: 1280, height: 720)

        @Test(
            "the number in the pixels counts as the driver does, and its time is the frame's",
            arguments: [
                Way(format: .mjpeg, size: small), Way(format: .yuyv, size: small),
                Way(isBulk: true, format: .mjpeg, size: small), Way(isBulk: true, format: .yuyv, size: small),
                Way(format: .mjpeg, size: medium, fps: 15), Way(format: .yuyv, size: medium, fps: 15),
                Way(isBulk: true, format: .mjpeg, size: large, fps: 5),
                Way(isBulk: true, format: .yuyv, size: large, fps: 5),
            ])
        func order(way: Way) throws {
            let camera = try LabCamera(way.isBulk ? "bulk" : "")
            let stream = try LabStream(camera.path, format: way.format, size: way.size, fps: way.fps)
            defer { stream.loop.stop() }
            #expect(stream.ring.format.pixelFormat == way.format && stream.ring.format.size == way.size)
            let frames = try stream.marked(way.fps == 30 ? 30 : 10)
            for (before, after) in zip(frames, frames.dropFirst()) {
                #expect(after.marks.number - before.marks.number == after.metadata.sequence - before.metadata.sequence)
            }
            #expect(frames.allSatisfy { $0.metadata.isUsable && $0.metadata.timeSource == .startOfExposure })
            // The driver's time is that of the frame's first packet. It cannot be earlier than the camera's own.
            let offsets = frames.map { $0.metadata.time - $0.marks.time }
            #expect(offsets.allSatisfy { $0 >= .zero && $0 < .milliseconds(1000 / Int64(way.fps)) })
            print(
                "device lab: \(way.testDescription): livecap's time is the camera's plus", offsets.min()!, "to",
                offsets.max()!)
        }

        @Test("several cameras stream at once, each its own frames")
        func several() throws {
            let bus = try LabBus()
            let cameras = try (0..<3).map { try LabCamera(on: bus, name: "c\($0)", port: $0, "serial=SN\($0)") }
            let streams = try cameras.map {
                try LabStream($0.path, format: .mjpeg, size: Self.small, fps: 15)
            }
            defer { for stream in streams { stream.loop.stop() } }
            for (index, stream) in streams.enumerated() {
                let frames = try stream.marked(15)
                #expect(frames.allSatisfy { $0.marks.camera == index })
            }
        }

        @Test("frames without Huffman tables are decoded, and marked as such")
        func tableless() throws {
            let camera = try LabCamera("tableless")
            let stream = try LabStream(camera.path, format: .mjpeg, size: Self.small)
            defer { stream.loop.stop() }
            let frames = try stream.marked(10)
            #expect(frames.allSatisfy { $0.metadata.flags.contains(.standardHuffmanTables) && $0.metadata.isUsable })
        }

        @Test("a corrupt frame passes the check of its structure, and decoding shows the damage")
        func corrupt() throws {
            let camera = try LabCamera()
            try camera.fault(.corrupt, every: 2)
            let stream = try LabStream(camera.path, format: .mjpeg, size: Self.small)
            defer { stream.loop.stop() }
            let reader = try MarkReader(stream.ring.format)
            var whole = 0
            try stream.follow(20) { lease in
                #expect(lease.metadata.isUsable)
                if let marks = try? reader.read(lease) {
                    #expect(marks.number % 2 == 1)
                    whole += 1
                }
            }
            #expect(whole == 10)
        }

        @Test("the pixels show with which controls a frame was taken")
        func controls() throws {
            let camera = try LabCamera()
            let stream = try LabStream(camera.path, format: .mjpeg, size: Self.small)
            defer { stream.loop.stop() }
            let before = try #require(stream.marked(2).last).marks
            #expect(before.isExposureAutomatic && before.exposure == 156 && before.gain == 0)
            let set = ["auto_exposure=1", "exposure_time_absolute=120", "gain=30"]
            let outcome = try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", set.joined(separator: ",")])
            #expect(outcome.status == 0, "\(outcome.errors)")
            let set2 = try camera.state()
            #expect(set2["exposure"] == 120 && set2["gain"] == 30)
            try LabBus.wait("frames with the new controls") {
                let marks = try #require(stream.marked(1).last).marks
                return !marks.isExposureAutomatic && marks.exposure == 120 && marks.gain == 30
            }
        }

        @Test("a control that an automatic mode locks is refused")
        func locked() throws {
            let camera = try LabCamera()
            let outcome = try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "focus_absolute=50"])
            #expect(outcome.errors.contains("Permission denied") || outcome.output.contains("Permission denied"))
            #expect(try camera.state()["focus"] == 30)
        }
    }
}
