// SPDX-License-Identifier: MIT
// Cases of the kernels for sums over small areas.

import LivecapReferenceKernels

extension KernelCase {
    /// Variants: the gap between rows.
    static let compareSquares = KernelCase(
        "compare_squares", shapes: [Shape(width: 16, height: 16)].variants(3),
        workload: Shape(width: 16, height: 16),
        operands: { shape in
            func square(_ gap: Int) -> Operand {
                .inputPlane(UInt8.self, Shape(width: 16, height: 16, stride: 16 + gap))
            }
            let (a, b) = (square(shape.variant), square(shape.variant * 5))
            return [a, .integer(a.stride), b.opposite, .integer(b.stride), .output(Int32.self, 2)]
        },
        call: { kernels, o in
            kernels.pointee.noise.compare_squares(o.pointer(0), o.integer(1), o.pointer(2), o.integer(3), o.pointer(4))
        },
        reference: { o in o.store(Reference.compareSquares(o.grid(0), o.grid(2)), 4) })

    /// Variants: the change of brightness.
    static let rowDistance = KernelCase(
        "row_distance", shapes: Shape.rows.variants(3),
        operands: { shape in
            let row = Operand.input(UInt16.self, shape.width, in: 0...4095)
            return [
                row, row, .integer(shape.width), .integer([0, 4095, -4095][shape.variant]), .output(UInt32.self, 1),
            ]
        },
        call: { kernels, o in
            let sum = kernels.pointee.motion.row_distance(o.pointer(0), o.pointer(1), o.integer(2), o.integer(3))
            o.store([sum], 4)
        },
        reference: { o in
            o.store([Reference.rowDistance(o.samples(0), o.samples(1), lift: o.integer(3))], 4)
        })
}
