// SPDX-License-Identifier: MIT
// The time of a still, and its ratio to another way of making it.

import Fusion
import LivecapFrames

/// Measures a still's time, in turns with that of another still.
struct ShotTime: FallibleBenchmark {
    let name: String
    let plan: ShotPlan
    /// The still to compare with, the name of the ratio of their times, and its target.
    var rival: (plan: ShotPlan, ratio: String, target: BenchmarkTarget?)?
    /// Whether the ratio is the rival's time divided by this one's, that is, how much faster this one is.
    var isGain = false
    /// The target of the time itself.
    var target: BenchmarkTarget?
    /// Whether it is one of very many, so each must be short.
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
        // If one of the two uses several threads, both are measured in elapsed time.
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
