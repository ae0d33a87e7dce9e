// SPDX-License-Identifier: MIT
// Checks the cost of the whole frame path, from the driver's buffer to the ring.

import FrameRing
import LivecapCFramePathProbe
import LivecapFrames
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("frame path")
    struct FramePathTests {
        @Test("a step from poll to publish allocates and locks nothing", arguments: Transport.allCases)
        func steps(transport: Transport) throws { try measure(open(transport)) }

        @Test("nor does a step of a camera that may be unplugged, switched off or replaced")
        func returning() throws {
            let same = SameSource { _ throws(CameraError) in throw .noSuchDevice("webcam", available: []) }
            try measure(ReturningSource(open(.userPointer), onUnplug: .wait(), same))
            let next = NextCamera(
                after: "webcam", home: nil, request, try CameraWatch(CameraDirectory()), [:],
                newMemory: { _ in ControlMemory() }
            ) { (_, _, _, _, _) throws(CameraError) in throw .noSuchDevice("webcam", available: []) }
            try measure(ReturningSource(open(.userPointer), onUnplug: .next(), next))
        }

        private let request = FormatRequest(pixelFormat: .yuyv, size: LabStream.size, rate: FrameRate(30))

        private func open(_ transport: Transport) throws -> V4L2Camera {
            try V4L2Camera(path: Lab.webcam, request: request, transport: transport)
        }

        private func measure(_ camera: some FrameSource) throws {
            let (ring, _) = try camera.makeRing(RingCapacity(duration: .milliseconds(500), byteCap: 64 << 20))
            var producer = RingProducer(filling: ring)
            try camera.start(&producer)
            defer { camera.stop() }
            // The first rounds fill the history and trigger one-time allocations of the runtime.
            while ring.nextCounter < 30 { _ = try camera.step(&producer) }

            var counts = lc_probe_counts()
            let measured = lc_probe_start()
            while ring.nextCounter < 60 { _ = try camera.step(&producer) }
            lc_probe_stop(&counts)
            #expect(measured & Int32(LC_PROBE_HEAP) != 0, "the probe is not there")
            #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0, "\(counts)")
        }
    }
}
