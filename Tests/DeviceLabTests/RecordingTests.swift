// SPDX-License-Identifier: MIT
// The program lists the cameras and records every format without losing frames.

import Foundation
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

extension DeviceLab {
    @Suite("recording")
    struct RecordingTests {
        @Test("livecap devices lists only the cameras")
        func devices() throws {
            let outcome = try Livecap.start(["devices"]).finish()
            #expect(outcome.status == 0)
            let cameras = try Livecap.reports(outcome)
            #expect(Set(cameras.map(\.path)) == [Lab.webcam, Lab.hdmi, Lab.multiplanar, Lab.switched])
            let webcam = try #require(cameras.first { $0.path == Lab.webcam })
            #expect(webcam.bus == "platform:vivid-000")
            let small = webcam.formats?.first { $0.format == "YUYV" && $0.width == 320 && $0.height == 180 }
            #expect(small?.fps.first == 60)
            let multiplanar = cameras.first { $0.path == Lab.multiplanar }
            #expect(multiplanar?.code == "not-supported")
        }

        @Test(
            "every format: 60 frames with consecutive sequence numbers, none copied",
            arguments: [
                "YUYV", "UYVY", "YVYU", "VYUY", "NV12", "NV21", "NV16", "I420", "YV12", "YUV422P", "GREY", "Y10",
                "Y12", "RGB24", "BGR24",
            ])
        func everyFormat(format: String) throws {
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            // A low rate gives the driver's thread time. If the emulated machine pauses for longer than the driver has
            // buffers (as happens where its clock is the host's), frames are lost. Each loss must be reported, and one
            // of three recordings must be complete.
            for attempt in 1...3 {
                let outcome = try Livecap.start(Livecap.recording(60, of: format, fps: 15, to: path)).finish()
                try #require(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
                let report = try #require(Livecap.reports(outcome).first)
                #expect(report.bytesCopied == 0 && report.transport == "userptr")
                let info = try Livecap.info(path)
                #expect(info.isWhole && info.frames == 60 && info.damaged == 0)
                let reader = try DumpReader(path)
                #expect(reader.header.format.pixelFormat == PixelFormat(named: format))
                let frames = (0..<reader.frameCount).map { reader.metadata($0) }
                let missing = zip(frames, frames.dropFirst()).map { Int($1.sequence) - Int($0.sequence) - 1 }
                let isConsecutive = missing.allSatisfy { $0 == 0 }
                #expect(isConsecutive || info.gaps! + report.dropped! > 0, "lost frames are to be told")
                if isConsecutive && info.gaps == 0 { return }
                print("\(format): attempt \(attempt) lost \(missing.reduce(0, +)) frames")
            }
            Issue.record("three recordings in a row lost frames")
        }

        @Test(
            "a signal ends a recording properly",
            arguments: [(SIGINT, 0), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
        func signal(number: Int32, status: Int32) throws {
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let program = try Livecap.start(Livecap.recording(100_000, to: path))
            try program.waitForFile(path, bytes: 20 * 320 * 180 * 2)
            program.signal(number)
            let outcome = try program.finish(within: 20)
            #expect(outcome.status == status, "\(outcome.errors)")
            let info = try Livecap.info(path)
            #expect(info.isWhole && info.frames! >= 10)
        }
    }
}
