// SPDX-License-Identifier: MIT
// What is known of a kernel: how to call it, with what, and what must come out.

import CFusionKernels

/// A kernel with its arguments and its reference. Written once, it drives the checks at every level, the vectors for
/// other processors, and the micro-benchmark.
package struct KernelCase: Sendable, CustomStringConvertible {
    /// The kernel's name in `fusion_kernels`.
    package let kernel: String
    package var description: String { kernel }
    let shapes: [Shape]
    /// What the micro-benchmark runs.
    package let workload: Shape
    /// How many samples a call of the workload makes, for the benchmark's unit.
    package let samples: Int
    /// One for each argument of the kernel, in order; a returned value is one more output at the end.
    let operands: @Sendable (Shape) -> [Operand]
    let call: @Sendable (UnsafePointer<fusion_kernels>, Operands) -> Void
    let reference: @Sendable (Operands) -> Void

    /// A case; `samples` is the workload's width times its height unless something else is the natural unit.
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
