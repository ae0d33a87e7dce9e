// SPDX-License-Identifier: MIT
// Checks that time grows no faster than the number of pixels and of frames.

import Fusion
import LivecapFrames

/// Times stills of several sizes, or of several numbers of frames, in turns.
struct Linearity: FallibleBenchmark {
    let name: String
    let plans: [ShotPlan]
    /// Names the figure of a plan.
    let label: @Sendable (ShotPlan) -> String
    /// The amount of work that the time should be proportional to.
    let work: @Sendable (ShotPlan) -> Double
    let store: BurstStore

    static func pixels(_ store: BurstStore) -> Linearity {
        let sizes = [(640, 480), (1280, 720), (1920, 1080), (3840, 2160)]
        return Linearity(
            name: "fusion.time.pixels",
            plans: sizes.map { ShotPlan(size: FrameSize(width: $0.0, height: $0.1)) },
            label: { "ms\($0.size)" }, work: { Double($0.size.area) }, store: store)
    }

    /// Every frame except the reference is aligned with it and merged.
    static func frames(_ store: BurstStore) -> Linearity {
        Linearity(
            name: "fusion.time.frames", plans: [2, 4, 8, 16].map { ShotPlan(frames: $0) },
            label: { "msOf\($0.frames)Frames" }, work: { Double($0.frames) }, store: store)
    }

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        var result = BenchmarkResult(name)
        (result.quality, result.level) = (plans[0].method.rawValue, plans[0].level.rawValue)
        let shots = try plans.map { try Shot($0, store) }
        let times = try mediansInTurns(budget: options.budget * 2, clock: .thread, shots.map { $0.takeCold })
        result.figures = zip(plans, times).map { (label($0), $1) }
        // Above 1, time grew faster than the work from one plan to the next; below 1, part of it is constant.
        let growth = (1..<plans.count).map { step in
            (times[step] / times[step - 1]) / (work(plans[step]) / work(plans[step - 1]))
        }
        result.ratios = [("steepestGrowthOverLinear", growth.max() ?? 0)]
        result.targets["steepestGrowthOverLinear"] = .atMost(1.25)
        return result
    }
}
