// SPDX-License-Identifier: MIT
// Prerendered frames: the order of the pictures in a loop, the number on each frame, and steps that only copy.

import FrameRing
import Glibc
import LivecapCFramePathProbe
import LivecapFrames
import LivecapJPEG
import Testing

@testable import Camera

private let size = FrameSize(width: 96, height: 64)

@Suite struct PrerenderTests {
    @Test("Pictures loop back and forth, without a jump or a repeated picture")
    func order() throws {
        func pictures(_ count: Int) throws -> [Int] {
            let settings = try SyntheticSettings("tripod:prerender=\(count)")
            let scene = try SyntheticScene(settings, size: FrameSize(width: 8, height: 8), rate: FrameRate(30))
            return (0..<9).map { scene.picture(ofFrame: $0) }
        }
        #expect(try pictures(4) == [0, 1, 2, 3, 2, 1, 0, 1, 2])
        #expect(try pictures(2) == [0, 1, 0, 1, 0, 1, 0, 1, 0])
        #expect(try pictures(1) == Array(repeating: 0, count: 9))
        #expect(try pictures(0) == Array(0..<9))
    }

    @Test(
        "Beyond the loop every frame still shows its own number",
        arguments: SyntheticCamera.pixelFormats.filter { !$0.isCompressed })
    func marks(_ pixelFormat: PixelFormat) throws {
        for size in [size, FrameSize(width: 113, height: 75)] {
            let frames = try runScene("handheld:frames=9,prerender=3,noise=strong", pixelFormat, size: size)
            let numbers = try frames.map { try numberShown($0.bytes, pixelFormat, size) }
            #expect(numbers == (0..<9).map { UInt32($0) })
            #expect(frames.map(\.metadata.sequence) == (0..<9).map { UInt32($0) })
        }
    }

    @Test("Frames are what the scene says they are", arguments: [PixelFormat.yuyv, .i420])
    func truth(_ pixelFormat: PixelFormat) throws {
        let text = "object:frames=8,prerender=3,noise=strong,seed=7"
        let scene = try SyntheticScene(SyntheticSettings(text), size: size, rate: FrameRate(30))
        let format = FrameFormat(pixelFormat: pixelFormat, size: size)
        for (number, frame) in try runScene(text, pixelFormat).enumerated() {
            #expect(frame.bytes == scene.bytes(ofFrame: number, format: format, isNoisy: true), "frame \(number)")
        }
        #expect(scene.pose(ofFrame: 5) == scene.pose(ofFrame: 1) && scene.pose(ofFrame: 5) != scene.pose(ofFrame: 2))
        #expect(scene.objectMiddle(ofFrame: 5)! == scene.objectMiddle(ofFrame: 1)!)
    }

    @Test("The first pass shows the same frames as a scene that is not prerendered")
    func sameAsDrawn() throws {
        let looped = try runScene("object:frames=4,prerender=4,seed=7")
        #expect(try looped == runScene("object:frames=4,seed=7"))
        #expect(try looped == runScene("object:frames=4,prerender=4,seed=7"))
        #expect(try looped != runScene("object:frames=4,prerender=4,seed=8"))
    }

    @Test("MJPEG frames repeat bit for bit, and show no number rather than a wrong one")
    func compressed() throws {
        let frames = try runScene("handheld:frames=7,prerender=3", .mjpeg)
        let bytes = frames.map(\.bytes)
        #expect(bytes[3] == bytes[1] && bytes[4] == bytes[0] && bytes[5] == bytes[1] && bytes[6] == bytes[2])
        #expect(Set(bytes).count == 3)
        for frame in frames {
            #expect(JPEGStructure.check(frame.bytes.span.bytes, size: size).damage == .none)
            #expect(try numberShown(frame.bytes, .mjpeg, size) == nil)
        }
    }

    @Test("Losses and damage occur as specified", arguments: [PixelFormat.yuyv, .mjpeg])
    func faults(_ pixelFormat: PixelFormat) throws {
        let frames = try runScene("tripod:frames=12,prerender=2,gap=5,damage=4,noise=none", pixelFormat)
        #expect(frames.map(\.metadata.sequence) == [0, 1, 2, 3, 5, 6, 7, 8, 10, 11])
        #expect(frames.map(\.metadata.lostBefore) == [0, 0, 0, 0, 1, 0, 0, 0, 1, 0])
        #expect(frames.filter { !$0.metadata.isUsable }.map(\.metadata.sequence) == [3, 7, 11])
        #expect(frames[3].bytes.count < frames[0].bytes.count)
    }

    @Test("Too many prerendered frames are refused, with the number that fits", arguments: [PixelFormat.yuyv, .mjpeg])
    func limit(_ pixelFormat: PixelFormat) throws {
        let scene = try SyntheticScene(SyntheticSettings("tripod:prerender=9"), size: size, rate: FrameRate(30))
        let format = FrameFormat(pixelFormat: pixelFormat, size: size)
        let painter = try FramePainter(scene, format: format)
        let spare = UnsafeMutableRawBufferPointer.allocate(byteCount: format.byteCount, alignment: 1)
        defer { spare.deallocate() }
        try painter.paint(0) { UnsafeMutableRawBufferPointer(rebasing: spare[..<$0]) }
        let most = painter.byteCount * 5 / 2
        let error = try #require(throws: CameraError.self) {
            try PrerenderedFrames(painter, scene, format: format, maxBytes: most)
        }
        #expect(error.message.hasPrefix("9 prerendered frames of 96x64 \(pixelFormat) take more than \(most) bytes"))
        #expect(error.hint == "prerender=2 would fit" && error.exitStatus == 64)
    }

    @Test("A step allocates, frees and locks nothing", arguments: [PixelFormat.yuyv, .nv12, .mjpeg])
    func steps(_ pixelFormat: PixelFormat) throws {
        let camera = try SyntheticCamera(
            SyntheticSettings("handheld:prerender=3,gap=7,damage=5"), pixelFormat: pixelFormat, size: size, pace: .fast)
        let (ring, _) = try camera.makeRing(RingCapacity(duration: .milliseconds(200), byteCap: 1 << 20))
        var producer = RingProducer(filling: ring)
        try camera.start(&producer)
        // The first rounds fill the history and trigger one-time allocations of the runtime.
        while ring.nextCounter < 30 { _ = try camera.step(&producer) }
        var counts = lc_probe_counts()
        let measured = lc_probe_start()
        while ring.nextCounter < 90 { _ = try camera.step(&producer) }
        lc_probe_stop(&counts)
        if measured & Int32(LC_PROBE_HEAP | LC_PROBE_LOCKS) != Int32(LC_PROBE_HEAP | LC_PROBE_LOCKS) {
            #expect(getenv("LIVECAP_SANITIZER") != nil, "the probe counts nothing, so nothing has been checked")
            return
        }
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0, "\(counts)")
    }
}
