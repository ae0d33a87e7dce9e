// SPDX-License-Identifier: MIT
// How a recording handles each fault the driver can inject: every row of the table in docs/faults.md.

import Foundation
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

extension FaultRow {
    static let damaged = FaultRow(name: "damaged buffer")
    static let dropped = FaultRow(name: "dropped buffers")
    static let streamOn = FaultRow(name: "stream-on refused once")
    static let request = FaultRow(name: "buffer request refused once")
    static let queue = FaultRow(name: "queueing refused once")
    static let fatal = FaultRow(name: "fatal streaming error")
    static let disconnect = FaultRow(name: "disconnect", status: 69, code: "disconnected")
    static let removal = FaultRow(name: "driver removed", status: 69, code: "disconnected")
    static let sequence = FaultRow(name: "sequence numbers wrap around")
    static let timestamp = FaultRow(name: "times off the clock")
    static let noSignal = FaultRow(name: "no signal at the input", status: 69, code: "no-signal")
    static let lostSignal = FaultRow(name: "signal lost", status: 69, code: "no-signal")
}

extension DeviceLab {
    @Suite("faults of a recording")
    struct RecordingFaultTests {
        @Test(
            "faults while recording",
            arguments: [
                (FaultRow.damaged, Vivid.Control.flagError), (.queue, .queueError), (.fatal, .fatalError),
                (.disconnect, .disconnect),
            ] as [(FaultRow, Vivid.Control)])
        func midway(row: FaultRow, control: Vivid.Control) throws {
            let vivid = try Vivid()
            let (info, frames) = try record(row) { try vivid.set(control) }
            switch control {
            case .flagError:
                #expect(info.damaged == 1)
                #expect(frames.filter { $0.damage == .driverFlag }.count == 1)
            case .fatalError: #expect(Set(frames.map(\.id.epoch)) == [0, 1])
            default: #expect(info.damaged == 0)
            }
        }

        @Test(
            "faults from the start",
            arguments: [
                (FaultRow.streamOn, Vivid.Control.streamOnError, 1), (.request, .requestError, 1),
                (.dropped, .droppedPercentage, 30), (.timestamp, .wrapTimestamp, 1),
            ] as [(FaultRow, Vivid.Control, Int64)])
        func start(row: FaultRow, control: Vivid.Control, value: Int64) throws {
            let vivid = try Vivid()
            defer { try? vivid.reset() }
            try vivid.set(control, value)
            let (info, frames) = try record(row) {}
            #expect(info.damaged == 0)
            switch control {
            case .droppedPercentage:
                #expect(info.gaps! > 0)
                #expect(info.gaps == frames.filter { $0.flags.contains(.gapBefore) }.count)
            case .wrapTimestamp: #expect(frames.allSatisfy { $0.flags.contains(.distrustedTime) })
            default: break
            }
        }

        @Test("sequence numbers that wrap around")
        func sequence() throws {
            let vivid = try Vivid()
            defer { try? vivid.reset() }
            try vivid.set(.wrapSequence)
            let (_, frames) = try record(.sequence, count: 180) {}
            let wrap = zip(frames, frames.dropFirst()).first { $0.sequence > $1.sequence }
            #expect(wrap != nil && wrap!.1.lostBefore < 1000)
        }

        @Test("the driver unbound")
        func removal() throws {
            _ = try record(.removal) { try Vivid.unbind() }
            try Vivid.bind()
        }

        @Test("a grabber that loses its signal")
        func lostSignal() throws {
            let vivid = try Vivid(Lab.hdmi)
            defer { try? vivid.set(.signalMode, 0) }
            _ = try record(.lostSignal, from: Lab.hdmi, fps: 60, size: "320x240") { try vivid.set(.signalMode, 1) }
        }

        @Test("a grabber whose input 1 loses its signal")
        func lostSignalOfInput1() throws {
            let chosen = try Lab.run("v4l2-ctl", ["-d", Lab.switched, "-i", "1"])
            try #require(chosen.status == 0 && chosen.output.contains("HDMI"), "\(chosen)")
            let vivid = try Vivid(Lab.switched)
            defer { try? vivid.set(.signalMode, 0) }
            _ = try record(.lostSignal, from: Lab.switched, fps: 60, size: "320x240") { try vivid.set(.signalMode, 1) }
        }

        @Test("a grabber without a signal leaves no file behind")
        func noSignal() throws {
            let vivid = try Vivid(Lab.hdmi)
            try vivid.set(.signalMode, 1)
            defer { try? vivid.set(.signalMode, 0) }
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let outcome = try Livecap.start(Livecap.recording(10, from: Lab.hdmi, size: "320x240", to: path)).finish()
            try FaultRow.noSignal.expect(outcome)
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        /// Records, triggers `fault` once frames flow, and returns the contents of the resulting file.
        private func record(
            _ row: FaultRow, from device: String = Lab.webcam, count: Int = 60, fps: Int = 30, size: String = "320x180",
            _ fault: () throws -> Void
        ) throws -> (Report, [FrameMetadata]) {
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let arguments = Livecap.recording(
                row.status == 0 ? count : 100_000, fps: fps, from: device, size: size, to: path)
            let program = try Livecap.start(arguments)
            try program.waitForFile(path, bytes: 10 * 320 * 180 * 2)
            try fault()
            let outcome = try program.finish(within: 60)
            try row.expect(outcome)
            let info = try Livecap.info(path)
            #expect(info.isWhole, "the recording made until then is intact")
            let reader = try DumpReader(path)
            #expect(reader.frameCount == info.frames)
            #expect(row.status == 0 ? reader.frameCount == count : reader.frameCount >= 5)
            return (info, (0..<reader.frameCount).map { reader.metadata($0) })
        }
    }
}
