// SPDX-License-Identifier: MIT
// When the nearest frame is known before the next one has arrived.

import FrameRing
import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct NearestFrameTests {
    @Test func tapShortlyAfterAFrameDoesNotWait() {
        let hand = HandFilledRing()
        hand.frames(0..<5)
        #expect(hand.ring.found(at: 43, mayWait: true) == "[4]")
        #expect(hand.ring.found(at: 44.5, mayWait: true) == "not yet")
        #expect(hand.ring.found(at: 44.5, mayWait: false) == "[4]")
    }

    @Test func aSourceOfNoKnownRateIsWaitedFor() {
        let hand = HandFilledRing()
        hand.frames(0..<5)
        #expect(hand.ring.found(at: 41, isPaced: false, mayWait: true) == "not yet")
        hand.frame(at: 41)
        #expect(hand.ring.found(at: 41, isPaced: false, mayWait: true) == "[5]")
    }

    @Test func anUncertainTimeIsWaitedOutLonger() {
        let hand = HandFilledRing()
        hand.frame(at: 0, uncertainty: .milliseconds(5))
        #expect(hand.ring.found(at: 3, mayWait: true) == "not yet")
    }

    @Test func aDamagedFrameDoesNotHideThatTheNextOneIsNearer() {
        let hand = HandFilledRing()
        hand.frames(0..<2)
        hand.frame(at: 20, damage: .short)
        #expect(hand.ring.found(at: 22, mayWait: true) == "not yet")
        hand.frame(at: 30)
        #expect(hand.ring.found(at: 22, mayWait: true) == "[3] damaged [2]")
    }

    /// A camera in changing light: intervals from seven eighths to about three times the nominal one. A frame that is
    /// returned before the next one has arrived must still be the nearest when all have.
    @Test(arguments: 1...40) func earlySelectionIsNeverWrong(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var times = [0.0]
        for _ in 0..<30 {
            let slow = random.below(4) == 0 ? 20.0 * random.unit() : 0
            times.append(times[times.count - 1] + 8.7501 + 2.5 * random.unit() + slow)
        }
        let taps = (0..<60).map { _ in random.unit() * times[times.count - 1] }
        let hand = HandFilledRing()
        var early: [Double: String] = [:]
        for time in times {
            hand.frame(at: time)
            // Taps up to 5 ms after this frame, which is before the next one.
            for tap in taps where early[tap] == nil && tap < time + 5 {
                let found = hand.ring.found(at: tap, mayWait: true)
                if found != "not yet" { early[tap] = found }
            }
        }
        #expect(early.count > 30, "seed \(seed)")
        for (tap, found) in early {
            let nearest = times.indices.min { abs(times[$0] - tap) < abs(times[$1] - tap) }!
            #expect(found == "[\(nearest)]", "seed \(seed), tap at \(tap) ms among \(times)")
        }
    }
}
