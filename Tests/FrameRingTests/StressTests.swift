// SPDX-License-Identifier: MIT
// One producer and several readers at full speed: no frame is torn, no pin left over, and every frame accounted for.

import LivecapFrames
import LivecapSeededRandom
import Synchronization
import Testing

@testable import FrameRing

@Suite struct StressTests {
    @Test(arguments: [false, true])
    func noReaderSeesATornFrame(isCompact: Bool) {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        let total = rounds(60_000)
        let ring = isCompact ? makeCompactRing(slots: 12, bytes: 4096) : makeRing(slots: 12, bytesEach: 512)
        let producing = Mutex(Optional(RingProducer(filling: ring)))
        let totals = (frames: Counter(), reading: Counter(), torn: Counter(), wrong: Counter())

        let produce: @Sendable () -> Void = {
            var random = SeededRandom(seed: seed)
            var producer = producing.withLock { $0.take()! }
            // Continues until every reader has read a frame.
            while totals.frames.value < total || totals.reading.value < 3 {
                let number = totals.frames.value
                totals.frames.add()
                let damage: Damage = Int.random(in: 0..<16, using: &random) == 0 ? .driverFlag : .none
                producer.fill(
                    number, seed: seed, byteCount: 8 * Int.random(in: 1...64, using: &random), damage: damage)
            }
        }
        let read: @Sendable (UInt64) -> Void = { reader in
            var random = SeededRandom(seed: seed &+ reader)
            var (isReading, torn, wrong) = (false, 0, 0)
            func check(_ metadata: FrameMetadata, _ found: UInt64?) {
                if !isReading { totals.reading.add() }
                isReading = true
                guard let found else {
                    torn += 1
                    return
                }
                // The time gives the number of the frame, and the bytes must belong to that number.
                if found != seed &+ UInt64(metadata.time.nanoseconds / 10_000_000) { wrong += 1 }
            }
            while !ring.isEnded {
                let newest = ring.newestTime ?? .zero
                let asked = newest - .milliseconds(Int64.random(in: -50...150, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    if let lease = ring.leaseNewest() { check(lease.metadata, lease.seed) }
                case 1:
                    if let lease = ring.lease(nearest: asked) { check(lease.metadata, lease.seed) }
                case 2:
                    let id = FrameID(epoch: 0, counter: ring.nextCounter &- UInt64.random(in: 0..<12, using: &random))
                    if let lease = ring.lease(id: id) {
                        check(lease.metadata, lease.seed)
                        if lease.metadata.id != id { wrong += 1 }
                    }
                default:
                    guard let window = ring.window(around: asked, before: 2, after: 1) else { continue }
                    for index in 0..<window.count {
                        let metadata = window.metadata(index)
                        check(metadata, window.withBytes(index) { Payload.seed(of: $0) })
                        if !metadata.isUsable { wrong += 1 }
                        if index > 0 && window.metadata(index - 1).id >= metadata.id { wrong += 1 }
                    }
                }
            }
            totals.torn.add(torn)
            totals.wrong.add(wrong)
        }
        concurrently([produce, { read(1) }, { read(2) }, { read(3) }])

        #expect(totals.torn.value == 0 && totals.wrong.value == 0, "seed \(seed)")
        #expect(!ring.isAnythingPinned)
        #expect(ring.statistics.published + ring.statistics.dropped == UInt64(totals.frames.value))
    }

    @Test func leasesCanBeReleasedOnOtherThreads() {
        let ring = makeRing(slots: 6)
        let producing = Mutex(Optional(RingProducer(filling: ring)))
        let handedOver = HandOver()
        concurrently([
            {
                var producer = producing.withLock { $0.take()! }
                for number in 0..<rounds(20_000) { producer.fill(number) }
            },
            {
                while !ring.isEnded {
                    handedOver.put(ring.leaseNewest())
                }
            },
            {
                while !ring.isEnded {
                    guard let lease = handedOver.take() else { continue }
                    if lease.seed != lease.counter { Issue.record("frame \(lease.counter) is torn") }
                }
            },
        ])
        _ = handedOver.take()
        #expect(!ring.isAnythingPinned)
    }
}

/// Passes a lease from one thread to another. It has its own spin lock, because the thread sanitizer does not see into
/// `Mutex`.
/// `@unchecked`: only the thread that has set `isBusy` touches the lease.
private final class HandOver: @unchecked Sendable {
    private let isBusy = Atomic<Bool>(false)
    private var lease: FrameLease?

    func put(_ new: consuming FrameLease?) {
        wait { !isBusy.exchange(true, ordering: .acquiring) }
        lease = consume new
        isBusy.store(false, ordering: .releasing)
    }

    func take() -> FrameLease? {
        wait { !isBusy.exchange(true, ordering: .acquiring) }
        defer { isBusy.store(false, ordering: .releasing) }
        return lease.take()
    }
}
