// SPDX-License-Identifier: MIT
// Weighing another frame's samples, and adding them up.

import FusionKernels

extension KernelCase {
    /// More than moved samples ever are.
    private static let warped: ClosedRange<Int16> = -8192...16383
    private static let squares: ClosedRange<UInt16> = 0...2601

    static let squareDifferences = KernelCase(
        "square_differences",
        operands: { shape in
            [
                .input(UInt8.self, shape.width), .input(Int16.self, shape.width, in: warped),
                .input(Int16.self, shape.width), .integer(shape.width), .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.square_differences(o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4))
        },
        reference: { o in o.store(Reference.squareDifferences(o.samples(0), o.samples(1), scale: o.samples(2)), 4) })

    static let addSquareRows = KernelCase(
        "add_square_rows",
        operands: { shape in
            [
                .input(UInt16.self, shape.width, in: squares), .input(UInt16.self, shape.width, in: squares),
                .integer(shape.width), .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.add_square_rows(o.pointer(0), o.pointer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in
            o.store(Reference.addSquareRows(entering: o.samples(0), leaving: o.samples(1), to: o.samples(3)), 3)
        })

    /// The variants are bounds: usual ones, next to each other, and as far apart as can be.
    static let addWeighted = KernelCase(
        "add_weighted", shapes: Shape.rows.variants(3),
        operands: { shape in
            let (full, none) = [(5400, 10800), (26000, 26001), (32768, 65535)][shape.variant]
            return [
                .input(UInt8.self, shape.width), .input(Int16.self, shape.width, in: warped),
                .input(UInt16.self, shape.width + 4, in: 0...UInt16(shape.variant == 0 ? 4000 : 13107)),
                .input(UInt16.self, shape.width).opposite, .integer(shape.width), .integer(full), .integer(none),
                // What 15 frames have added, and the next one.
                .output(Int16.self, shape.width, in: -30720...30705),
                .output(UInt16.self, shape.width, in: 0...30 * 2047),
            ]
        },
        call: { kernels, o in
            kernels.pointee.add_weighted(
                o.pointer(0), o.pointer(1), o.pointer(2), o.pointer(3), o.integer(4), o.integer(5), o.integer(6),
                o.pointer(7), o.pointer(8))
        },
        reference: { o in
            let added = Reference.addWeighted(
                o.samples(0), o.samples(1), sums: o.samples(2), shares: o.samples(3), full: o.integer(5),
                none: o.integer(6), to: Reference.Added(total: o.samples(7), weights: o.samples(8)))
            o.store(added.total, 7)
            o.store(added.weights, 8)
        })

    /// The variants are the reference's own weight: as it is, and as little as can be.
    static let resolveRow = KernelCase(
        "resolve_row", shapes: Shape.rows.variants(2),
        operands: { shape in
            [
                .input(UInt8.self, shape.width), .input(Int16.self, shape.width), .input(UInt16.self, shape.width),
                .integer(shape.width), .integer([2025, 1][shape.variant]), .output(Int16.self, shape.width),
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
