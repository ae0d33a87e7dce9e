// SPDX-License-Identifier: MIT
// Checks that the frame path uses no heap, no locks and no reference counting.

import FrameRing
import LivecapFrames

struct FramePath: Benchmark {
    let name = "ring.framepath"

    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        let rounds = 100_000
        var result = BenchmarkResult(name, frames: rounds)
        guard let probe = Probe() else {
            result.notes = ["not counted: start with LD_PRELOAD=libFramePathProbe.so"]
            return result
        }
        // A shared ring does what any other does, and more.
        guard let memory = SlotMemory.slabs(count: usualSlots, bytesEach: 64, sharedSlots: usualSlots) else {
            result.faults = ["no memory to share"]
            return result
        }
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 1))
        let ring = Ring(format: format, memory: memory, reserve: usualReserve)
        var driver = DriverPlay(ring)
        for _ in 0..<200 { driver.publishNext() }
        let publishing = probe.count { for _ in 0..<rounds { driver.publishNext() } } ?? Probe.Counts()
        var leased = 0
        let leasing =
            probe.count {
                for _ in 0..<rounds where ring.leaseNewest()?.metadata.byteCount == 64 { leased += 1 }
            } ?? Probe.Counts()
        let (frames, leases) = (Double(rounds), Double(max(1, leased)))
        result.figures = [
            ("allocationsPerFrame", Double(publishing.allocations + publishing.frees) / frames),
            ("locksPerFrame", Double(publishing.locks) / frames),
            ("referencesPerFrame", Double(publishing.references) / frames),
            ("allocationsPerLease", Double(leasing.allocations + leasing.frees) / leases),
            ("locksPerLease", Double(leasing.locks) / leases),
            ("referencesPerLease", Double(leasing.references) / leases),
        ]
        if publishing.allocations + publishing.frees + leasing.allocations + leasing.frees > 0 {
            result.faults.append("the frame path used the heap")
        }
        if publishing.locks + leasing.locks > 0 { result.faults.append("the frame path took locks") }
        if publishing.references > 0 { result.faults.append("the frame path counted references") }
        return result
    }
}
