// SPDX-License-Identifier: MIT
// The time the producer takes to make a frame visible that is already in its slot.

import FrameRing
import LivecapFrames

struct RingPublish: Benchmark {
    let name = "ring.publish"

    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        let rounds = options.isThorough ? 2_000_000 : 200_000
        let ring = makeRing(bytesEach: 64)
        var driver = DriverPlay(ring)
        let timings = Timings(count: rounds) { _ in driver.publishNext() }
        var result = BenchmarkResult(name, frames: rounds)
        result.figures = [("medianNs", timings.median), ("p99Ns", timings.quantile(0.99))]
        result.ratios = [("medianToOneMicrosecond", timings.median / 1000)]
        result.notes = ["claim the next of \(usualSlots) slots, publish the filled one; the clock's cost included"]
        return result
    }
}
