// SPDX-License-Identifier: MIT
// Synthetic frames in a ring: numbers, times, marks, injected faults, and an end.

import FrameRing
import LivecapFrames
import LivecapJPEG
import Testing

@testable import Camera

@Suite struct SyntheticCameraTests {
    @Test("Every frame shows its number, in every format, whatever the noise", arguments: SyntheticCamera.pixelFormats)
    func marks(_ pixelFormat: PixelFormat) throws {
        for size in [FrameSize(width: 96, height: 64), FrameSize(width: 113, height: 75)] {
            let frames = try runScene("handheld:frames=3,noise=20,quality=30", pixelFormat, size: size)
            #expect(frames.count == 3)
            for (index, frame) in frames.enumerated() {
                #expect(try numberShown(frame.bytes, pixelFormat, size) == UInt32(index))
                #expect(frame.metadata.sequence == UInt32(index) && frame.metadata.isUsable)
            }
        }
    }

    @Test("Times follow the exact rate, from zero at the fast pace")
    func times() throws {
        let frames = try runScene("tripod:frames=4,fps=30000/1001,noise=none")
        #expect(frames.map(\.metadata.time.nanoseconds) == [0, 33_366_666, 66_733_333, 100_100_000])
        #expect(frames.allSatisfy { $0.metadata.timeSource == .scene && $0.metadata.uncertainty == .zero })
    }

    @Test("A clock that is wrong changes times, not pictures")
    func clock() throws {
        let right = try runScene("handheld:frames=4,fps=25")
        let late = try runScene("handheld:frames=4,fps=25,offset=7ms,drift=1000")
        #expect(late.map(\.metadata.time.nanoseconds) == [7_000_000, 47_040_000, 87_080_000, 127_120_000])
        #expect(late.map(\.bytes) == right.map(\.bytes))
        // A clock that starts at zero has no earlier times.
        let early = try runScene("handheld:frames=4,fps=25,offset=-50ms")
        #expect(early.map(\.metadata.time.nanoseconds) == [30_000_000, 70_000_000])
        #expect(early.map(\.bytes) == right.suffix(2).map(\.bytes))
    }

    @Test("Scenes that begin together show the same at the same time, whenever they are started")
    func beginning() throws {
        let settings = try SyntheticSettings("tripod:fps=100"), size = FrameSize(width: 96, height: 64)
        let beginning = Timestamp.now - .milliseconds(55)
        let camera = try SyntheticCamera(settings, size: size, beginning: beginning)
        let loop = try CaptureLoop(camera)
        var frames = FrameSubscription(to: loop.ring)
        loop.start()
        guard case .frame(let frame) = frames.next() else {
            Issue.record("no frame came")
            return
        }
        loop.stop()
        let number = Int64(frame.metadata.sequence)
        #expect(number >= 6 && frame.metadata.time == beginning + .milliseconds(10 * number))
    }

    @Test("The fast pace gives the same bytes on every run")
    func repeatable() throws {
        let text = "object:frames=5,noise=strong"
        #expect(try runScene(text, .mjpeg) == runScene(text, .mjpeg))
    }

    @Test("The truth of a modelled camera is the same in every frame while nothing moves")
    func truth() throws {
        let size = FrameSize(width: 96, height: 64), scene = "tripod:frames=3,mark=no,camera=webcam"
        let truth = try runScene(scene + ",truth=yes", .grey, size: size).map(\.bytes)
        #expect(truth.count == 3 && Set(truth).count == 1)
        #expect(try Set(runScene(scene, .grey, size: size).map(\.bytes)).count == 3)
    }

    @Test("MJPEG frames are complete pictures")
    func pictures() throws {
        let size = FrameSize(width: 96, height: 64)
        for frame in try runScene("handheld:frames=2", .mjpeg, size: size) {
            #expect(JPEGStructure.check(frame.bytes.span.bytes, size: size).damage == .none)
        }
    }

