// SPDX-License-Identifier: MIT
// The time a reader takes to lease the frame nearest a moment, and to release it.

import FrameRing
import LivecapFrames

struct RingLease: Benchmark {
    let name = "ring.lease"

    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        let rounds = options.isThorough ? 2_000_000 : 200_000
        let ring = makeRing(bytesEach: 64)
        var driver = DriverPlay(ring)
        for _ in 0..<200 { driver.publishNext() }
        let newest = ring.newestTime!.nanoseconds
        var wrong = 0
        let byTime = Timings(count: rounds) { round in
            let asked = Timestamp(nanoseconds: newest - Int64(round &* 7919 % 45_000))
            // Frames are a microsecond apart, so the nearest one is within half of that.
            guard let lease = ring.lease(nearest: asked), (lease.metadata.time - asked).magnitude.nanoseconds <= 500
            else {
                wrong += 1
                return
            }
        }
        let window = Timings(count: rounds / 10) { _ in
            _ = ring.window(around: Timestamp(nanoseconds: newest - 10_000), before: 7)
        }
        var result = BenchmarkResult(name, frames: rounds)
        result.figures = [
            ("medianNs", byTime.median), ("p99Ns", byTime.quantile(0.99)), ("windowOfEightMedianNs", window.median),
        ]
        result.ratios = [("medianToOneMicrosecond", byTime.median / 1000)]
        result.notes = ["lease and release, \(usualSlots - usualReserve) frames of history; the clock's cost included"]
        if wrong > 0 { result.faults = ["\(wrong) leases were not of the nearest frame"] }
        return result
    }
}
