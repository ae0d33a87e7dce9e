// SPDX-License-Identifier: MIT
// Taps of future moments: limited per client, and removed when their client leaves.

import LiveCapture
import Testing

@testable import livecap

@Suite struct ScheduledTapsTests {
    private func shot(_ number: Int) -> ShotID { ShotID(number: UInt64(number)) }

    @Test func eachClientHasABoundOfItsOwn() {
        var taps = ScheduledTaps<String>()
        let most = ScheduledTaps<String>.maxPerClient
        for number in 0..<most { taps.add(shot(number), of: "a") }
        #expect(!taps.hasRoom(for: "a") && taps.hasRoom(for: "b"))
        taps.remove(shot(3))
        #expect(taps.hasRoom(for: "a") && taps.count == most - 1)
        taps.remove(shot(3))
        #expect(taps.count == most - 1)
    }

    @Test func whatAClientScheduledGoesWithIt() {
        var taps = ScheduledTaps<String>()
        for number in [5, 2, 9] { taps.add(shot(number), of: "a") }
        taps.add(shot(7), of: "b")
        taps.remove(shot(9))
        #expect(taps.removeAll(of: "a") == [shot(2), shot(5)])
        #expect(taps.removeAll(of: "a").isEmpty && taps.count == 1)
    }
}
