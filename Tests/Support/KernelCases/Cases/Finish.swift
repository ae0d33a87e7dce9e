// SPDX-License-Identifier: MIT
// Cases of the kernels that correct what noise did to the mean.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    /// Corrections as shares of white, larger than any noise requires.
    private static let lifts = Operand.input(Float.self, 1024, in: -0.2...0.2)

    /// Variants: limited and full range.
    static let liftGrey = KernelCase(
        "lift_grey", shapes: Shape.rows.variants(2),
        operands: { shape in
            let (black, span): (Float, Float) = [(16 * 256, 219 * 256), (0, 255 * 256)][shape.variant]
            return [.output(UInt16.self, shape.width), .integer(shape.width), lifts, .real(black), .real(span)]
        },
        call: { kernels, o in
            kernels.pointee.finish.lift_grey(o.pointer(0), o.integer(1), o.pointer(2), o.real(3), o.real(4))
        },
        reference: { o in
            o.store(Reference.liftGrey(o.samples(0), table: o.samples(2), black: o.real(3), span: o.real(4)), 0)
        })

    /// Widths count pairs. Variants: limited and full range, then one row passed twice, then one row of chroma.
    static let liftColors = KernelCase(
        "lift_colors", shapes: Shape.rows.variants(4), workload: Shape(width: 640), samples: 1280 * 2,
        operands: { shape in
            let row = Operand.output(UInt16.self, 2 * shape.width), chroma = Operand.output(UInt16.self, shape.width)
            let spans: [[Float]] = [[16 * 256, 219 * 256, 224 * 256], [0, 255 * 256, 255 * 256]]
            let color = spans[shape.variant % 2] + [0.2126, 0.0722]
            let lower = shape.variant == 2 ? Operand.same(as: 0) : row
            let isChromaShared = shape.variant >= 2
            return [
                row, lower, chroma, chroma, isChromaShared ? .same(as: 2) : chroma,
                isChromaShared ? .same(as: 3) : chroma, .integer(shape.width), lifts, .input(color),
            ]
        },
        call: { kernels, o in
            var rows = fusion_lift_parameters(
                upper: o.pointer(0), lower: o.pointer(1), cb: o.pointer(2), cr: o.pointer(3), lower_cb: o.pointer(4),
                lower_cr: o.pointer(5), pairs: o.integer(6), table: o.pointer(7), color: o.pointer(8))
            kernels.pointee.finish.lift_colors(&rows)
        },
        reference: { o in
            let rows = Reference.Rows(
                upper: o.samples(0), lower: o.samples(1), cb: o.samples(2), cr: o.samples(3),
                lowerCb: o.samples(4), lowerCr: o.samples(5))
            let out = Reference.liftColors(rows, table: o.samples(7), Reference.Colors(o.samples(8)))
            o.store(out.upper, 0)
            o.store(out.lower, 1)
            o.store(out.cb, 2)
            o.store(out.cr, 3)
            o.store(out.lowerCb, 4)
            o.store(out.lowerCr, 5)
        })
}
