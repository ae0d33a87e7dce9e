// SPDX-License-Identifier: MIT
// Another frame's samples, moved.

import FusionKernels

extension KernelCase {
    /// Widths are cells, heights rows of samples: full cells, and every number a cut one may have.
    private static let warpShapes = (1...8).map { Shape(width: $0, height: $0) } + [Shape(width: 64, height: 8)]
    /// How far whole samples go; fractions reach one sample before and two behind.
    private static let reach = 3

    /// Motions of cells that stay within reach: whole ones to the very corners, and all fractions between.
    private static func motion(_ shape: Shape) -> [Int16] {
        var random = SeededRandom(seed: UInt64(shape.width))
        let fractions = -8 * (reach - 1)...8 * (reach - 2) + 7
        return (0..<shape.width).flatMap { cell -> [Int16] in
            let corner = Int16(8 * reach)
            return switch cell % 16 {
            case 3: [corner, corner]
            case 5: [-corner, -corner]
            case 7: [Int16(fractions.upperBound), corner]
            case 9: [Int16(fractions.lowerBound) + 1, -corner]
            // Neighbours move alike as a rule.
            case 10...14: [11, -3]
            case 0: [Int16(fractions.upperBound), Int16(fractions.upperBound)]
            case 1: [Int16(fractions.lowerBound), Int16(fractions.lowerBound) + 1]
            default: (0..<2).map { _ in Int16(Int.random(in: fractions, using: &random)) }
            }
        }
    }

    static let warpCells = KernelCase(
        "warp_cells", shapes: warpShapes, workload: Shape(width: 160, height: 8), samples: 1280 * 8,
        operands: { shape in
            let samples = Shape(
                width: 8 * shape.width, height: shape.height, stride: 8 * shape.width + shape.height % 3)
            let src = Operand.inputPlane(UInt8.self, samples, margin: reach)
            return [
                src, .integer(src.stride), .integer(shape.width), .integer(shape.height), .input(motion(shape)),
                .outputPlane(Int16.self, samples), .integer(samples.stride),
            ]
        },
        call: { kernels, o in
            kernels.pointee.warp_cells(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4), o.pointer(5), o.integer(6))
        },
        reference: { o in
            let rows = Reference.warpCells(o.grid(0), cells: o.integer(2), rows: o.integer(3), motion: o.samples(4))
            var out: Grid<Int16> = o.grid(5)
            for (y, row) in rows.enumerated() { for (x, sample) in row.enumerated() { out[x, y] = sample } }
            o.store(out, 5)
        })
}
