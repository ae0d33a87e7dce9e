// SPDX-License-Identifier: MIT
// Cases of the kernels that halve pictures.

import LivecapReferenceKernels

extension KernelCase {
    /// Widths count samples of the result. Variants: the gap between rows.
    static let halveBytes = KernelCase(
        "halve_bytes", shapes: Shape.rows.variants(2), workload: Shape(width: 640), samples: 640,
        operands: { shape in
            let rows = Operand.inputPlane(UInt8.self, pairs(shape), margin: 1)
            return [rows, .integer(rows.stride), .integer(shape.width), .output(UInt16.self, shape.width)]
        },
        call: { kernels, o in
            kernels.pointee.pyramid.halve_bytes(o.pointer(0), o.integer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.halveBytes(o.grid(0), count: o.integer(2)), 3) })

    static let halveWords = KernelCase(
        "halve_words", shapes: Shape.rows.variants(2), workload: Shape(width: 640), samples: 640,
        operands: { shape in
            let rows = Operand.inputPlane(UInt16.self, pairs(shape), margin: 1, in: 0...4095)
            return [rows, .integer(rows.stride), .integer(shape.width), .output(UInt16.self, shape.width)]
        },
        call: { kernels, o in
            kernels.pointee.pyramid.halve_words(o.pointer(0), o.integer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.halveWords(o.grid(0), count: o.integer(2)), 3) })

    /// Widths count cells.
    static let meanCells = KernelCase(
        "mean_cells", shapes: zip([1, 2, 3, 8, 9, 40], [16, 1, 8, 7, 16, 8]).map { Shape(width: $0, height: $1) },
        workload: Shape(width: 40, height: 16), samples: 640 * 16,
        operands: { shape in
            let rows = Operand.inputPlane(
                UInt8.self, Shape(width: 8 * shape.width, height: shape.height, stride: 8 * shape.width + 5))
            return [
                rows, .integer(rows.stride), .integer(shape.height), .integer(shape.width),
                .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.pyramid.mean_cells(o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4))
        },
        reference: { o in o.store(Reference.meanCells(o.grid(0), height: o.integer(2), cells: o.integer(3)), 4) })

    /// Two rows with twice the number of samples.
    private static func pairs(_ shape: Shape) -> Shape {
        Shape(width: 2 * shape.width, height: 2, stride: 2 * shape.width + 2 + shape.variant)
    }
}
