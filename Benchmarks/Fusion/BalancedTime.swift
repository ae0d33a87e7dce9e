// SPDX-License-Identifier: MIT
// The time of the usual (`balanced`) still relative to that of a mean, the minimum cost of reading all frames.

import Fusion
import LivecapCFusionKernels
import LivecapFrames

struct BalancedTime: FallibleBenchmark {
    let name = "fusion.time.balanced"
    let store: BurstStore

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let plan = ShotPlan()
        var result = BenchmarkResult(name, plan)
        let (shot, mean) = (try Shot(plan, store), try Shot(ShotPlan(method: .mean), store))
        let bare = BareMean(Array(try store.timed().frames.prefix(plan.frames)))
        let times = try mediansInTurns(
            budget: options.budget * 2, clock: .thread, [shot.takeCold, mean.takeCold, { () throws in bare.take() }])
        result.msPerStill = times[0]
        result.figures = [
            ("megapixelsPerSecond", Double(plan.size.area * plan.frames) * 1e-3 / times[0]),
            ("meanMs", times[1]), ("bareMeanMs", times[2]),
        ]
        result.figures += shot.stageSplit
        result.ratios = [("overMean", times[0] / times[1]), ("overBareMean", times[0] / times[2])]
        result.targets = ["overMean": .atMost(40), "overBareMean": .atMost(40)]
        return result
    }
}

/// The mean of the frames' bytes in place, without separating brightness and chroma: the fastest possible.
private final class BareMean {
    private let frames: [[UInt8]]
    private var sums = [UInt16](repeating: 0, count: 4096)
    private var means: [UInt16]
    private let kernels: UnsafePointer<fusion_kernels>

    init(_ frames: [[UInt8]]) {
        self.frames = frames
        means = Array(repeating: 0, count: frames[0].count)
        kernels = fusion_kernels_of(FUSION_AVX2) ?? fusion_kernels_of(FUSION_PORTABLE)
    }

    func take() {
        let block = sums.count
        for start in stride(from: 0, to: means.count, by: block) {
            let count = min(block, means.count - start)
            sums.withUnsafeMutableBufferPointer { sums in
                sums.update(repeating: 0)
                for frame in frames {
                    frame.withUnsafeBufferPointer { bytes in
                        kernels.pointee.mean.add_row(bytes.baseAddress! + start, count, sums.baseAddress!)
                    }
                }
                means.withUnsafeMutableBufferPointer { means in
                    kernels.pointee.mean.mean_row(
                        sums.baseAddress!, count, UInt32(frames.count), means.baseAddress! + start)
                }
            }
        }
    }
}
