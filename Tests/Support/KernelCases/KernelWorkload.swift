// SPDX-License-Identifier: MIT
// A kernel with its workload, for the micro-benchmark.

/// One kernel of one level, with its workload's arguments in memory.
package struct KernelWorkload {
    private let kernel: KernelCase
    private let level: LevelTable
    private let operands: Operands

    /// Creates the workload of `kernel`, filled with noise.
    package init(_ kernel: KernelCase, _ level: LevelTable) {
        self.kernel = kernel
        self.level = level
        operands = Operands(kernel.operands(kernel.workload), .uniform, .heap, seed: 1)
    }

    /// Calls the kernel `times` times. Its sums may overflow; nothing uses them.
    package func run(times: Int) {
        for _ in 0..<times { kernel.call(level.table, operands) }
    }
}
