// SPDX-License-Identifier: MIT
// When the exposure time reported by a camera can be trusted.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct ExposureTests {
    @Test("A manual or shutter-priority exposure holds; its unit is 100 microseconds")
    func byHand() {
        #expect(V4L2Device.exposure(mode: 1, units: 156) == .microseconds(15_600))
        #expect(V4L2Device.exposure(mode: 2, units: 1) == .microseconds(100))
        #expect(V4L2Device.exposure(mode: nil, units: 10) == .milliseconds(1))
    }

    @Test("An automatic mode keeps changing it")
    func automatic() {
        #expect(V4L2Device.exposure(mode: 0, units: 156) == nil)
        #expect(V4L2Device.exposure(mode: 3, units: 156) == nil)
    }

    @Test("Impossible values are not trusted")
    func nonsense() {
        for units in [0, -5, 600_001, Int64.max] { #expect(V4L2Device.exposure(mode: 1, units: units) == nil) }
    }
}
