// SPDX-License-Identifier: MIT
// Holding a button: which taps result, and when.

import LivecapFrames
import Shutter
import Testing

private func at(_ milliseconds: Int64) -> Timestamp { .zero + .milliseconds(milliseconds) }
private func times(_ taps: [HoldBurst.Tap]) -> [Int64] { taps.map { $0.time.nanoseconds / 1_000_000 } }

@Suite struct HoldBurstTests {
    private var burst = HoldBurst(interval: .milliseconds(40), delay: .milliseconds(300))

    @Test mutating func aPressIsATapAtOnce() {
        #expect(burst.handle(.pressed(at: at(7))) == [HoldBurst.Tap(time: at(7), index: 0)])
    }

    @Test mutating func eachTapNamesItsHold() {
        #expect(burst.handle(.pressed(at: at(0)), button: 1).map(\.hold) == [0])
        #expect(burst.handle(.pressed(at: at(310)), button: 2).map(\.hold) == [0, 1])
        #expect(burst.takeTaps(until: at(380)).map(\.hold) == [0, 0])
        #expect(burst.handle(.released(at: at(400)), button: 1).isEmpty)
        #expect(burst.takeTaps(until: at(650)).map(\.hold) == [1, 1])
    }

    @Test mutating func aShortPressIsOneTap() {
        _ = burst.handle(.pressed(at: at(0)))
        #expect(burst.takeTaps(until: at(299)).isEmpty)
        #expect(burst.handle(.released(at: at(300))).isEmpty)
        #expect(burst.takeTaps(until: at(10_000)).isEmpty && !burst.isHeld && burst.nextTap == nil)
    }

    @Test(arguments: [
        [1000], [300, 340, 1000], [310, 333, 500, 999, 1000], Array(stride(from: 0, through: 1000, by: 5)),
    ])
    func timesAreExactHoweverOftenTheyAreAskedFor(_ clock: [Int64]) {
        var burst = burst
        var taps = burst.handle(.pressed(at: at(0)))
        for now in clock { taps += burst.takeTaps(until: at(now)) }
        #expect(times(taps) == [0] + Array(stride(from: 300, through: 1000, by: 40)))
        #expect(taps.map(\.index) == Array(taps.indices))
    }

    @Test mutating func lateReleaseEndsTheHoldAtItsOwnTime() {
        _ = burst.handle(.pressed(at: at(0)))
        #expect(times(burst.handle(.released(at: at(380)))) == [300, 340])
        #expect(burst.takeTaps(until: at(1000)).isEmpty)
    }

    @Test mutating func theNextTapIsTheEarliestOfAllHolds() {
        _ = burst.handle(.pressed(at: at(0)), button: 1)
        _ = burst.handle(.pressed(at: at(310)), button: 2)
        #expect(burst.nextTap == at(340))
        _ = burst.handle(.released(at: at(320)), button: 1)
        #expect(burst.nextTap == at(610))
    }

    @Test mutating func eachButtonIsAHoldOfItsOwn() {
        _ = burst.handle(.pressed(at: at(0)), button: 1)
        _ = burst.handle(.pressed(at: at(10)), button: 2)
        _ = burst.handle(.released(at: at(20)), button: 1)
        #expect(times(burst.takeTaps(until: at(400))) == [310, 350, 390])
    }

    @Test mutating func tapsOfSeveralHoldsComeInTheOrderOfTheirTimes() {
        _ = burst.handle(.pressed(at: at(0)), button: 1)
        _ = burst.handle(.pressed(at: at(10)), button: 2)
        #expect(times(burst.takeTaps(until: at(400))) == [300, 310, 340, 350, 380, 390])
    }

    @Test mutating func aReleaseEndsTheEarlierOfTwoPressesOfOneNumber() {
        _ = burst.handle(.pressed(at: at(0)))
        _ = burst.handle(.pressed(at: at(100)))
        _ = burst.handle(.released(at: at(200)))
        #expect(times(burst.takeTaps(until: at(450))) == [400, 440])
        _ = burst.handle(.released(at: at(450)))
        #expect(!burst.isHeld)
    }

    @Test mutating func aReleaseOfWhatIsNotDownIsNothing() {
        #expect(burst.handle(.released(at: at(5))).isEmpty)
        _ = burst.handle(.pressed(at: at(10)), button: 1)
        #expect(burst.handle(.released(at: at(20)), button: 2).isEmpty && burst.isHeld)
    }

    @Test func aHoldEndsAtItsMostTaps() {
        var burst = HoldBurst(interval: .milliseconds(40), maxTaps: 5)
        let first = burst.handle(.pressed(at: at(0)))
        #expect((first + burst.takeTaps(until: .distantFuture)).count == 5)
        #expect(burst.nextTap == nil && burst.isHeld)
    }

    @Test mutating func moreButtonsThanFingersAreTapsWithoutAHold() {
        for button in 0...HoldBurst.maxHolds {
            #expect(burst.handle(.pressed(at: at(0)), button: button).count == 1)
        }
        #expect(burst.takeTaps(until: at(300)).count == HoldBurst.maxHolds)
    }
}
