// SPDX-License-Identifier: MIT
// The next still, one frame later: all but its last frame are prepared, and their motion is known.

import Frames
import FusionKernels

struct NextShot: FallibleBenchmark {
    let name = "fusion.time.nextshot"
    let store: BurstStore

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let plan = ShotPlan()
        let burst = try store.timed()
        var result = BenchmarkResult(name, plan)
        let (warm, cold) = (try Shots(plan, burst), try Shots(plan, burst))
        // Both make the same stills in the same order, each of the newest frame: only what they know before differs.
        try cold.take(0, isKnown: false)
        let (stills, rounds) = (burst.frames.count - plan.frames, options.isThorough ? 8 : 2)
        var times = (warm: [Int64](), cold: [Int64]())
        for _ in 0..<rounds {
            try warm.take(0, isKnown: false)
            for still in 1...stills {
                times.warm.append(try warm.take(still, isKnown: true))
                times.cold.append(try cold.take(still, isKnown: false))
                if !warm.picture.hasSameBits(as: cold.picture) { result.faults = ["a warm still is another picture"] }
            }
        }
        func median(_ times: [Int64]) -> Double { Double(times.sorted()[times.count / 2]) * 1e-6 }
        result.msPerStill = median(times.warm)
        result.figures = [("coldMs", median(times.cold))]
        result.ratios = [("warmOverCold", median(times.warm) / median(times.cold))]
        result.targets["warmOverCold"] = .atMost(0.8)
        return result
    }
}

/// Stills of a running stream, each of the newest frame, in a ring of prepared frames.
private final class Shots {
    let picture: FusedPicture
    private let plan: ShotPlan
    private let burst: Burst
    private let fuser: Fuser
    private let slots: [FusionFrame]

    init(_ plan: ShotPlan, _ burst: Burst) throws {
        (self.plan, self.burst) = (plan, burst)
        fuser = try Fuser(burst.format, FusionSettings(plan.method, level: plan.level))
        picture = fuser.makePicture()
        let fuser = fuser
        slots = (0...plan.frames).map { _ in fuser.makeFrame() }
    }

    /// Takes the still of the frames from `first` on; all but the last are prepared already when `isKnown`. What it took
    /// the thread, in nanoseconds.
    @discardableResult
    func take(_ first: Int, isKnown: Bool) throws -> Int64 {
        let start = BenchmarkClock.thread.now
        let last = first + plan.frames - 1
        for frame in (isKnown ? last : first)...last {
            let bytes = burst.frames[frame]
            try fuser.prepare(bytes.span.bytes, into: slots[frame % slots.count])
        }
        let frames = (first...last).map { slots[$0 % slots.count] }
        _ = try fuser.fuse(frames, reference: plan.frames - 1, into: picture)
        return (BenchmarkClock.thread.now - start).nanoseconds
    }
}

extension FusedPicture {
    func hasSameBits(as other: FusedPicture) -> Bool {
        zip(planes, other.planes).allSatisfy { $0.samples.elementsEqual($1.samples) } && evidence == other.evidence
    }
}
