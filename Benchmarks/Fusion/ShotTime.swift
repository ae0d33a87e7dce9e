// SPDX-License-Identifier: MIT
// How long a still takes, and how that compares with another way of making it.

import Frames
import FusionKernels

/// A still's time, measured in turns with another still's.
struct ShotTime: FallibleBenchmark {
    let name: String
    let plan: ShotPlan
    /// The still to compare with, what the ratio of their times is called, and what it ought to be.
    var rival: (plan: ShotPlan, ratio: String, target: BenchmarkTarget?)?
    /// Whether the ratio is the rival's time over this one's: how much faster this one is.
    var isGain = false
    /// What the time itself ought to be.
    var target: BenchmarkTarget?
    /// Whether it is one of very many, each of which has to be short.
    var isLong = false
    let store: BurstStore

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        var result = BenchmarkResult(name, plan)
        for level in [plan.level, rival?.plan.level].compactMap(\.self) where !level.isSupported {
            result.notes = ["this processor has no \(level)"]
            return result
        }
        let shot = try Shot(plan, store)
        let other = try rival.map { try Shot($0.plan, store) }
        // Against more threads, one thread's time has to be what passes, too.
        let clock: BenchmarkClock = max(plan.threads, rival?.plan.threads ?? 1) == 1 ? .thread : .wall
        let times = try mediansInTurns(
            budget: isLong ? .seconds(1) : options.budget, clock: clock,
            [shot.takeCold] + (other.map { [$0.takeCold] } ?? []))
        result.msPerStill = times[0]
        result.targets["msPerStill"] = target
        let megapixels = Double(plan.size.area) * 1e-6
        result.figures = [("megapixelsPerSecond", megapixels * Double(plan.frames) / times[0] * 1000)] + shot.stageSplit
        if let rival, times.count == 2 {
            result.ratios = [(rival.ratio, isGain ? times[1] / times[0] : times[0] / times[1])]
            result.targets[rival.ratio] = rival.target
        }
        return result
    }
}
