// SPDX-License-Identifier: MIT
// Cases of the kernels that weight and merge other frames' samples.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    private static let differences: ClosedRange<Int16> = -10500...10500

    /// Widths around the kernels' unit of four cells, with one, two and the maximum of eight rows; some have gaps
    /// between rows.
    private static let rowsOfCells = [1, 2, 3, 4, 5, 7, 8, 40].flatMap { cells in
        [1, 2, 8].map { Shape(width: 8 * cells, height: $0, stride: 8 * cells + cells % 3 * 2) }
    }

    /// Widths count samples, in whole cells.
    static let sumSquares = KernelCase(
        "sum_squares", shapes: rowsOfCells, workload: Shape(width: 1280, height: 8), samples: 1280 * 8,
        operands: { shape in
            var pairs = shape
            (pairs.width, pairs.stride) = (shape.width / 2, shape.stride / 2)
            return [
                .inputPlane(Int16.self, shape), .integer(shape.stride), .integer(shape.width / 8),
                .integer(shape.height), .input(Int16.self, shape.width / 8),
                .input(Int16.self, shape.width / 8, in: 0...80),
                .output(UInt16.self, 4 * pairs.width, in: 0...12800), .outputPlane(UInt16.self, pairs),
            ]
        },
        call: { kernels, o in
            kernels.pointee.merge.sum_squares(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4), o.pointer(5), o.pointer(6),
                o.pointer(7))
        },
        reference: { o in
            let difference: Grid<Int16> = o.grid(0), width = 8 * o.integer(2), rows = 0..<o.integer(3)
            let before: [UInt16] = o.samples(6)
            let found = Reference.sumSquares(
                rows.map { y in (0..<width).map { difference[$0, y] } }, scale: o.samples(4), most: o.samples(5),
                before: (0..<4).map { Array(before[width / 2 * $0..<width / 2 * ($0 + 1)]) })
            o.store(found.before.flatMap { $0 }, 6)
            var sums: Grid<UInt16> = o.grid(7)
            for y in rows { for x in 0..<width / 2 { sums[x, y] = found.sums[y][x] } }
            o.store(sums, 7)
        })

    /// Variants: the number of other frames, and the limits of weights: the usual ones, adjacent ones, and ones as
    /// far apart as possible.
    static let mergeRows = KernelCase(
        "merge_rows", shapes: Shape.planes.variants(3), workload: Shape(width: 1280, height: 8, variant: 0),
        samples: 1280 * 8,
        operands: { shape in
            let (full, none) = [(2640, 5520), (26000, 26001), (61439, 65535)][shape.variant]
            let others = [7, 1, 15][shape.variant], cells = (shape.width + 7) / 8
            var rows = shape, pairs = shape
            // The rows of one frame follow those of another.
            (rows.height, rows.stride) = (others * shape.height, (shape.stride + 7) & ~1)
            (pairs.width, pairs.height, pairs.stride) = ((shape.width + 1) / 2 + 2, rows.height, rows.stride / 2)
            return [
                .inputPlane(UInt8.self, shape), .integer(shape.stride), .inputPlane(Int16.self, rows, in: differences),
                .inputPlane(UInt16.self, pairs, in: 0...UInt16(shape.variant == 0 ? 3000 : 24500)),
                .integer(rows.stride), .integer(rows.stride * shape.height), .integer(others),
                .input(UInt16.self, others * cells).opposite, .integer(shape.width), .integer(shape.height),
                .integer(full), .integer(none), .integer([2879, 1024, 2879][shape.variant]),
                .outputPlane(Int16.self, shape), .integer(shape.stride), .output(UInt32.self, cells),
                .output(UInt32.self, others),
            ]
        },
        call: { kernels, o in
            var rows = fusion_merge_parameters(
                reference: o.pointer(0), reference_stride: o.integer(1), difference: o.pointer(2), sums: o.pointer(3),
                stride: o.integer(4), apart: o.integer(5), others: o.integer(6), share: o.pointer(7),
                count: o.integer(8), rows: o.integer(9), full: o.integer(10), none: o.integer(11),
                own_weight: o.integer(12), out: o.pointer(13), out_stride: o.integer(14), evidence: o.pointer(15),
                totals: o.pointer(16))
            kernels.pointee.merge.merge_rows(&rows)
        },
        reference: { o in
            let (others, width, height): (Int, Int, Int) = (o.integer(6), o.integer(8), o.integer(9))
            let reference: Grid<UInt8> = o.grid(0), shares: [UInt16] = o.samples(7), cells = (width + 7) / 8
            let difference: Grid<Int16> = o.grid(2), sums: Grid<UInt16> = o.grid(3)
            var (evidence, totals): ([UInt32], [UInt32]) = (o.samples(15), o.samples(16))
            var out: Grid<Int16> = o.grid(13)
            for y in 0..<height {
                let row = Reference.mergeRow(
                    (0..<width).map { reference[$0, y] },
                    (0..<others).map { other in
                        Reference.Other(
                            difference: (0..<width).map { difference[$0, other * height + y] },
                            sums: (0..<(width + 1) / 2 + 2).map { sums[$0, other * height + y] },
                            shares: Array(shares[other * cells..<(other + 1) * cells]))
                    }, full: o.integer(10), none: o.integer(11), ownWeight: o.integer(12))
                for x in 0..<width { out[x, y] = row.merged[x] }
                for (pair, weights) in row.weights.enumerated() {
                    evidence[pair / 4] &+= UInt32(weights.reduce(0, +))
                    for other in 0..<others where y == 0 { totals[other] &+= UInt32(weights[other]) }
                }
            }
            o.store(out, 13)
            o.store(evidence, 15)
            o.store(totals, 16)
        })
}
