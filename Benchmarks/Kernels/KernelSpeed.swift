// SPDX-License-Identifier: MIT
// The speed of each kernel at each level, on rows of pictures 1280 pixels wide.

import Fusion
import LivecapFrames
import LivecapKernelCases

struct KernelSpeed: Benchmark {
    let kernel: KernelCase
    var name: String { "kernels.\(kernel.kernel)" }

    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        let levels = LevelTable.supported
        let best = nanosecondsPerSample(levels, batches: options.isThorough ? 2000 : 200)
        var result = BenchmarkResult(name, width: kernel.workload.width, height: kernel.workload.height)
        let names = levels.map(\.level.rawValue)
        result.figures = zip(names, best).map { ("\($0)NsPerSample", $1) }
        result.ratios = zip(names, best).dropFirst().map { ("\($0)ToPortable", $1 / best[0]) }
        return result
    }

    /// The time per sample of each level for the kernel's workload. The fastest batch counts, as the one that was not
    /// disturbed. Levels take turns, so that conditions are the same for all.
    func nanosecondsPerSample(_ levels: [LevelTable], batches: Int = 200) -> [Double] {
        let workloads = levels.map { KernelWorkload(kernel, $0) }
        let calls = callsPerBatch(workloads[0])
        var best = [Double](repeating: .infinity, count: levels.count)
        for _ in 0..<batches {
            for (place, workload) in workloads.enumerated() {
                best[place] = min(best[place], nanoseconds { workload.run(times: calls) } / Double(calls))
            }
        }
        return best.map { $0 / Double(kernel.samples) }
    }

    /// Enough calls that the cost of the clock does not matter, in a batch short enough to run undisturbed.
    private func callsPerBatch(_ workload: KernelWorkload) -> Int {
        var calls = 1
        while nanoseconds({ workload.run(times: calls) }) < 50_000 { calls *= 2 }
        return calls
    }

    private func nanoseconds(_ body: () -> Void) -> Double {
        let start = Timestamp.now
        body()
        return Double((Timestamp.now - start).nanoseconds)
    }
}
