// SPDX-License-Identifier: MIT
// How to test and time a kernel: how to call it, with which arguments, and what results to expect.

import LivecapCFusionKernels

/// A kernel with its arguments and its reference. Written once, it is used by the checks at every level, by the test
/// vectors for other processors, and by the micro-benchmark.
package struct KernelCase: Sendable, CustomStringConvertible {
    /// The kernel's name in `KernelList.h`.
    package let kernel: String
    package var description: String { kernel }
    let shapes: [Shape]
    /// The shape that the micro-benchmark runs.
    package let workload: Shape
    /// The number of samples per call of the workload: the benchmark's unit.
    package let samples: Int
    /// One for each argument of the kernel, in order. A returned value is an additional output at the end.
    let operands: @Sendable (Shape) -> [Operand]
    let call: @Sendable (UnsafePointer<fusion_kernels>, Operands) -> Void
    let reference: @Sendable (Operands) -> Void

    /// Creates a case. `samples` is the workload's width times its height (default), or a more natural unit.
    init(
        _ kernel: String, shapes: [Shape] = Shape.rows, workload: Shape = Shape(width: 1280), samples: Int? = nil,
        operands: @escaping @Sendable (Shape) -> [Operand],
        call: @escaping @Sendable (UnsafePointer<fusion_kernels>, Operands) -> Void,
        reference: @escaping @Sendable (Operands) -> Void
    ) {
        self.kernel = kernel
        self.shapes = shapes
        self.workload = workload
        self.samples = samples ?? workload.width * workload.height
        self.operands = operands
        self.call = call
        self.reference = reference
    }
}
