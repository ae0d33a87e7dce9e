// SPDX-License-Identifier: MIT
// Leasing single frames: the newest, the nearest to a time, and one by its id.

import LivecapFrames
import Testing

@testable import FrameRing

@Suite struct LeaseTests {
    @Test func anEmptyRingHasNothingToLease() {
        let ring = makeRing(slots: 4)
        let (newest, nearest) = (isNil(ring.leaseNewest()), isNil(ring.lease(nearest: .zero)))
        #expect(newest && nearest && !ring.has(0))
        #expect(ring.newestTime == nil)
    }

    @Test func theNewestIsTheOnePublishedLast() throws {
        let ring = makeRing(slots: 4)
        var producer = RingProducer(filling: ring)
        for number in 0..<10 {
            producer.fill(number)
            let lease = try need(ring.leaseNewest())
            #expect(lease.counter == UInt64(number) && lease.seed == UInt64(number))
            #expect(ring.newestTime == time(number))
        }
    }

    @Test func framesThatOnlyLeasesKeepAreNotHistory() throws {
        let ring = makeRing(slots: 9)
        var producer = RingProducer(filling: ring)
        let before = ring.beginOfHistory
        #expect(before == nil && ring.historyMetadata().isEmpty)
        producer.fill(0..<4)
        let lease = try need(ring.lease(id: FrameID(epoch: 0, counter: 2)))
        #expect(ring.historyMetadata().map(\.id.counter) == [0, 1, 2, 3])
        producer.fill(4..<20)
        #expect(ring.has(2) && ring.historyMetadata().map(\.id.counter) == [13, 14, 15, 16, 17, 18, 19])
        #expect(ring.beginOfHistory?.id.counter == 13 && lease.counter == 2)
    }

    @Test func aHistoryOfManyFramesHasABegin() throws {
        let ring = makeRing(slots: 201)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<500)
        #expect(ring.beginOfHistory?.id.counter == 300 && ring.historyMetadata().count == 200)
    }

    @Test func historyIsTheSlotsWithoutTheReserve() {
        let ring = makeRing(slots: 8, reserve: 3)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<20)
        let there = (0..<20).filter { ring.has($0) }
        #expect(there == [15, 16, 17, 18, 19])
    }

    @Test(arguments: [(95, 9), (96, 10), (104, 10), (105, 10), (106, 11), (0, 8), (1000, 15), (-5, 8)])
    func theNearestByTime(milliseconds: Int, expected: Int) throws {
        let ring = makeRing(slots: 9)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<16)
        let lease = try need(ring.lease(nearest: Timestamp(nanoseconds: Int64(milliseconds) * 1_000_000)))
        #expect(lease.counter == UInt64(expected))
    }

    @Test func extremeTimesFindTheEnds() throws {
        let ring = makeRing(slots: 9)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<16)
        #expect(ring.nearest(.distantFuture) == 15)
        #expect(ring.nearest(Timestamp(nanoseconds: .min)) == 8)
    }

    @Test func anIdIsFoundWhileInHistoryOnly() {
        let ring = makeRing(slots: 5, reserve: 1)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<10)
        let found = (0..<12).filter { ring.has($0) }
        #expect(found == [6, 7, 8, 9])
    }

    @Test func anIdOfAnotherEpochIsNotThisFrame() throws {
        let ring = makeRing(slots: 5)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<1)
        producer.beginEpoch()
        producer.fill(1..<2)
        let isMissing = isNil(ring.lease(id: FrameID(epoch: 1, counter: 0)))
        // The refused lease left no pin behind.
        #expect(isMissing && !ring.isAnythingPinned)
        let second = try need(ring.lease(id: FrameID(epoch: 1, counter: 1)))
        #expect(second.metadata.flags == .firstOfEpoch)
    }

    @Test func countersGoOnFromWhereAnEarlierRingStopped() throws {
        let ring = makeRing(slots: 4, firstCounter: 1000)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<2)
        #expect(ring.newest == 1001)
        #expect(ring.statistics.published == 2)
    }

    @Test func aLeaseLiesInTheMemoryThatWasWritten() throws {
        let ring = makeRing(slots: 4)
        var producer = RingProducer(filling: ring)
        let slot = try need(producer.claim())
        let address = UInt(bitPattern: producer.bytes(of: slot).baseAddress)
        producer.publish(slot, FrameMetadata(time: .zero, byteCount: 40))
        let lease = try need(ring.leaseNewest())
        lease.withBytes { bytes in
            #expect(bytes.byteCount == 40)
            bytes.withUnsafeBytes { #expect(UInt(bitPattern: $0.baseAddress) == address) }
        }
        #expect(ring.statistics.bytesCopied == 0)
    }

    @Test func aFrameHeldBySoManyThatPinsRunOutIsPassedOver() throws {
        let ring = makeRing(slots: 4)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<2)
        let slot = try #require(ring.table.pinNewest()).slot
        for _ in 1..<Int(SlotWord.pinMask) { #expect(ring.table.pin(try #require(ring.table.candidate(slot)))) }
        #expect(ring.table.candidate(slot) == nil)
        #expect(ring.newest == 0)
        for _ in 0..<Int(SlotWord.pinMask) { ring.table.unpin(slot) }
        #expect(ring.newest == 1)
    }

    @Test func statisticsCountWhatHappened() {
        let ring = makeRing(slots: 4)
        var producer = RingProducer(filling: ring)
        producer.fill(0, damage: .short)
        let slot = producer.claim()!
        producer.publish(slot, FrameMetadata(time: time(1), byteCount: 8, flags: .gapBefore, lostBefore: 3))
        producer.drop()
        producer.countCopied(123)
        var expected = RingStatistics()
        (expected.published, expected.dropped, expected.lost, expected.gaps) = (2, 1, 3, 1)
        (expected.damaged, expected.bytesCopied) = (1, 123)
        #expect(ring.statistics == expected)
    }
}

extension Ring {
    /// Whether any slot is pinned.
    var isAnythingPinned: Bool {
        (0..<slotCount).contains { SlotWord(rawValue: table.shared[$0].word.load(ordering: .relaxed)).pins != 0 }
    }
    /// The number of published slots, pinned or not.
    var publishedSlots: Int {
        (0..<slotCount).filter { SlotWord(rawValue: table.shared[$0].word.load(ordering: .relaxed)).isPublished }.count
    }
}
