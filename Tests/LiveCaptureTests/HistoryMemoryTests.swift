// SPDX-License-Identifier: MIT
// A history by the memory it takes: how long it is, and that it takes no more.

import Camera
import FrameRing
import LivecapFrames
import Testing

@testable import LiveCapture

@Suite struct HistoryMemoryTests {
    private static func camera(_ format: PixelFormat, _ width: Int, _ height: Int) -> SourceDescription {
        var description = SourceDescription(
            name: "camera", identity: "camera",
            format: FrameFormat(pixelFormat: format, size: FrameSize(width: width, height: height)),
            rate: FrameRate(30), clock: .monotonic)
        description.reserve = 4
        return description
    }

    @Test(arguments: [PixelFormat.yuyv, .mjpeg], [8, 64, 500])
    func theRingTakesNoMoreThanAskedForAndMostOfIt(_ format: PixelFormat, megabytes: Int) throws {
        let camera = Self.camera(format, 640, 480)
        var options = SessionOptions()
        options.historyMemory = HistoryMemory(bytes: megabytes << 20)
        let duration = try options.history(of: camera)
        let plan = try #require(
            RingCapacity(duration: duration, byteCap: .max).plan(
                format: camera.format, rate: camera.rate, reserve: camera.reserve))
        #expect(plan.bytes <= megabytes << 20)
        // Beyond 2048 slots there is no longer history, whatever the memory.
        if plan.slots < 2000 { #expect(plan.bytes > megabytes << 20 - megabytes << 18) }
    }

    @Test func itReplacesAHistoryByTimeUnlessItHasALimit() throws {
        let small = Self.camera(.mjpeg, 640, 480), large = Self.camera(.yuyv, 1920, 1080)
        var options = SessionOptions(history: .seconds(4))
        options.historyMemory = HistoryMemory(bytes: 32 << 20, upTo: .seconds(10))
        #expect(try options.history(of: small) == .seconds(10))
        #expect(try options.history(of: large) == .seconds(4))
        options.historyMemory = HistoryMemory(bytes: 32 << 20)
        #expect(try options.history(of: large) < .seconds(1))
    }

    @Test func tooLittleMemoryIsRefused() {
        var options = SessionOptions()
        options.historyMemory = HistoryMemory(bytes: 1 << 20)
        let camera = Self.camera(.yuyv, 1920, 1080)
        #expect(throws: CameraError.self) { try options.history(of: camera) }
        options.historyMemory = HistoryMemory(bytes: 1 << 20, upTo: .seconds(10))
        #expect(throws: Never.self) { try options.history(of: camera) }
    }
}
