// SPDX-License-Identifier: MIT
// One frame's colours made another's.

import FusionKernels

extension KernelCase {
    /// Rows of a match, by variant: a drift as it is seen, nothing, and what leaves the scale at both ends.
    private static func row(_ shape: Shape) -> [Float] {
        [[1.03, -0.02, 0.015, -1.7], [1, 0, 0, 0], [-2.1, 3, -1.3, 200]][shape.variant]
    }
    private static let pairRows = Shape.rows.variants(3)

    private static func matchOperands(_ shape: Shape, samples: Int) -> [Operand] {
        let chroma = Operand.input(UInt8.self, shape.width)
        return [
            .input(UInt8.self, 2 * shape.width), chroma, chroma, .integer(shape.width), .input(row(shape)),
            .output(UInt8.self, samples * shape.width),
        ]
    }

    /// Widths are pairs of brightness samples, here and for chroma.
    static let matchLuma = KernelCase(
        "match_luma", shapes: pairRows, workload: Shape(width: 640), samples: 1280,
        operands: { shape in matchOperands(shape, samples: 2) },
        call: { kernels, o in
            kernels.pointee.match_luma(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            o.store(Reference.matchLuma(o.samples(0), o.samples(1), o.samples(2), Reference.Row(o.samples(4))), 5)
        })

    static let matchChroma = KernelCase(
        "match_chroma", shapes: pairRows, workload: Shape(width: 640), samples: 1280,
        operands: { shape in matchOperands(shape, samples: 1) },
        call: { kernels, o in
            kernels.pointee.match_chroma(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            o.store(Reference.matchChroma(o.samples(0), o.samples(1), o.samples(2), Reference.Row(o.samples(4))), 5)
        })

    static let matchGrey = KernelCase(
        "match_grey", shapes: pairRows,
        operands: { shape in
            [
                .input(UInt8.self, shape.width), .integer(shape.width), .real(row(shape)[0]), .real(row(shape)[3]),
                .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.match_grey(o.pointer(0), o.integer(1), o.real(2), o.real(3), o.pointer(4))
        },
        reference: { o in o.store(Reference.matchGrey(o.samples(0), gain: o.real(2), lift: o.real(3)), 4) })
}
