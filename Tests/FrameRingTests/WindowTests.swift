// SPDX-License-Identifier: MIT
// Leasing several frames around a time.

import LivecapFrames
import Testing

@testable import FrameRing

@Suite struct WindowTests {
    /// Sixteen frames, of which those in `damaged` are marked as damaged.
    func ring(damaged: Set<Int> = []) -> Ring {
        let ring = makeRing(slots: 40)
        var producer = RingProducer(filling: ring)
        for number in 0..<16 { producer.fill(number, damage: damaged.contains(number) ? .jpegNoEnd : .none) }
        return ring
    }

    @Test func framesBeforeAndAfterInOrder() throws {
        let ring = ring()
        let window = try need(ring.window(around: time(8), before: 3, after: 2))
        #expect(window.counters == [5, 6, 7, 8, 9, 10])
        #expect(window.nearest == 3)
    }

    @Test func onlyTheNearest() throws {
        let ring = ring()
        let window = try need(ring.window(around: time(8) + .milliseconds(4), before: 0))
        #expect(window.counters == [8] && window.nearest == 0)
    }

    @Test func theEndsOfHistoryShortenAWindow() throws {
        let ring = ring()
        #expect(ring.counters(around: time(1), before: 5, after: 1) == [0, 1, 2])
        #expect(ring.counters(around: time(14), before: 1, after: 9) == [13, 14, 15])
    }

    @Test func damagedFramesArePassedOver() throws {
        let ring = ring(damaged: [4, 6, 7, 11])
        let window = try need(ring.window(around: time(8), before: 3, after: 3))
        #expect(window.counters == [2, 3, 5, 8, 9, 10, 12])
    }

    @Test(arguments: [(0, 7), (4_000_000, 10)])
    func aDamagedNearestGivesWayToTheNearestUsable(offset: Int, expected: UInt64) throws {
        // Frames 8 and 9 are damaged. Of their neighbours, 7 is nearer to the time of 8, and 10 to
        // the time of 9.
        let ring = ring(damaged: [8, 9])
        let asked = offset == 0 ? time(8) : time(9)
        #expect(ring.counters(around: asked, before: 0) == [expected])
    }

    @Test func nothingButDamagedFramesIsNil() {
        let ring = ring(damaged: Set(0..<16))
        let isMissing = isNil(ring.window(around: time(8), before: 3, after: 3))
        #expect(isMissing)
        #expect(!ring.isAnythingPinned)
    }

    @Test func aWindowPinsItsFramesAndNothingElse() throws {
        let ring = ring(damaged: [6])
        do {
            let window = try need(ring.window(around: time(8), before: 3, after: 1))
            let pinned = (0..<ring.slotCount).filter { ring.table.pins($0) > 0 }
                .map { ring.table.contents[$0].metadata.id.counter }
            #expect(pinned.sorted() == window.counters)
            #expect((0..<ring.slotCount).allSatisfy { ring.table.pins($0) <= 1 })
        }
        #expect(!ring.isAnythingPinned)
    }

    @Test func aWholeWindowHoldsThirtyTwo() throws {
        let ring = makeRing(slots: 64)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<60)
        let window = try need(ring.window(around: time(30), before: 15, after: 16))
        #expect(window.counters == (15...46).map(UInt64.init))
    }

    @Test func slotNumbersAboveSixteenBitsAreHeldRight() throws {
        let ring = makeCompactRing(slots: 70_000, bytes: 64 * 70_000)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<69_990)
        let window = try need(ring.window(around: time(69_980), before: 2, after: 2))
        #expect(window.counters == [69978, 69979, 69980, 69981, 69982])
        for index in 0..<window.count {
            let seed = window.withBytes(index) { Payload.seed(of: $0) }
            #expect(seed == window.counters[index])
        }
    }

    @Test func leasedWindowIsNotOverwritten() throws {
        let ring = makeRing(slots: 8)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<4)
        let window = try need(ring.window(around: time(2), before: 1, after: 1))
        for number in 4..<40 { producer.fill(number) }
        #expect(window.counters == [1, 2, 3])
        for index in 0..<window.count {
            let seed = window.withBytes(index) { Payload.seed(of: $0) }
            #expect(seed == window.counters[index])
        }
    }
}

extension SlotTable {
    /// The number of leases on a slot.
    func pins(_ slot: SlotIndex) -> UInt64 { SlotWord(rawValue: shared[slot].word.load(ordering: .relaxed)).pins }
}
