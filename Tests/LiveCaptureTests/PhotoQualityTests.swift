// SPDX-License-Identifier: MIT
// Which qualities need only one frame.

import LiveCapture
import Testing

@Suite struct PhotoQualityTests {
    @Test func onlyTheQuickOnesLookAtOneFrame() {
        #expect(PhotoQuality.allCases.filter(\.needsOneFrame) == [.single, .speed])
    }
}
