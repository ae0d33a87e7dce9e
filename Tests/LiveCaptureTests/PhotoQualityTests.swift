// SPDX-License-Identifier: MIT
// What qualities there are.

import LiveCapture
import Testing

@Suite struct PhotoQualityTests {
    @Test func onlyTheQuickOnesLookAtOneFrame() {
        #expect(PhotoQuality.allCases.filter(\.needsOneFrame) == [.single, .speed])
    }
}
