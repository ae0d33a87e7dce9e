// SPDX-License-Identifier: MIT
// USB cameras that are unplugged while in use, and come back: the pixels prove with which settings.

import Foundation
import FrameRing
import LivecapFrames
import LivecapThreads
import Testing

@testable import Camera
@testable import LivecapFrameFiles

extension DeviceLab {
    @Suite("USB cameras that come back")
    struct USBReturnTests {
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
            let marks = try LabMarks.all(inRecording: path)
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

        @Test(
            "at random instants of transfers, shots and recordings: all whole, none with default controls, nothing left"
        )
        func random() async throws { try await onThread(named: "rounds") { () throws(any Error) in try Self.rounds() } }

        private static func rounds() throws {
            var rounds = UnplugRounds("returns", UnplugRounds.count(default: 8))
            let camera = try LabCamera("serial=SN1")
            try Lab.run("v4l2-ctl", ["-d", camera.path, "-c", "brightness=20"])
            let watched = try WatchedSession(camera.path, onUnplug: .wait())
            defer { watched.stop() }
            let identity = watched.session.source.identity
            var last: WatchedSession.Seen?
            for round in 1...rounds.count {
                let underWay = try rounds.begin(round, watched, camera)
                try rounds.noteLoss(round, watched, camera)
                try camera.plug(into: Int.random(in: 0..<3, using: &rounds.random))
                let usable = Timestamp.now
                let first = try watched.wait("a frame of plug \(round + 1)") { frames in
                    frames.first { $0.marks.plugs == (round + 1) & 0xff }
                }
                rounds.noteFirstFrame(first.found, nodeThereAt: usable, underWay)
                let frames = watched.frames
                let new = frames.drop { $0.metadata.id.counter <= last?.metadata.id.counter ?? 0 }
                for (before, next) in zip([last ?? frames[0]] + new, new) {
                    try WatchedSession.require(
                        next.marks.brightness == 20
                            && (next.marks.number > before.marks.number || next.metadata.id == before.metadata.id),
                        "\(underWay.words): \(next.marks) after \(before.marks)")
                }
                last = frames.last
                try WatchedSession.require(
                    watched.session.source.identity == identity, "\(underWay.words): another camera")
                try rounds.end(underWay, watched)
                try rounds.checkRemains(round)
            }
            try rounds.conclude()
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
