// SPDX-License-Identifier: MIT
// Following a stream: in order, each frame once, with a count of the missed ones.

import LivecapFrames
import Synchronization
import Testing

@testable import FrameRing

@Suite struct SubscriptionTests {
    @Test func framesComeInOrderOnceEach() {
        let ring = makeRing(slots: 8)
        var producer = RingProducer(filling: ring)
        var subscription = FrameSubscription(to: ring)
        var seen: [UInt64] = []
        for burst in 0..<5 {
            producer.fill(burst * 3..<burst * 3 + 3)
            while let counter = subscription.nextNow() { seen.append(counter) }
        }
        #expect(seen == Array(0..<15) && subscription.missed == 0)
    }

    @Test func itBeginsWithTheNextFrame() {
        let ring = makeRing(slots: 8)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<4)
        var subscription = FrameSubscription(to: ring)
        let before = subscription.nextNow()
        producer.fill(4..<5)
        let after = subscription.nextNow()
        #expect(before == nil && after == 4 && subscription.missed == 0)
    }

    @Test func subscriptionCanStartWithTheOldestFrame() {
        let ring = makeRing(slots: 5)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<100)
        var subscription = FrameSubscription(to: ring, fromOldest: true)
        var seen: [UInt64] = []
        while let counter = subscription.nextNow() { seen.append(counter) }
        #expect(seen == [96, 97, 98, 99] && subscription.missed == 0)
    }

    @Test func evictedUnreadFramesAreCountedAsMissed() {
        let ring = makeRing(slots: 5)
        var producer = RingProducer(filling: ring)
        var subscription = FrameSubscription(to: ring)
        producer.fill(0..<10)
        let first = subscription.nextNow()
        #expect(first == 6 && subscription.missed == 6)
        producer.fill(10..<12)
        let second = subscription.nextNow()
        #expect(second == 8 && subscription.missed == 7)
    }

    @Test func evictedFramesWithoutSuccessorCountAsMissed() {
        let ring = makeRing(slots: 5)
        var producer = RingProducer(filling: ring)
        var subscription = FrameSubscription(to: ring)
        producer.fill(0..<3)
        // The producer claims every slot, as a restarting camera does.
        let taken = (0..<5).map { _ in producer.claim()! }
        #expect(Set(taken).count == 5 && ring.publishedSlots == 0)
        let found = subscription.nextNow()
        #expect(found == nil && subscription.missed == 3 && subscription.nextCounter == 3)
    }

    @Test func theEndComesAfterTheLastFrame() {
        let ring = makeRing(slots: 5)
        var subscription = FrameSubscription(to: ring)
        do {
            var producer = RingProducer(filling: ring)
            producer.fill(0..<3)
        }
        var seen = 0
        while case .frame = subscription.next() { seen += 1 }
        #expect(seen == 3)
    }

    @Test func aFollowerOnItsOwnThreadSeesAllThatItDoesNotMiss() {
        let total = UInt64(rounds(50_000))
        let ring = makeRing(slots: 16)
        let producing = Mutex(Optional(RingProducer(filling: ring)))
        let followers = Atomic<Int>(0)
        let follow: @Sendable () -> Void = {
            var subscription = FrameSubscription(to: ring)
            followers.wrappingAdd(1, ordering: .relaxed)
            var (seen, last) = (UInt64(0), Int64(-1))
            while case .frame(let lease) = subscription.next() {
                if Int64(lease.counter) <= last { Issue.record("\(lease.counter) after \(last)") }
                if lease.seed != lease.counter { Issue.record("frame \(lease.counter) is torn") }
                last = Int64(lease.counter)
                seen += 1
            }
            #expect(seen + subscription.missed == total)
            #expect(last == Int64(total) - 1)
        }
        concurrently([
            follow, follow,
            {
                var producer = producing.withLock { $0.take()! }
                wait { followers.load(ordering: .relaxed) == 2 }
                for number in 0..<Int(total) {
                    wait { producer.fill(number) != nil }
                }
            },
        ])
    }
}

extension FrameSubscription {
    /// The counter of the next frame if it has already arrived.
    mutating func nextNow() -> UInt64? {
        guard case .frame(let lease) = next(until: .zero) else { return nil }
        return lease.counter
    }
}