    @Test("Pictures too large for their slots are compressed more")
    func tooLarge() throws {
        let size = FrameSize(width: 96, height: 64)
        let settings = try SyntheticSettings("tripod:noise=20,quality=100")
        let scene = try SyntheticScene(settings, size: size, rate: FrameRate(30))
        var format = FrameFormat(pixelFormat: .mjpeg, size: size)
        let usual = try FramePainter(scene, format: format)
        let (ring, _) = try makeSlabRing(.standard, format: format, rate: nil)
        var producer = RingProducer(filling: ring)
        _ = try usual.paint(0, into: &producer)
        format.byteCount = usual.byteCount / 2
        let painter = try FramePainter(scene, format: format)
        let slot = try #require(try painter.paint(0, into: &producer))
        #expect(painter.byteCount <= format.byteCount)
        let jpeg = [UInt8](producer.bytes(of: slot)[..<painter.byteCount])
        #expect(JPEGStructure.check(jpeg.span.bytes, size: size).damage == .none)
    }

    @Test("Lost frames are a gap")
    func gaps() throws {
        let frames = try runScene("tripod:frames=7,gap=3,noise=none")
        #expect(frames.map(\.metadata.sequence) == [0, 1, 3, 4, 6])
        #expect(frames.map(\.metadata.lostBefore) == [0, 0, 1, 0, 1])
        #expect(frames.map { $0.metadata.flags.contains(.gapBefore) } == [false, false, true, false, true])
    }

    @Test("Damaged frames are short, and say so", arguments: [PixelFormat.nv12, .mjpeg])
    func damage(_ pixelFormat: PixelFormat) throws {
        let frames = try runScene("tripod:frames=4,damage=2,noise=none", pixelFormat)
        #expect(frames.map(\.metadata.isUsable) == [true, false, true, false])
        #expect(frames[1].bytes.count < frames[0].bytes.count)
        #expect(frames[1].metadata.damage == (pixelFormat == .mjpeg ? .jpegNoEnd : .short))
    }

    @Test("In real time every frame is accounted for, and times stay on the grid")
    func realtime() throws {
        let frames = try runScene("tripod:frames=8,fps=200,noise=none", pace: .realtime)
        let first = try #require(frames.first?.metadata)
        var expected = UInt32(0)
        for frame in frames {
            #expect(frame.metadata.sequence == expected + frame.metadata.lostBefore)
            expected = frame.metadata.sequence + 1
            let steps = Int64(frame.metadata.sequence) - Int64(first.sequence)
            #expect(frame.metadata.time - first.time == .nanoseconds(steps * 5_000_000))
        }
    }

    @Test("An endless scene stops on request")
    func stop() throws {
        for pace in Pace.allCases {
            let camera = try SyntheticCamera(
                SyntheticSettings(.tripod), size: FrameSize(width: 64, height: 48), rate: FrameRate(1, per: 1000),
                pace: pace)
            let gate = camera.gate
            let loop = try CaptureLoop(camera)
            var frames = FrameSubscription(to: loop.ring, gate: gate)
            loop.start()
            if case .frame = frames.next() {} else { Issue.record("no frame came") }
            loop.stop()
            #expect(loop.state == .ended)
        }
    }

    @Test("A scene that cannot be painted at its rate says so, once, and what to do")
    func slowScene() throws {
        let camera = try SyntheticCamera(
            SyntheticSettings(.tripod), size: FrameSize(width: 320, height: 240), rate: FrameRate(1_000_000))
        let (ring, _) = try camera.makeRing(.standard)
        var producer = RingProducer(filling: ring)
        try camera.start(&producer)
        var reasons: [String] = []
        for _ in 0..<40 {
            if case .slow(let reason) = try camera.step(&producer) { reasons.append(reason) }
        }
        #expect(reasons.count == 1)
        #expect(reasons.first?.contains("smaller size") == true)
        #expect(ring.nextCounter > 0)
    }

    @Test("Unsupported formats and sizes")
    func refusals() {
        #expect(throws: CameraError.self) {
            try SyntheticCamera(SyntheticSettings(.tripod), pixelFormat: PixelFormat("H264"))
        }
        #expect(throws: CameraError.self) {
            try SyntheticCamera(SyntheticSettings(.tripod), size: FrameSize(width: 4, height: 4))
        }
    }
}
