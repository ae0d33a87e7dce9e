// SPDX-License-Identifier: MIT
// A producer at full speed, and four readers that lease, check and release: how many frames, and that none is torn.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization

struct RingThroughput: Benchmark {
    let name = "ring.throughput"
    private let readers = 4

    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        let wanted: UInt64 = options.isThorough ? 100_000_000 : 4_000_000
        let ring = makeRing(slots: 64, reserve: 1, bytesEach: 64)
        let shared = Shared()
        let threads = (0..<readers).map { index in
            try! SystemThread(name: "reader \(index)") { read(ring, shared, share: wanted / UInt64(readers)) }
        }
        let start = Timestamp.now
        produce(ring, until: shared)
        let seconds = (Timestamp.now - start).seconds
        for thread in threads { thread.join() }

        let statistics = ring.statistics
        let perSecond = Double(statistics.published) / seconds
        let leases = shared.leases.load(ordering: .relaxed)
        let torn = shared.torn.load(ordering: .relaxed)
        let distinct = shared.minDistinct.load(ordering: .relaxed)
        var result = BenchmarkResult(name, frames: Int(statistics.published), threads: readers + 1)
        result.figures = [
            ("publishedPerSecond", perSecond), ("leases", Double(leases)),
            ("leasesPerSecond", Double(leases) / seconds),
            ("torn", Double(torn)), ("fewestDistinctFramesOfAReader", Double(distinct)),
            ("dropped", Double(statistics.dropped)), ("seconds", seconds),
        ]
        result.ratios = [("publishedToOneMillionPerSecond", perSecond / 1e6)]
        result.notes = ["64-byte payloads of eight words that follow from each other, each lease checked whole"]
        if torn > 0 { result.faults.append("\(torn) frames were torn") }
        if distinct < 100_000 { result.faults.append("a reader saw only \(distinct) distinct frames") }
        return result
    }

    private final class Shared: Sendable {
        let leases = Atomic<UInt64>(0)
        let torn = Atomic<UInt64>(0)
        let minDistinct = Atomic<Int>(.max)
        let finished = Atomic<Int>(0)
    }

    private func produce(_ ring: Ring, until shared: Shared) {
        var producer = RingProducer(filling: ring)
        var number: UInt64 = 0
        while number % 256 != 0 || shared.finished.load(ordering: .relaxed) < readers {
            number += 1
            guard let slot = producer.claim() else {
                producer.drop()
                continue
            }
            let bytes = producer.bytes(of: slot)
            var word = number
            for offset in stride(from: 0, to: 64, by: 8) {
                bytes.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
                word = word &* 6_364_136_223_846_793_005 &+ 1
            }
            producer.publish(slot, FrameMetadata(time: Timestamp(nanoseconds: Int64(number)), byteCount: 64))
        }
    }

    /// Leases by time and the newest frame in turns, until the reader has its share of leases and of distinct frames.
    private func read(_ ring: Ring, _ shared: Shared, share: UInt64) {
        var (leases, torn, distinct, last) = (UInt64(0), UInt64(0), UInt64(0), UInt64.max)
        while leases < share || distinct < 100_000 {
            let back = Duration.nanoseconds(Int64(leases & 31))
            guard
                let lease = leases & 1 == 0
                    ? ring.leaseNewest() : ring.lease(nearest: (ring.newestTime ?? .zero) - back)
            else { continue }
            leases += 1
            if lease.metadata.id.counter != last { distinct += 1 }
            last = lease.metadata.id.counter
            let isWhole = lease.withBytes { bytes in
                var word = UInt64(lease.metadata.time.nanoseconds)
                for offset in stride(from: 0, to: 64, by: 8) {
                    guard bytes.unsafeLoad(fromByteOffset: offset, as: UInt64.self) == word else { return false }
                    word = word &* 6_364_136_223_846_793_005 &+ 1
                }
                return true
            }
            if !isWhole { torn += 1 }
        }
        shared.leases.wrappingAdd(leases, ordering: .relaxed)
        shared.torn.wrappingAdd(torn, ordering: .relaxed)
        shared.minDistinct.min(Int(distinct), ordering: .relaxed)
        shared.finished.wrappingAdd(1, ordering: .relaxed)
    }
}
