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
        func steps(transport: Transport) throws {
            let request = FormatRequest(pixelFormat: .yuyv, size: LabStream.size, rate: FrameRate(30))
            let camera = try V4L2Camera(path: Lab.webcam, request: request, transport: transport)
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
