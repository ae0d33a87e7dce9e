// SPDX-License-Identifier: MIT
// How a recording handles each fault of a USB camera: every row of the table of USB cameras in docs/faults.md.

import Foundation
import Glibc
import LivecapFrames
import Testing

@testable import LivecapFrameFiles

extension DeviceLab {
    @Suite("faults of a recording from a USB camera")
    struct USBRecordingFaultTests {
        /// A fault, and what must be found in the recording.
        struct Case: CustomTestStringConvertible, Sendable {
            let row: FaultRow
            var format = "MJPG"
            var settings = ""
            let fault: @Sendable (LabCamera) throws -> Void
            var check: @Sendable ([FrameMetadata]) -> Bool = { $0.allSatisfy(\.isUsable) }
            var testDescription: String { "\(row.name), \(format) \(settings)" }

            init(
                _ name: String, _ status: Int32 = 0, _ code: String? = nil, format: String = "MJPG",
                _ settings: String = "", fault: @escaping @Sendable (LabCamera) throws -> Void,
                check: @escaping @Sendable ([FrameMetadata]) -> Bool = { $0.allSatisfy(\.isUsable) }
            ) {
                row = FaultRow(name: name, status: status, code: code)
                (self.format, self.settings, self.fault, self.check) = (format, settings, fault, check)
            }
        }

        private static func lost(_ frames: [FrameMetadata]) -> UInt32 {
            frames.dropFirst().reduce(0) { $0 + $1.lostBefore }
        }

        static let unplugging = [
            Case("unplugged", 69, "disconnected", format: "YUYV", fault: { try $0.unplug() }),
            Case("unplugged", 69, "disconnected", format: "YUYV", "bulk", fault: { try $0.unplug() }),
            Case("unplugged", 69, "disconnected", fault: { try $0.unplug(at: 25) }),
            Case(
                "unplugged in the middle of a frame", 69, "disconnected", format: "YUYV",
                fault: { try $0.unplug(at: 25, percent: 50) }),
            Case(
                "unplugged in the middle of a frame", 69, "disconnected", format: "YUYV", "bulk",
                fault: { try $0.unplug(at: 25, percent: 50) }),
        ]

        static let damage = [
            Case(
                "truncated MJPEG", fault: { try $0.fault(.truncated, count: 3) },
                check: { $0.filter { $0.damage == .jpegNoEnd }.count == 3 }),
            Case(
                "MJPEG of another size", fault: { try $0.fault(.wrongSize, count: 3) },
                check: { $0.filter { $0.damage == .jpegSize }.count == 3 }),
            Case(
                "MJPEG of another size", fault: { try $0.fault(.otherSize, count: 3, value: 1) },
                check: { $0.filter { $0.damage == .jpegSize }.count == 3 }),
            Case(
                "raw frames in place of MJPEG", fault: { try $0.fault(.otherFormat, count: 3) },
                check: { $0.filter { !$0.isUsable }.count == 3 }),
            Case("corrupt MJPEG", fault: { try $0.fault(.corrupt, count: 3) }),
            Case(
                "MJPEG without Huffman tables", fault: { try $0.fault(.noTables, count: 3) },
                check: { $0.filter { $0.flags.contains(.standardHuffmanTables) }.count == 3 }),
            Case(
                "empty frame", fault: { try $0.fault(.empty, count: 3) },
                check: { lost($0) == 3 && $0.allSatisfy(\.isUsable) }),
            Case(
                "short raw frame", format: "YUYV", fault: { try $0.fault(.truncated, count: 3) },
                check: { lost($0) == 3 && $0.allSatisfy(\.isUsable) }),
            Case(
                "short raw frame", format: "YUYV", "bulk", fault: { try $0.fault(.truncated, count: 3) },
                check: { lost($0) == 3 && $0.allSatisfy(\.isUsable) }),
            Case(
                "frame with the error bit", fault: { try $0.fault(.marked, count: 3) },
                check: { lost($0) == 3 && $0.allSatisfy(\.isUsable) }),
        ]

        static let timing = [
            Case(
                "frames skipped by the camera", fault: { try $0.fault(.skip, count: 3) },
                check: { lost($0) == 0 && $0.filter { $0.flags.contains(.gapBefore) }.count == 1 }),
            Case(
                "rate drops", fault: { try $0.fault(.slow, count: 20, value: 10) },
                check: { lost($0) == 0 && $0.allSatisfy(\.isUsable) }),
            Case(
                "camera's clock restarts", fault: { try $0.fault(.resetTime, count: 1) },
                check: { !$0.dropFirst().contains { $0.flags.contains(.gapBefore) } }),
            Case(
                "silent for a while", fault: { try $0.fault(.stall, count: 60) },
                check: { Set($0.map(\.id.epoch)) == [0, 1] }),
            Case(
                "the camera restarts its stream", fault: { try $0.fault(.restart, count: 1) },
                check: { lost($0) == 0 && $0.filter { !$0.isUsable }.count <= 1 && Set($0.map(\.id.epoch)) == [0] }),
            Case(
                "the camera restarts its stream", format: "YUYV", fault: { try $0.fault(.restart, count: 1) },
                check: { lost($0) <= 1 && $0.allSatisfy(\.isUsable) && Set($0.map(\.id.epoch)) == [0] }),
            Case(
                "raw frames of another size than granted", 74, "stalled", format: "YUYV",
                fault: { try $0.fault(.otherSize, value: 1) }),
            Case(
                "raw frames of another size than granted", 74, "stalled", format: "YUYV", "bulk",
                fault: { try $0.fault(.otherSize, value: 3) }),
            Case(
                "MJPEG in place of raw frames", 74, "stalled", format: "YUYV",
                fault: { try $0.fault(.otherFormat) }),
            Case("silent for good", 74, "stalled", fault: { try $0.fault(.stall) }),
            Case("silent for good", 74, "stalled", "bulk", fault: { try $0.fault(.stall) }),
            Case("frozen frame id", 74, "stalled", fault: { try $0.fault(.frozenID) }),
        ]

