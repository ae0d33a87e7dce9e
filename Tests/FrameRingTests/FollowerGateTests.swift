// SPDX-License-Identifier: MIT
// Back-pressure at the fast pace: no follower misses a frame, and followers that have left are not waited for.

import Glibc
import LivecapFrames
import Synchronization
import Testing

@testable import FrameRing

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct FollowerGateTests {
    @Test func gateWithoutFollowersDoesNotBlock() {
        FollowerGate().wait(untilFinishedBelow: .max)
    }

    @Test func aFollowerThatLeavesHoldsNobodyUp() {
        let gate = FollowerGate()
        let ticket = gate.join(at: 0)
        ticket.leave()
        gate.wait(untilFinishedBelow: .max - 1)
    }

    @Test func aPlaceIsFreeAgainAfterItsFollowerLeft() {
        let gate = FollowerGate()
        for _ in 0..<3 {
            let tickets = (0..<FollowerGate.maxFollowers).map { _ in gate.join(at: 7) }
            gate.wait(untilFinishedBelow: 7)
            for ticket in tickets { ticket.leave() }
        }
        gate.wait(untilFinishedBelow: 1000)
    }

    @Test func anOpenGateHoldsNobodyUp() {
        let gate = FollowerGate()
        _ = gate.join(at: 0)
        concurrently([{ gate.wait(untilFinishedBelow: 1) }, { gate.open() }])
        gate.wait(untilFinishedBelow: .max)
    }

    @Test func theSlowestFollowerDecides() {
        let gate = FollowerGate()
        let (slow, quick) = (gate.join(at: 0), gate.join(at: 0))
        let reached = Atomic<UInt64>(0)
        concurrently([
            {
                for counter in 1...UInt64(2000) {
                    gate.wait(untilFinishedBelow: counter)
                    #expect(reached.load(ordering: .acquiring) >= counter)
                }
            },
            {
                quick.advance(to: .max)
                for counter in 1...UInt64(2000) {
                    reached.store(counter, ordering: .releasing)
                    slow.advance(to: counter)
                }
            },
        ])
    }

    @Test(arguments: [false, true])
    func followersMissNothingWhenTheSourceWaits(isCompact: Bool) {
        let total = UInt64(rounds(3000))
        let ring = isCompact ? makeCompactRing(slots: 8, bytes: 512) : makeRing(slots: 4)
        let gate = FollowerGate()
        let producing = Mutex(Optional(RingProducer(filling: ring)))
        let followers = Atomic<Int>(0)
        let follow: @Sendable () -> Void = {
            var subscription = FrameSubscription(to: ring, gate: gate)
            followers.wrappingAdd(1, ordering: .relaxed)
            var seen: UInt64 = 0
            while case .frame(let lease) = subscription.next() {
                if lease.counter != seen { Issue.record("\(lease.counter) instead of \(seen)") }
                seen += 1
            }
            #expect(seen == total && subscription.missed == 0)
        }
        concurrently([
            follow, follow,
            {
                var producer = producing.withLock { $0.take()! }
                wait { followers.load(ordering: .relaxed) == 2 }
                for number in 0..<Int(total) {
                    gate.wait(forRoomIn: ring)
                    // For a moment, a follower may still hold the frame it has reported as
                    // finished.
                    wait { producer.fill(number) != nil }
                }
            },
        ])
    }
}
