// SPDX-License-Identifier: MIT
// Frames of varying size in one region: packing, wrapping, and skipping leased frames.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import FrameRing

@Suite struct CompactRingTests {
    @Test func framesArePackedInWholeCacheLines() {
        let ring = makeCompactRing(slots: 8, bytes: 4096)
        var producer = RingProducer(filling: ring)
        let base = UInt(bitPattern: ring.memory.regions[0].baseAddress)
        var expected: UInt = 0
        for byteCount in [1, 64, 65, 200] {
            let slot = producer.claim(byteCount: byteCount)!
            #expect(UInt(bitPattern: producer.bytes(of: slot).baseAddress) == base + expected)
            expected += UInt(byteCount + 63) / 64 * 64
        }
    }

    @Test func regionWrapsAndEvictsTheOldest() {
        let ring = makeCompactRing(slots: 32, bytes: 1024)
        var producer = RingProducer(filling: ring)
        for number in 0..<100 { #expect(producer.fill(number, byteCount: 256) != nil) }
        let there = (0..<100).filter { ring.has($0) }
        #expect(there == [96, 97, 98, 99])
    }

    @Test func leasedFrameIsSkipped() throws {
        let ring = makeCompactRing(slots: 32, bytes: 1024)
        var producer = RingProducer(filling: ring)
        producer.fill(0, byteCount: 256)
        producer.fill(1, byteCount: 256)
        let held = try need(ring.leaseNewest())
        for number in 2..<60 {
            #expect(producer.fill(number, byteCount: 192) != nil)
            #expect(held.seed == 1)
        }
        #expect(ring.publishedSlots >= 3)
    }

    @Test func aFrameTooLargeForTheRoomBetweenHeldOnesIsRefused() throws {
        let ring = makeCompactRing(slots: 32, bytes: 1024)
        var producer = RingProducer(filling: ring)
        let leases = LeaseBag()
        for number in 0..<4 {
            producer.fill(number, byteCount: 256)
            if number % 2 == 1 { leases.add(try need(ring.leaseNewest())) }
        }
        let isRefused = producer.cannotClaim(257)
        #expect(isRefused)
        #expect(leases.allIntact)
        #expect(producer.fill(4, byteCount: 256) != nil)
        leases.removeAll()
        #expect(producer.fill(5, byteCount: 1024) != nil)
        #expect(ring.publishedSlots == 1)
    }

    @Test func aFrameLargerThanTheRegionIsRefused() {
        let ring = makeCompactRing(slots: 8, bytes: 1024)
        var producer = RingProducer(filling: ring)
        let refused = [1024, 1025, .max].map { producer.cannotClaim($0) }
        #expect(refused == [false, true, true])
    }

    @Test func slotsRunOutBeforeBytesWhenFramesAreSmall() {
        let ring = makeCompactRing(slots: 5, bytes: 1 << 16)
        var producer = RingProducer(filling: ring)
        for number in 0..<50 { #expect(producer.fill(number, byteCount: 64) != nil) }
        #expect(ring.publishedSlots == 4)
    }

    @Test func unusedPartOfAClaimIsReused() {
        let ring = makeCompactRing(slots: 8, bytes: 4096)
        var producer = RingProducer(filling: ring)
        let first = producer.claim(byteCount: 2048)!
        let start = UInt(bitPattern: producer.bytes(of: first).baseAddress)
        producer.publish(first, FrameMetadata(time: .zero, byteCount: 100))
        let second = producer.claim(byteCount: 2048)!
        #expect(UInt(bitPattern: producer.bytes(of: second).baseAddress) == start + 128)
        _ = ring
    }

    @Test func aDiscardedClaimLeavesNoHole() {
        let ring = makeCompactRing(slots: 8, bytes: 1024)
        var producer = RingProducer(filling: ring)
        for number in 0..<40 {
            let unused = producer.claim(byteCount: 512)!
            producer.discard(unused)
            #expect(producer.fill(number, byteCount: 300) != nil)
        }
        #expect(ring.statistics.dropped == 0)
    }

    @Test func guaranteedHistoryHoldsForAllFrameSizes() {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<20 {
            let largest = Int.random(in: 64...2000, using: &random)
            let region = SlotMemory.packed(largest) * Int.random(in: 3...12, using: &random)
            let memory = SlotMemory.slabs(count: 1, bytesEach: region)!
            var format = FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 8, height: 8))
            format.byteCount = largest
            let ring = Ring(format: format, memory: memory, compactSlots: 40, reserve: 1)
            var producer = RingProducer(filling: ring)
            for number in 0..<200 {
                let byteCount = Int.random(in: 8...largest, using: &random)
                #expect(producer.fill(number, byteCount: byteCount) != nil)
                let sure = min(number + 1, ring.guaranteedHistory)
                for past in 0..<sure {
                    #expect(ring.has(number - past))
                }
            }
        }
    }

    /// Random sizes, claims, discards and leases: published frames never overlap, and leased bytes
    /// never change.
    @Test func framesNeverOverlapWhateverIsHeld() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<20 {
            let slots = Int.random(in: 3...24, using: &random)
            let region = 64 * Int.random(in: 4...64, using: &random)
            let ring = makeCompactRing(slots: slots, bytes: region)
            var producer = RingProducer(filling: ring)
            let leases = LeaseBag()
            for number in 0..<500 {
                let byteCount = Int.random(in: 8...max(8, region / 3), using: &random)
                if Int.random(in: 0..<5, using: &random) == 0, let unused = producer.claim(byteCount: byteCount) {
                    producer.discard(unused)
                }
                let published = producer.fill(number, byteCount: byteCount)
                #expect(ring.hasNoOverlap)
                #expect(ring.publishedSlots <= ring.historyLimit)
                if published != nil, Int.random(in: 0..<3, using: &random) == 0 {
                    leases.add(try need(ring.leaseNewest()))
                }
                if leases.count > Int.random(in: 0..<4, using: &random) { leases.removeOldest() }
                #expect(leases.allIntact)
            }
            leases.removeAll()
            #expect(producer.fill(500, byteCount: region) != nil)
            #expect(ring.publishedSlots == 1 && producer.freeSlots == slots - 1)
        }
    }
}

extension Ring {
    /// Whether the published frames of a compact ring are disjoint and within the region.
    var hasNoOverlap: Bool {
        let extents = (0..<slotCount)
            .filter { SlotWord(rawValue: table.shared[$0].word.load(ordering: .relaxed)).isPublished }
            .map { UnsafeRawBufferPointer(table.contents[$0].bytes) }
            .sorted { $0.baseAddress! < $1.baseAddress! }
        let region = memory.regions[0]
        var end = UnsafeRawPointer(region.baseAddress!)
        for extent in extents {
            guard extent.baseAddress! >= end else { return false }
            end = extent.baseAddress! + extent.count
        }
        return end <= UnsafeRawPointer(region.baseAddress! + region.count)
    }
}