        @Test("unplugged while recording", arguments: unplugging)
        func unplugged(fault: Case) throws { try record(fault) }

        @Test("damaged frames", arguments: damage)
        func damaged(fault: Case) throws { try record(fault) }

        @Test("irregular streams", arguments: timing)
        func irregular(fault: Case) throws { try record(fault) }

        @Test("a refused commit or setting, once")
        func refusedOnce() throws {
            for fault: LabCamera.Fault in [.refuseCommit, .refuseSetting] {
                let camera = try LabCamera()
                try camera.fault(fault, count: 1)
                let folder = try TemporaryFolder()
                let outcome = try start(camera, "MJPG", 10, folder.path("frames.lcap")).finish()
                try FaultRow(name: "stream refused once").expect(outcome)
            }
        }

        @Test("another size granted than asked for leaves no file behind")
        func otherGrant() throws {
            let camera = try LabCamera()
            try camera.fault(.otherGrant, value: 1)
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            try FaultRow(name: "another size granted than announced", status: 69, code: "unsupported")
                .expect(start(camera, "YUYV", 10, path).finish())
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("a refused commit or setting leaves no file behind")
        func refused() throws {
            for (fault, row) in [
                (LabCamera.Fault.refuseCommit, FaultRow(name: "commit refused", status: 69, code: "no-bandwidth")),
                (.refuseSetting, FaultRow(name: "alternate setting refused", status: 74, code: "stream-failed")),
            ] {
                let camera = try LabCamera()
                try camera.fault(fault)
                let folder = try TemporaryFolder()
                let path = folder.path("frames.lcap")
                try row.expect(start(camera, "MJPG", 10, path).finish())
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }

        @Test("a control request that hangs disturbs no stream")
        func hungControl() throws {
            let camera = try LabCamera()
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let program = try start(camera, "MJPG", 90, path)
            try program.waitForFile(path, bytes: 10 * 3000)
            try camera.fault(.hangControl, count: 1)
            let other = try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "brightness=20"])
            #expect((other.output + other.errors).contains("timed out"), "\(other)")
            try FaultRow(name: "control request hangs").expect(program.finish())
            #expect(try Livecap.info(path).gaps == 0)
        }

        @Test(
            "Ctrl-C and kill while the camera answers nothing: complete and reported at once, ended within two seconds",
            arguments: [(SIGINT, 4), (SIGINT, 2), (SIGTERM, 0)] as [(Int32, UInt32)])
        func silentAtTheEnd(signal: Int32, seconds: UInt32) throws {
            let camera = try LabCamera()
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let program = try start(camera, "MJPG", 100_000, path)
            try program.waitForFile(path, bytes: 10 * 3000)
            try camera.fault(.silent)
            try camera.fault(.stall)
            // After two seconds it tries to restart the stream, in a call that takes five; at once it has noticed
            // nothing.
            sleep(seconds)
            let begun = Timestamp.now
            program.signal(signal)
            try LabBus.wait("the report") { program.output.contains("\"frames\"") }
            #expect(program.isRunning, "it reports before it waits for the camera")
            let reported = Timestamp.now - begun
            #expect(try Livecap.info(path).isWhole)
            let outcome = try program.finish()
            let ended = Timestamp.now - begun
            if signal == SIGINT {
                try FaultRow(name: "Ctrl-C while the camera answers nothing").expect(outcome)
            } else {
                #expect(outcome.status == 143, "\(outcome)")
            }
            print(
                "device lab: after \(seconds) s of silence: reported \(reported) after the signal, ended \(ended) after it"
            )
            // The guest's clock counts instructions, so this is no matter of the host's speed.
            #expect(reported <= .seconds(2) && ended <= .seconds(2))
            try camera.clear()
        }

        private func start(_ camera: LabCamera, _ format: String, _ count: Int, _ path: String) throws -> RunningProgram
        {
            try Livecap.start(
                Livecap.recording(count, of: format, from: camera.path, size: "320x240", to: path))
        }

        /// Records, triggers the fault once frames flow, and checks the program's end and the file. A fault that passes
        /// is followed by many more frames, however late it came.
        private func record(_ fault: Case) throws {
            let camera = try LabCamera(fault.settings)
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let program = try start(camera, fault.format, 100_000, path)
            try program.waitForFile(path, bytes: 10 * (fault.format == "MJPG" ? 3000 : 320 * 240 * 2))
            try fault.fault(camera)
            if fault.row.status == 0 {
                let seen = try DumpReader(path).frameCount
                try LabBus.wait("more frames", every: 100) { try DumpReader(path).frameCount >= seen + 60 }
                program.signal(SIGINT)
            }
            let outcome = try program.finish(within: 60)
            try fault.row.expect(outcome)
            let info = try Livecap.info(path)
            #expect(info.isWhole, "the recording made until then is intact")
            let reader = try DumpReader(path)
            let frames = (0..<reader.frameCount).map { reader.metadata($0) }
            #expect(frames.count >= (fault.row.status == 0 ? 60 : 5))
            #expect(fault.check(frames), "\(frames.map { ($0.sequence, $0.lostBefore, $0.damage, $0.flags) })")
        }
    }
}
