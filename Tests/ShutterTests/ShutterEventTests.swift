// SPDX-License-Identifier: MIT
// What a shutter button tells.

import Frames
import Shutter
import Testing

@Suite struct ShutterEventTests {
    @Test func aPressIsNoRelease() {
        let time = Timestamp(nanoseconds: 5)
        #expect(ShutterEvent.pressed(at: time) != .released(at: time))
    }
}
