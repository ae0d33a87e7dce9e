// SPDX-License-Identifier: MIT
// Pictures at half the size.

import FusionKernels

extension KernelCase {
    /// Widths are samples of the result.
    static let halveBytes = KernelCase(
        "halve_bytes",
        operands: { shape in
            let row = Operand.input(UInt8.self, 2 * shape.width)
            return [row, row, .integer(shape.width), .output(UInt16.self, shape.width)]
        },
        call: { kernels, o in kernels.pointee.halve_bytes(o.pointer(0), o.pointer(1), o.integer(2), o.pointer(3)) },
        reference: { o in o.store(Reference.halveBytes(o.samples(0), o.samples(1)), 3) })

    static let halveWords = KernelCase(
        "halve_words",
        operands: { shape in
            let row = Operand.input(UInt16.self, 2 * shape.width, in: 0...16383)
            return [row, row, .integer(shape.width), .output(UInt16.self, shape.width)]
        },
        call: { kernels, o in kernels.pointee.halve_words(o.pointer(0), o.pointer(1), o.integer(2), o.pointer(3)) },
        reference: { o in o.store(Reference.halveWords(o.samples(0), o.samples(1)), 3) })
}
