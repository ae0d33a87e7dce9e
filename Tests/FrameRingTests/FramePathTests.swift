// SPDX-License-Identifier: MIT
// Checks that in the steady state the frame path does not allocate, lock or count references.

import Glibc
import LivecapCFramePathProbe
import LivecapFrames
import Testing

@testable import FrameRing

@Suite struct FramePathTests {
    /// Runs `body` on this thread under the probe. Returns nil under a sanitizer, which intercepts the same calls; in
    /// all other cases a probe that does not count fails the test.
    func counts(_ body: () -> Void) -> lc_probe_counts? {
        var counts = lc_probe_counts()
        let measured = lc_probe_start()
        body()
        lc_probe_stop(&counts)
        let everything = Int32(LC_PROBE_HEAP | LC_PROBE_LOCKS | LC_PROBE_REFERENCES)
        if measured == everything { return counts }
        #expect(getenv("LIVECAP_SANITIZER") != nil, "the probe counts nothing, so nothing has been checked")
        return nil
    }

    @Test func theProbeSeesWhatItLooksFor() {
        let seen = counts {
            let box = Unmanaged.passRetained(Counter())
            _ = box.retain()
            box.release()
            box.release()
        }
        guard let seen else { return }
        #expect(seen.allocations >= 1 && seen.frees >= 1 && seen.references >= 3)
    }

    @Test func theProbeSeesLocks() {
        var mutex = pthread_mutex_t()
        pthread_mutex_init(&mutex, nil)
        defer { pthread_mutex_destroy(&mutex) }
        var lock = pthread_rwlock_t()
        pthread_rwlock_init(&lock, nil)
        defer { pthread_rwlock_destroy(&lock) }
        let seen = counts {
            pthread_mutex_lock(&mutex)
            pthread_mutex_unlock(&mutex)
            pthread_mutex_trylock(&mutex)
            pthread_mutex_unlock(&mutex)
            pthread_rwlock_rdlock(&lock)
            pthread_rwlock_unlock(&lock)
            pthread_rwlock_wrlock(&lock)
            pthread_rwlock_unlock(&lock)
        }
        guard let seen else { return }
        #expect(seen.locks == 4)
    }

    enum Kind: CaseIterable { case fixed, compact, shared }

    @Test(arguments: Kind.allCases)
    func publishingAllocatesAndLocksNothing(kind: Kind) {
        let ring =
            switch kind {
            case .fixed: makeRing(slots: 12, bytesEach: 512)
            case .compact: makeCompactRing(slots: 12, bytes: 4096)
            case .shared: makeSharedRing(slots: 12, bytesEach: 512)
            }
        var producer = RingProducer(filling: ring)
        producer.fill(0..<50)
        let counts = counts {
            for number in 50..<1050 {
                guard let slot = producer.claim(byteCount: 8 * (1 + number % 60)) else { continue }
                producer.publish(slot, FrameMetadata(time: time(number), byteCount: 8))
            }
        }
        #expect(ring.statistics.published == 1050 && ring.statistics.dropped == 0)
        guard let counts else { return }
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0)
        // Unoptimised code counts references that optimised code does not. `scripts/gates` checks an optimised build.
        if isOptimised { #expect(counts.references == 0) }
    }

    @Test func aDroppedFrameAllocatesAndLocksNothing() throws {
        let ring = makeRing(slots: 3)
        var producer = RingProducer(filling: ring)
        let leases = LeaseBag()
        for number in 0..<2 {
            producer.fill(number)
            leases.add(try need(ring.leaseNewest()))
        }
        let counts = counts {
            for _ in 0..<1000 where producer.claim() == nil { producer.drop() }
        }
        #expect(ring.statistics.dropped == 1000)
        guard let counts else { return }
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0)
    }

    @Test func leasingAllocatesAndLocksNothing() {
        let ring = makeRing(slots: 12)
        var producer = RingProducer(filling: ring)
        producer.fill(0..<50)
        var leases = 0
        func leaseThrice(_ round: Int) {
            if ring.leaseNewest()?.metadata.byteCount == 64 { leases += 1 }
            if ring.lease(nearest: time(40 + round % 10))?.metadata.byteCount == 64 { leases += 1 }
            if ring.window(around: time(45), before: 3, after: 1)?.count == 5 { leases += 1 }
        }
        // On first use the runtime creates its metadata of generic types.
        leaseThrice(0)
        let counts = counts {
            for round in 1..<1000 { leaseThrice(round) }
        }
        #expect(leases == 3000)
        guard let counts else { return }
        #expect(counts.allocations == 0 && counts.frees == 0 && counts.locks == 0)
    }

    private var isOptimised: Bool {
        var result = true
        assert(
            {
                result = false
                return true
            }())
        return result
    }
}
