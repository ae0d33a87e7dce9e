// SPDX-License-Identifier: MIT
// Cases of the kernels that compare another frame's samples, after motion, with the reference's.

import LivecapCFusionKernels
import LivecapReferenceKernels
import LivecapSeededRandom

extension KernelCase {
    /// Widths count cells, heights rows of samples: whole cells, and every height that a cut one may have.
    static let warpShapes = (1...8).map { Shape(width: $0, height: $0) } + [Shape(width: 64, height: 8)]
    /// Samples around the cells, on every side.
    static let margin = 8
    /// The range of motions for which the samples read reach the edges of the margin, but not beyond.
    private static let across = -8 * (margin - 1)...8 * (margin - 7) + 7
    private static let down = -8 * (margin - 1)...8 * (margin - 2) + 7

    /// The motions of cells: first one for each cell, then groups of four with the same motion, some with one
    /// exception.
    static func motion(_ shape: Shape) -> [Int16] {
        var random = SeededRandom(seed: UInt64(shape.width))
        var four = (0, 0)
        return (0..<shape.width).flatMap { cell -> [Int16] in
            if cell < 16 || cell % 4 == 0 { four = cell < 16 ? single(cell, &random) : shared(cell / 4, &random) }
            let isApart = cell >= 16 && cell % 32 == 3
            return [Int16(four.0 + (isApart ? 1 : 0)), Int16(four.1)]
        }
    }

    /// Motions to the very corners, by whole samples, and by every fraction in between.
    private static func single(_ cell: Int, _ random: inout SeededRandom) -> (Int, Int) {
        switch cell {
        case 0: (across.upperBound, down.upperBound)
        case 1: (across.lowerBound, down.lowerBound)
        case 2: (across.upperBound - 7, down.upperBound)
        case 3: (across.lowerBound + 1, down.upperBound - 7)
        // Neighbours that move by whole samples, alike and differently.
        case 4, 5: (-16, 24)
        case 6: (-8, 8)
        case 7: (0, 0)
        default: (Int.random(in: across, using: &random), Int.random(in: down, using: &random))
        }
    }

    /// The same for groups of four cells.
    private static func shared(_ four: Int, _ random: inout SeededRandom) -> (Int, Int) {
        switch four {
        case 4: (across.upperBound, down.upperBound)
        case 5: (across.lowerBound, down.lowerBound)
        case 6: (across.lowerBound + 3, -16)
        case 7: (8, -11)
        case 9: (-16, 24)
        default:
            (
                Int.random(in: across.lowerBound..<across.upperBound, using: &random),
                Int.random(in: down, using: &random)
            )
        }
    }

    static let widenCodes = KernelCase(
        "widen_codes", shapes: Shape.planes, workload: Shape(width: 1280, height: 8),
        operands: { shape in
            [
                .inputPlane(UInt8.self, shape), .integer(shape.stride), .integer(shape.width), .integer(shape.height),
                .outputPlane(Int16.self, shape), .integer(shape.stride),
            ]
        },
        call: { kernels, o in
            kernels.pointee.merge.widen_codes(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4), o.integer(5))
        },
        reference: { o in
            let codes: Grid<UInt8> = o.grid(0), width: Int = o.integer(2)
            var out: Grid<Int16> = o.grid(4)
            for y in 0..<o.integer(3) {
                for (x, sample) in Reference.widenCodes((0..<width).map { codes[$0, y] }).enumerated() {
                    out[x, y] = sample
                }
            }
            o.store(out, 4)
        })

    static let warpDifferences = KernelCase(
        "warp_differences", shapes: warpShapes, workload: Shape(width: 160, height: 8), samples: 1280 * 8,
        operands: { shape in
            let samples = Shape(
                width: 8 * shape.width, height: shape.height, stride: 8 * shape.width + shape.height % 3)
            let src = Operand.inputPlane(UInt8.self, samples, margin: margin)
            return [
                .inputPlane(Int16.self, samples, in: 0...255 * 32), .integer(samples.stride), src.opposite,
                .integer(src.stride),
                .integer(shape.width), .integer(shape.height), .input(motion(shape)),
                .outputPlane(Int16.self, samples), .integer(samples.stride),
            ]
        },
        call: { kernels, o in
            var cells = fusion_warp_parameters(
                reference: o.pointer(0), reference_stride: o.integer(1), src: o.pointer(2), stride: o.integer(3),
                cells: o.integer(4), rows: o.integer(5), motion: o.pointer(6), out: o.pointer(7),
                out_stride: o.integer(8))
            kernels.pointee.merge.warp_differences(&cells)
        },
        reference: { o in
            let rows = Reference.warpDifferences(
                o.grid(0), o.grid(2), cells: o.integer(4), rows: o.integer(5), motion: o.samples(6))
            var out: Grid<Int16> = o.grid(7)
            for (y, row) in rows.enumerated() { for (x, sample) in row.enumerated() { out[x, y] = sample } }
            o.store(out, 7)
        })
}
