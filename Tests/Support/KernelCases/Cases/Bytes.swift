// SPDX-License-Identifier: MIT
// The case of the kernel that converts rows of a still to bytes.

import Fusion
import LivecapReferenceKernels

extension KernelCase {
    /// Variants: brightness and chroma, in limited and in full range.
    static let byteRow = KernelCase(
        "byte_row", shapes: Shape.rows.variants(4), workload: Shape(width: 1920),
        operands: { shape in
            let stretch = ByteStretch(shape.variant < 2 ? .limited : .full, isChroma: shape.variant % 2 == 1)
            return [
                .input(UInt16.self, shape.width), .integer(shape.width), .integer(Int(stretch.zero)),
                .integer(Int(stretch.factor)), .integer(Int(stretch.target)), .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.finish.byte_row(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.integer(4), o.pointer(5))
        },
        reference: { o in
            o.store(
                Reference.byteRow(o.samples(0), zero: o.integer(2), factor: o.integer(3), target: o.integer(4)), 5)
        })
}
