// SPDX-License-Identifier: MIT
// Waiting for frames: how waits end, and that no wake-up is lost.

import LivecapFrames
import Synchronization
import Testing

@testable import FrameRing

@Suite struct WaitingTests {
    @Test func waitForAPublishedFrameReturnsAtOnce() {
        let ring = makeRing(slots: 4)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<3)
        #expect(ring.wait(forCounter: 2, until: .zero) == .arrived)
        #expect(ring.wait(forNewerThan: time(1), until: .zero) == .arrived)
        #expect(ring.wait(forNewerThan: Timestamp(nanoseconds: .min), until: .zero) == .arrived)
    }

    @Test func waitForAMissingFrameTimesOut() {
        let ring = makeRing(slots: 4)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<3)
        #expect(ring.wait(forCounter: 3, until: .zero) == .timedOut)
        #expect(ring.wait(forNewerThan: time(2), until: .now + .milliseconds(5)) == .timedOut)
        #expect(ring.wait(forCounter: 3, until: Timestamp(nanoseconds: .min)) == .timedOut)
        #expect(ring.table.signal.sleeperCount == 0)
    }

    @Test func theProducersEndEndsEveryWait() {
        let ring = makeRing(slots: 4)
        do {
            var producer = RingProducer(filling: ring)
            producer.fill(0..<3)
        }
        #expect(ring.isEnded)
        #expect(ring.wait(forCounter: 3) == .ended)
        #expect(ring.wait(forNewerThan: time(2)) == .ended)
        // Frames published before the end still count as arrived.
        #expect(ring.wait(forCounter: 2) == .arrived)
    }

    @Test func aSleeperIsWokenByTheFrameItWaitsFor() {
        let ring = makeRing(slots: 8)
        let producing = Mutex(Optional(RingProducer(filling: ring)))
        concurrently([
            { #expect(ring.wait(forCounter: 5) == .arrived) },
            { #expect(ring.wait(forNewerThan: time(3)) == .arrived) },
            {
                var producer = producing.withLock { $0.take()! }
                // Both readers sleep or are about to.
                wait { ring.table.signal.sleeperCount == 2 }
                producer.fill(0..<6)
            },
        ])
        #expect(ring.table.signal.sleeperCount == 0)
    }

    @Test func aSleeperIsWokenByTheEnd() {
        let ring = makeRing(slots: 8)
        let producing = Mutex(Optional(RingProducer(filling: ring)))
        concurrently([
            { #expect(ring.wait(forCounter: 0) == .ended) },
            {
                let producer = producing.withLock { $0.take()! }
                wait { ring.table.signal.sleeperCount == 1 }
                _ = consume producer
            },
        ])
    }

    /// Two sides answer each other's frames tens of thousands of times. A single lost wake-up would block both
    /// forever.
    @Test func noWakeUpIsLost() {
        let last = UInt64(rounds(20_000))
        let rings = [makeRing(slots: 4), makeRing(slots: 4)]
        concurrently(
            (0..<2).map { side in
                {
                    var producer = RingProducer(filling: rings[side])
                    for round in 0..<last {
                        if side == 0 { producer.fill(Int(round)) }
                        if rings[1 - side].wait(forCounter: round) != .arrived { Issue.record("the other side ended") }
                        if side == 1 { producer.fill(Int(round)) }
                    }
                }
            })
        #expect(rings.map(\.nextCounter) == [last, last])
    }

    @Test func aFrameWaitedForByTimeCanBeLeasedAtOnce() {
        let total = rounds(20_000)
        let ring = makeRing(slots: 64)
        let producing = Mutex(Optional(RingProducer(filling: ring)))
        concurrently([
            {
                var producer = producing.withLock { $0.take()! }
                for number in 0..<total { producer.fill(number) }
            },
            {
                var last = Timestamp(nanoseconds: -1)
                while ring.wait(forNewerThan: last) == .arrived {
                    guard let lease = ring.leaseNewest() else {
                        Issue.record("nothing to lease after a wait for a newer frame")
                        return
                    }
                    #expect(lease.metadata.time > last)
                    last = lease.metadata.time
                }
                #expect(last == time(total - 1))
            },
        ])
    }
}
