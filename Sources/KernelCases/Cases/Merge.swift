// SPDX-License-Identifier: MIT
// Weighing another frame's samples, and adding them up.

import FusionKernels

extension KernelCase {
    private static let differences: ClosedRange<Int16> = -4095...4095
    private static let squares: ClosedRange<UInt16> = 0...2601

    static let addSquares = KernelCase(
        "add_squares",
        operands: { shape in
            [
                .input(Int16.self, shape.width, in: differences), .input(Int16.self, shape.width),
                .input(UInt16.self, shape.width, in: squares), .integer(shape.width),
                .output(UInt16.self, shape.width), .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.add_squares(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            let (squares, sums) = Reference.addSquares(
                o.samples(0), scale: o.samples(1), leaving: o.samples(2), to: o.samples(5))
            o.store(squares, 4)
            o.store(sums, 5)
        })

    /// The variants are bounds: usual ones, next to each other, and as far apart as can be.
    static let addWeighted = KernelCase(
        "add_weighted", shapes: Shape.rows.variants(3),
        operands: { shape in
            let (full, none) = [(4096, 8192), (26000, 26001), (61439, 65535)][shape.variant]
            return [
                .input(Int16.self, shape.width, in: differences),
                .input(UInt16.self, shape.width + 4, in: 0...UInt16(shape.variant == 0 ? 3000 : 13107)),
                .input(UInt16.self, shape.width).opposite, .integer(shape.width), .integer(full), .integer(none),
                // What 15 frames have added, and the next one.
                .output(Int16.self, shape.width, in: -30705...30705),
                .output(UInt16.self, shape.width, in: 0...15 * 4095),
            ]
        },
        call: { kernels, o in
            kernels.pointee.add_weighted(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.integer(4), o.integer(5), o.pointer(6),
                o.pointer(7))
        },
        reference: { o in
            let added = Reference.addWeighted(
                o.samples(0), sums: o.samples(1), shares: o.samples(2), full: o.integer(4), none: o.integer(5),
                to: Reference.Added(total: o.samples(6), weights: o.samples(7)))
            o.store(added.total, 6)
            o.store(added.weights, 7)
        })

    /// The variants are the reference's own weight: as it is, and as little as can be.
    static let resolveRow = KernelCase(
        "resolve_row", shapes: Shape.rows.variants(2),
        operands: { shape in
            [
                .input(UInt8.self, shape.width), .input(Int16.self, shape.width), .input(UInt16.self, shape.width),
                .integer(shape.width), .integer([2399, 1][shape.variant]), .output(Int16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.resolve_row(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.integer(4), o.pointer(5))
        },
        reference: { o in
            let added = Reference.Added(total: o.samples(1), weights: o.samples(2))
            o.store(Reference.resolveRow(o.samples(0), added, ownWeight: o.integer(4)), 5)
        })
}
