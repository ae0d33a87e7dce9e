// SPDX-License-Identifier: MIT
// The time from a dequeued driver buffer to a frame that readers can lease: without a copy, with a copy into a slab,
// and a plain copy for comparison.

import FrameRing
import Glibc
import LivecapFrames

struct FrameToVisible: Benchmark {
    let name = "ring.visible"

    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        let rounds = options.isThorough ? 3000 : 300
        let byteCount = fullHD.byteCount
        // The buffers of a driver, all touched, so that no copy hits a page for the first time.
        let sources = SlotMemory.slabs(count: 4, bytesEach: byteCount)!
        for region in sources.regions { memset(region.baseAddress!, 0x55, byteCount) }
        var result = BenchmarkResult(
            name, width: fullHD.size.width, height: fullHD.size.height, frames: rounds)

        let zeroCopy = makeRing(slots: 12, bytesEach: byteCount)
        var driver = DriverPlay(zeroCopy)
        var isInPlace = true
        let inPlace = Timings(count: rounds) { _ in driver.publishNext() }
        for _ in 0..<20 {
            let written = UInt(bitPattern: driver.filling.baseAddress)
            driver.publishNext()
            let leased = zeroCopy.leaseNewest()?.withBytes { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
            isInPlace = isInPlace && leased == written
        }
        if !isInPlace || zeroCopy.statistics.bytesCopied != 0 { result.faults = ["a zero-copy frame was copied"] }

        let slabs = makeRing(slots: 12, reserve: 1, bytesEach: byteCount)
        var producer = RingProducer(filling: slabs)
        var number: Int64 = 0
        let copied = Timings(count: rounds) { round in
            let slot = producer.claim()!
            memcpy(producer.bytes(of: slot).baseAddress!, sources.regions[round % 4].baseAddress!, byteCount)
            producer.countCopied(byteCount)
            number += 1
            producer.publish(slot, FrameMetadata(time: Timestamp(nanoseconds: number), byteCount: byteCount))
        }

        let targets = SlotMemory.slabs(count: 12, bytesEach: byteCount)!
        let plain = Timings(count: rounds) { round in
            memcpy(targets.regions[round % 12].baseAddress!, sources.regions[round % 4].baseAddress!, byteCount)
        }
        result.figures = [
            ("zeroCopyMedianNs", inPlace.median), ("slabMedianNs", copied.median), ("memcpyMedianNs", plain.median),
        ]
        result.ratios = [
            ("zeroCopyToMemcpy", inPlace.median / plain.median), ("slabToMemcpy", copied.median / plain.median),
        ]
        result.notes = ["zero copy: the leased bytes lie where they were written, checked; 0 bytes copied"]
        return result
    }
}
