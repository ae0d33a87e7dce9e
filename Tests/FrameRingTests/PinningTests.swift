// SPDX-License-Identifier: MIT
// How held frames limit the producer, and how long their memory lives.

import LivecapFrames
import LivecapSeededRandom
import Synchronization
import Testing

@testable import FrameRing

@Suite struct PinningTests {
    @Test func aPinnedSlotIsNeverReused() throws {
        let ring = makeRing(slots: 4)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<2)
        let held = try need(ring.leaseNewest())
        for number in 2..<50 {
            #expect(producer.fill(number) != nil)
            #expect(held.seed == 1)
        }
        #expect(held.counter == 1)
    }

    @Test func theOldestUnpinnedFrameGivesWay() throws {
        let ring = makeRing(slots: 6, reserve: 1)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<5)
        let held = try need(ring.lease(id: FrameID(epoch: 0, counter: 0)))
        producer.fill(5..<6)
        let there = (0..<6).filter { ring.has($0) }
        #expect(there == [0, 2, 3, 4, 5] && held.counter == 0)
    }

    @Test(arguments: [0, 1, 4])
    func historyAndPinsNeverExceedTheSlotsWithoutTheReserve(reserve: Int) throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededRandom(seed: seed)
        let ring = makeRing(slots: 12, reserve: reserve)
        var producer = RingProducer(filling: ring)
        let leases = LeaseBag()
        var dropped: UInt64 = 0
        for number in 0..<3000 {
            if producer.fill(number) == nil { dropped += 1 }
            #expect(ring.publishedSlots <= ring.historyLimit)
            if leases.count < 12, Bool.random(using: &random), let lease = ring.leaseNewest() { leases.add(lease) }
            if leases.count > 8, Int.random(in: 0..<4, using: &random) == 0 { leases.removeOldest() }
            #expect(leases.allIntact)
        }
        #expect(ring.statistics.dropped == dropped && dropped > 0)
        #expect(ring.statistics.published + dropped == 3000)
    }

    @Test func aDriversSlotsStayQueuedWhateverReadersHold() throws {
        // As in zero-copy capture: four slots are queued, and the next one is claimed before the filled one is
        // published.
        let ring = makeRing(slots: 10, reserve: 4)
        var producer = RingProducer(filling: ring)
        var queued = (0..<4).map { _ in producer.claim()! }
        let leases = LeaseBag()
        for number in 0..<100 {
            let filled = queued.removeFirst()
            if let next = producer.claim() {
                queued.append(next)
                producer.publish(filled, FrameMetadata(time: time(number), byteCount: 8))
                leases.add(try need(ring.leaseNewest()))
            } else {
                producer.drop()
                queued.append(filled)
            }
            #expect(queued.count == 4)
            #expect(ring.publishedSlots <= 6)
        }
        #expect(ring.statistics.published == 6 && ring.statistics.dropped == 94)
    }

    @Test func theReserveIsRefilledWithoutTouchingHistory() throws {
        let ring = makeRing(slots: 10, reserve: 4)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<6)
        let leases = LeaseBag()
        for _ in 0..<4 { #expect(producer.claimFree() != nil) }
        #expect(producer.claimFree() == nil)
        #expect(ring.publishedSlots == 6)
        leases.add(try need(ring.lease(id: FrameID(epoch: 0, counter: 0))))
        #expect(leases.allIntact)
    }

    @Test func framesLostBeforeADroppedOneAreCountedToo() throws {
        let ring = makeRing(slots: 4)
        var producer = RingProducer(filling: ring)
        producer.drop(lostBefore: 8)
        producer.fill(0..<1)
        #expect(ring.lease(id: FrameID(epoch: 0, counter: 0))!.metadata.lostBefore == 9)
        #expect(ring.statistics.dropped == 1 && ring.statistics.lost == 8 && ring.statistics.gaps == 1)
    }

    @Test func dropIsReportedWithTheNextFrame() throws {
        let ring = makeRing(slots: 4)
        var producer = RingProducer(filling: ring)
        producer.drop()
        producer.drop()
        producer.fill(0..<2)
        let metadata = (0..<2).map { ring.lease(id: FrameID(epoch: 0, counter: $0))!.metadata }
        #expect(metadata.map(\.lostBefore) == [2, 0])
        #expect(metadata.map { $0.flags.contains(.gapBefore) } == [true, false])
        #expect(ring.statistics.dropped == 2 && ring.statistics.lost == 0 && ring.statistics.gaps == 0)
    }

    @Test func releasingALeaseFreesASlot() throws {
        let ring = makeRing(slots: 3, reserve: 1)
        var producer = RingProducer(filling: ring)
        let leases = LeaseBag()
        for number in 0..<2 {
            producer.fill(number)
            leases.add(try need(ring.leaseNewest()))
        }
        #expect(producer.fill(2) == nil)
        leases.removeOldest()
        #expect(producer.fill(3)?.counter == 2)
        #expect(ring.statistics.dropped == 1)
    }

    @Test func aDiscardedSlotIsFreeAgain() {
        let ring = makeRing(slots: 3)
        var producer = RingProducer(filling: ring)
        #expect(producer.freeSlots == 3)
        let slot = producer.claim()!
        #expect(producer.freeSlots == 2)
        producer.discard(slot)
        #expect(producer.freeSlots == 3)
    }

    @Test func memoryIsReleasedOnceAndByTheLastHolder() throws {
        let releases = Counter()
        do {
            let held: FrameLease
            do {
                let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 * 64, alignment: 64)
                nonisolated(unsafe) let owned = bytes
                let regions = (0..<4).map { UnsafeMutableRawBufferPointer(rebasing: bytes[($0 * 64)..<($0 * 64 + 64)]) }
                let memory = SlotMemory(borrowing: regions) {
                    releases.add()
                    owned.deallocate()
                }
                let ring = Ring(
                    format: FrameFormat(pixelFormat: .grey, size: FrameSize(width: 8, height: 8)), memory: memory,
                    reserve: 1)
                var producer = RingProducer(filling: ring)
                producer.fill(0..<3)
                held = try need(ring.leaseNewest())
            }
            // No variable refers to the producer, the ring or the memory any more, and the lease is still
            // readable.
            #expect(releases.value == 0)
            #expect(held.seed == 2)
            let format = held.format
            #expect(format.pixelFormat == .grey)
        }
        #expect(releases.value == 1)
    }

    @Test func windowKeepsTheMemoryAlive() throws {
        let releases = Counter()
        do {
            let held: FrameWindow
            do {
                let slab = SlotMemory.slabs(count: 4, bytesEach: 64)!
                let memory = SlotMemory(borrowing: slab.regions) { [slab] in
                    withExtendedLifetime(slab) { releases.add() }
                }
                let ring = Ring(
                    format: FrameFormat(pixelFormat: .grey, size: FrameSize(width: 8, height: 8)), memory: memory,
                    reserve: 1)
                var producer = RingProducer(filling: ring)
                producer.fill(0..<3)
                held = try need(ring.window(around: time(1), before: 1, after: 1))
            }
            #expect(releases.value == 0)
            #expect(held.withBytes(0) { Payload.seed(of: $0) } == 0)
        }
        #expect(releases.value == 1)
    }
}

/// Counts events from any thread.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    func add(_ amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }
    var value: Int { count.load(ordering: .relaxed) }
}

/// Leases in the order they were taken. They are boxed, because Swift arrays cannot hold noncopyable values.
final class LeaseBag {
    private final class Held {
        let lease: FrameLease
        init(_ lease: consuming FrameLease) { self.lease = lease }
    }
    private var held: [Held] = []

    var count: Int { held.count }
    func add(_ lease: consuming FrameLease) { held.append(Held(lease)) }
    func removeOldest() { held.removeFirst() }
    func removeAll() { held.removeAll() }
    /// Whether every frame still has the bytes that belong to its number.
    var allIntact: Bool {
        held.allSatisfy { UInt64($0.lease.metadata.time.nanoseconds / 10_000_000) == $0.lease.seed }
    }
}
