// SPDX-License-Identifier: MIT
// One tap per frame, for seconds: checks that there is one photo per tap, each of its own frame, and measures when
// each is on the disk.

import LiveCapture
import LivecapFrames

struct BackToBack: FallibleBenchmark {
    let size: FrameSize
    let tapsPerSecond: Int
    let target: BenchmarkTarget
    var name: String { size.height > 720 ? "pipeline.backtoback.fullhd" : "pipeline.backtoback" }

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let taps = tapsPerSecond * 10
        var plan = RunPlan()
        // Frames come at the rate of the taps, so that each has one.
        (plan.size, plan.rate, plan.folder) = (size, FrameRate(UInt32(tapsPerSecond)), options.folder)
        let run = try PipelineRun(plan)
        run.start()
        run.tapEveryFrame(taps, PhotoSettings(quality: .balanced, frames: 8))
        var finished = run.finish()
        finished.demandPhotos()
        finished.demandTruth()
        finished.demandDistinctReferences()
        var result = BenchmarkResult(name, plan, shots: taps)
        result.quality = "balanced"
        result.figures.append(("photosPerSecond", photosPerSecond(finished.shots)))
        let ways = finished.shots.compactMap { shot in shot.filed.map { $0 - shot.planned } }
        result.add("tapToFile", ways, [("P50", 0.5), ("P99", 0.99), ("Max", 1)])
        for stage in ["queue", "fuse", "encode", "store"] {
            result.add(stage, finished.shots.compactMap { $0.stage(stage) }, [("P50", 0.5)])
        }
        result.targets["photosPerSecond"] = target
        result.faults = finished.faults
        return result
    }
}

/// Photos per second, from the first one's file to the last one's.
func photosPerSecond(_ shots: [TakenShot]) -> Double {
    let filed = shots.compactMap { $0.filed ?? ($0.photo == nil ? nil : $0.ended) }
    guard filed.count > 1, let first = filed.min(), let last = filed.max() else { return 0 }
    return Double(filed.count - 1) / (last - first).seconds
}
