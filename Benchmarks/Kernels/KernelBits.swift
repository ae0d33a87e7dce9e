// SPDX-License-Identifier: MIT
// Checks that the kernels compute the right results in the optimised build, which pictures are made with.

import LivecapKernelCases

struct KernelBits: Benchmark {
    let name = "kernels.check"

    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        let seeds: ClosedRange<UInt64> = options.isThorough ? 1...100 : 1...1
        let found =
            KernelCheck().gaps()
            + seeds.flatMap { seed in
                KernelCase.all.flatMap { KernelCheck(seed: seed).faults(of: $0) }
            }
        var result = BenchmarkResult(name)
        result.figures = [
            ("kernels", Double(KernelCase.all.count)), ("levels", Double(LevelTable.supported.count)),
            ("seeds", Double(seeds.count)),
        ]
        result.notes = ["each kernel at each level held to its reference, bit for bit"]
        result.faults = found.map(\.description)
        return result
    }
}
