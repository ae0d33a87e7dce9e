// SPDX-License-Identifier: MIT
// Weighing another frame's samples, and adding them up.

import FusionKernels

extension KernelCase {
    private static let differences: ClosedRange<Int16> = -4095...4095
    private static let squares: ClosedRange<UInt16> = 0...2601

    /// Rows of so many samples, some apart, and as many rows as there may be.
    private static let rowsOfCells = [1, 2, 3, 8, 9, 40].flatMap { cells in
        [1, 2, 8].map { Shape(width: 8 * cells, height: $0, stride: 8 * cells + cells % 3) }
    }

    /// Widths are samples of whole cells.
    static let sumSquares = KernelCase(
        "sum_squares", shapes: rowsOfCells, workload: Shape(width: 1280, height: 8), samples: 1280 * 8,
        operands: { shape in
            [
                .inputPlane(Int16.self, shape, in: differences), .integer(shape.stride), .integer(shape.width / 8),
                .integer(shape.height), .input(Int16.self, shape.width / 8),
                .input(Int16.self, shape.width / 8, in: 0...114),
                .output(UInt16.self, 4 * shape.width, in: squares), .outputPlane(UInt16.self, shape),
            ]
        },
        call: { kernels, o in
            kernels.pointee.sum_squares(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4), o.pointer(5), o.pointer(6),
                o.pointer(7))
        },
        reference: { o in
            let difference: Grid<Int16> = o.grid(0), width = 8 * o.integer(2), rows = 0..<o.integer(3)
            let before: [UInt16] = o.samples(6)
            let found = Reference.sumSquares(
                rows.map { y in (0..<width).map { difference[$0, y] } }, scale: o.samples(4), most: o.samples(5),
                before: (0..<4).map { Array(before[width * $0..<width * ($0 + 1)]) })
            o.store(found.before.flatMap { $0 }, 6)
            var sums: Grid<UInt16> = o.grid(7)
            for y in rows { for x in 0..<width { sums[x, y] = found.sums[y][x] } }
            o.store(sums, 7)
        })

    /// The variants are bounds: usual ones, next to each other, and as far apart as can be.
    static let addWeighted = KernelCase(
        "add_weighted", shapes: Shape.planes.variants(3), workload: Shape(width: 1280, height: 8), samples: 1280 * 8,
        operands: { shape in
            let (full, none) = [(4096, 8192), (26000, 26001), (61439, 65535)][shape.variant]
            var rows = shape, wide = shape
            rows.stride = shape.stride + 4
            (wide.width, wide.stride) = (shape.width + 4, shape.stride + 4)
            return [
                .inputPlane(Int16.self, rows, in: differences),
                .inputPlane(UInt16.self, wide, in: 0...UInt16(shape.variant == 0 ? 3000 : 24500)),
                .integer(rows.stride), .integer(shape.width), .integer(shape.height),
                .input(UInt16.self, (shape.width + 7) / 8).opposite, .integer(full), .integer(none),
                // What 15 frames have added, and the next one.
                .outputPlane(Int16.self, rows, in: -30705...30705),
                .outputPlane(UInt16.self, rows, in: 0...15 * 4095),
            ]
        },
        call: { kernels, o in
            kernels.pointee.add_weighted(
                o.pointer(0), o.pointer(1), o.integer(2), o.integer(3), o.integer(4), o.pointer(5), o.integer(6),
                o.integer(7), o.pointer(8), o.pointer(9))
        },
        reference: { o in
            let difference: Grid<Int16> = o.grid(0), sums: Grid<UInt16> = o.grid(1), width: Int = o.integer(3)
            var total: Grid<Int16> = o.grid(8), weights: Grid<UInt16> = o.grid(9)
            for y in 0..<o.integer(4) {
                let added = Reference.addWeighted(
                    (0..<width).map { difference[$0, y] }, sums: (0..<width + 4).map { sums[$0, y] },
                    shares: o.samples(5), full: o.integer(6), none: o.integer(7),
                    to: Reference.Added(
                        total: (0..<width).map { total[$0, y] }, weights: (0..<width).map { weights[$0, y] }))
                for x in 0..<width { (total[x, y], weights[x, y]) = (added.total[x], added.weights[x]) }
            }
            o.store(total, 8)
            o.store(weights, 9)
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
