// SPDX-License-Identifier: MIT
// The benchmarks of the whole engine, from the tap to the file, at the pace of a camera.

import Fusion
import LivecapFrames
import LivecapSeededRandom

/// The suite `pipeline`.
func pipelineBenchmarks() -> [any Benchmark] {
    [
        TapToLease(), TapTruth(damageEvery: 0), TapTruth(damageEvery: 7),
        BackToBack(size: FrameSize(width: 1280, height: 720), tapsPerSecond: 30, target: .atLeast(29.9)),
        BackToBack(size: FrameSize(width: 1920, height: 1080), tapsPerSecond: 15, target: .atLeast(14.9)),
        TapToFile(), ResponsiveGain(), ProcessingBound(), ReadinessError(), PipelineMemory(), WorkerMemory(),
        CameraOff(),
    ]
}

extension BenchmarkResult {
    init(_ name: String, _ plan: RunPlan, shots: Int) {
        self.init(
            name, width: plan.size.width, height: plan.size.height, frames: nil, threads: plan.options.threads)
        figures = [("shots", Double(shots))]
    }

    /// Adds the given quantiles of durations as figures named like `nameP50Ms`.
    mutating func add(_ name: String, _ spans: [Duration], _ quantiles: [(String, Double)]) {
        guard !spans.isEmpty else { return }
        let timings = Timings(of: spans)
        for (suffix, quantile) in quantiles {
            figures.append(("\(name)\(suffix)Ms", timings.quantile(quantile) * 1e-6))
        }
    }
}

extension SeededRandom {
    /// A random time span, in a range of microseconds.
    mutating func span(_ range: ClosedRange<Int64>) -> Duration {
        .microseconds(Int64.random(in: range, using: &self))
    }
}
