// SPDX-License-Identifier: MIT
// USB cameras that are unplugged while in use, and come back: the pixels prove with which settings.

import Foundation
import FrameRing
import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import Camera
@testable import LivecapFrameFiles

extension DeviceLab {
    @Suite("USB cameras that come back")
    struct USBReturnTests {
        /// `LIVECAP_UNPLUGS` asks for more.
        private static let count = ProcessInfo.processInfo.environment["LIVECAP_UNPLUGS"].flatMap { Int($0) } ?? 8

        @Test("a recording goes on, in another port, with the controls of before", arguments: ["", "bulk"])
        func recording(transfer: String) throws {
            let camera = try LabCamera("serial=SN1", transfer)
            try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "brightness=20"])
            let folder = try TemporaryFolder()
            let path = folder.path("frames.lcap")
            let program = try Livecap.start(
                Livecap.recording(40, fps: 15, from: camera.path, size: "320x240", onUnplug: "wait", to: path))
            try program.waitForFile(path, bytes: 10 * 320 * 240 * 2)
            try camera.unplug()
            try camera.plug(into: 2)
            try FaultRow(name: "unplugged, and plugged in again").expect(program.finish(within: 60))
            #expect(try Livecap.info(path).isWhole)
            let file = try DumpReader(path)
            let memory = try file.makeFrameMemory()
            var marks: [LabMarks] = []
            for index in 0..<file.frameCount {
                let frame = try file.read(index, into: memory.regions[0])
                let bytes = UnsafeRawBufferPointer(rebasing: memory.regions[0][..<frame.byteCount]).bytes
                guard let mark = LabMarks(bytes, format: file.description.format) else {
                    throw LabStream.Missing("the marks of frame \(index)")
                }
                marks.append(mark)
            }
            #expect(marks.count == 40 && Set(marks.map(\.plugs)) == [1, 2])
            #expect(marks.allSatisfy { $0.brightness == 20 })
            #expect(zip(marks, marks.dropFirst()).allSatisfy { $0.number < $1.number })
            #expect(Set((0..<40).map { file.metadata($0).id.epoch }) == [0, 1])
        }

        @Test("a control that another program sets while the camera is in use is set again, too")
        func changedMeanwhile() throws {
            let camera = try LabCamera("serial=SN1")
            let stream = try ReturningStream(camera.path)
            _ = try stream.next(2)
            try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "auto_exposure=1"])
            try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "exposure_time_absolute=123", "-c", "gain=9"])
            _ = try stream.next(5)
            try camera.unplug()
            try camera.plug(into: 1)
            let marks = try stream.next(3, plugs: 2)
            #expect(marks.allSatisfy { !$0.isExposureAutomatic && $0.exposure == 123 && $0.gain == 9 }, "\(marks)")
        }

        @Test("another camera in its port is not taken for it")
        func twin() throws {
            let bus = try LabBus()
            let camera = try LabCamera(on: bus, "serial=SN1")
            let stream = try ReturningStream(camera.path)
            _ = try stream.next(2)
            try camera.unplug()
            let other = try LabCamera(on: bus, name: "other", port: 0, "serial=SN2")
            try camera.plug(into: 1)
            #expect(try stream.next(3, plugs: 2).allSatisfy { $0.camera == 0 })
            try other.unplug()
        }

        @Test("the next camera goes on in its place, and the named one again once it is back")
        func next() throws {
            let bus = try LabBus()
            let camera = try LabCamera(on: bus, "serial=SN1")
            let other = try LabCamera(on: bus, name: "other", port: 1, "serial=SN2")
            let stream = try ReturningStream(camera.path, onUnplug: .next())
            let first = try stream.next(2)
            try camera.unplug()
            let others = try stream.next(3, of: first[0].camera + 1)
            #expect(others.count == 3)
            try camera.plug(into: 2)
            #expect(try stream.next(3, of: first[0].camera).allSatisfy { $0.plugs == 2 })
            let moves = stream.loop.notices.compactMap { notice -> String? in
                if case .moved(let source, _) = notice { source.identity } else { nil }
            }
            #expect(moves.count == 2 && Set(moves).count == 2, "\(moves)")
            try other.unplug()
        }

        @Test("at random instants: whole frames in order, never with default controls, nothing left open")
        func random() throws {
            let seed = ProcessInfo.processInfo.environment["LIVECAP_SEED"].flatMap { UInt64($0) } ?? 1
            print("device lab: \(Self.count) returns of seed \(seed)")
            var random = SeededRandom(seed: seed)
            let camera = try LabCamera("serial=SN1")
            try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "brightness=20"])
            let stream = try ReturningStream(camera.path)
            var last = try stream.next(1)[0]
            var open = 0
            var waits: [Duration] = []
            for round in 1...Self.count {
                let number = try #require(camera.state()["number"]) + Int.random(in: 1...4, using: &random)
                try camera.unplug(at: number, percent: Int.random(in: 0..<100, using: &random))
                try camera.waitUntilGone()
                try camera.plug(into: Int.random(in: 0..<3, using: &random))
                let usable = Timestamp.now
                while last.plugs == round & 0xff {
                    let next = try stream.next(1)[0]
                    #expect(next.number > last.number && next.brightness == 20, "round \(round): \(next)")
                    last = next
                }
                waits.append(Timestamp.now - usable)
                let now = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                if round == 1 { open = now } else { #expect(now <= open, "round \(round)") }
            }
            #expect(stream.loop.interruption?.number == Self.count)
            print("device lab: first frame after the node: median \(waits.sorted()[waits.count / 2])")
        }
    }
}

/// A stream of YUYV that survives its camera's absence, and reads the marks of its frames.
private final class ReturningStream {
    let loop: CaptureLoop
    private var frames: FrameSubscription
    private let reader: MarkReader

    init(_ path: String, onUnplug policy: UnplugPolicy = .wait()) throws {
        let request = FormatRequest(
            pixelFormat: .yuyv, size: FrameSize(width: 320, height: 240), rate: FrameRate(15))
        let source = try CameraDirectory().camera(named: path).open(request, onUnplug: policy)
        loop = try CaptureLoop(source, capacity: RingCapacity(duration: .milliseconds(1500), byteCap: 64 << 20))
        frames = FrameSubscription(to: loop.ring)
        reader = try MarkReader(loop.ring.format)
        loop.start()
    }

    deinit { loop.stop() }

    /// The marks of the next frames of a camera that was plugged in that often.
    func next(_ count: Int, plugs: Int) throws -> [LabMarks] {
        while true {
            let first = try next(1)
            if first[0].plugs == plugs { return try first + next(count - 1) }
        }
    }

    /// The marks of the next frames of the camera with that number.
    func next(_ count: Int, of camera: Int) throws -> [LabMarks] {
        while true {
            let first = try next(1)
            if first[0].camera == camera { return try first + next(count - 1) }
        }
    }

    /// The marks of the next frames.
    func next(_ count: Int) throws -> [LabMarks] {
        try (0..<count).map { _ in
            switch frames.next(until: .now + .seconds(30)) {
            case .frame(let lease): return try reader.read(lease)
            case .timedOut: throw LabStream.Missing("no frame: \(loop.state) \(loop.notices)")
            case .ended: throw LabStream.Missing("ended: \(loop.state)")
            }
        }
    }
}
