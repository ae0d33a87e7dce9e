// SPDX-License-Identifier: MIT
// How tiles of 8x8 samples slope, and how they differ between pictures.

import FusionKernels
import SeededRandom

extension KernelCase {
    /// Widths are tiles; the variants are how far apart they are: next to each other, overlapping, with gaps, and one
    /// tile again and again.
    private static let tileShapes = [1, 2, 5, 33].map { Shape(width: $0) }.variants(4)
    private static let tileWorkload = Shape(width: 80)
    private static func step(_ shape: Shape) -> Int { [8, 4, 11, 0][shape.variant] }
    private static let levelSamples: ClosedRange<UInt16> = 0...4095

    /// The samples of all tiles.
    private static func level(_ shape: Shape) -> Shape {
        let width = (shape.width - 1) * step(shape) + 8
        return Shape(width: width, height: 8, stride: width + shape.width % 3)
    }

    /// Where tiles may be found in another level: `spare` more columns and rows than the tiles have.
    private static func other(_ shape: Shape, spare: Int) -> Shape {
        let width = level(shape).width + spare
        return Shape(width: width, height: 8 + spare, stride: width + shape.variant)
    }

    /// Offsets of tiles in `other`: the first one's in its first corner, the last one's in its last, others anywhere,
    /// so long as so many samples to the `right` and `below` are left.
    private static func offsets(
        _ shape: Shape, in other: Shape, margin: Int, right: Int, below: Int, seed: Int = 0
    ) -> [Int32] {
        var random = SeededRandom(seed: UInt64(shape.width * 4 + shape.variant + 256 * seed))
        let (most, lowest) = (other.width - 8 - right, other.height - 8 - below)
        return (0..<shape.width).map { tile in
            var (x, y) = (Int.random(in: 0...most, using: &random), Int.random(in: 0...lowest, using: &random))
            if tile == 0 { (x, y) = (0, 0) } else if tile == shape.width - 1 { (x, y) = (most, lowest) }
            return Int32(y * (other.stride + 2 * margin) + x)
        }
    }

    static let tileSlopes = KernelCase(
        "tile_slopes", shapes: tileShapes, workload: tileWorkload, samples: 80 * 64,
        operands: { shape in
            let level = Operand.inputPlane(UInt16.self, level(shape), margin: 1, in: levelSamples)
            return [
                level, .integer(level.stride), .integer(shape.width), .integer(step(shape)),
                .output(Int32.self, 4 * shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.tile_slopes(o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4))
        },
        reference: { o in
            o.store(Reference.tileSlopes(o.grid(0), tiles: o.integer(2), step: o.integer(3)), 4)
        })

    static let tileDifferences = KernelCase(
        "tile_differences", shapes: tileShapes, workload: tileWorkload, samples: 80 * 64,
        operands: { shape in
            // The margin is the sample read to the left and above; to the right there are six more than below in one
            // picture, and seven more and one in the other.
            let (ownShape, otherShape) = (other(shape, spare: 9), other(shape, spare: 10))
            let level = Operand.inputPlane(UInt16.self, ownShape, margin: 1, in: levelSamples)
            let other = Operand.inputPlane(UInt16.self, otherShape, margin: 1, in: levelSamples)
            let own = offsets(shape, in: ownShape, margin: 1, right: 6, below: 0, seed: 1)
            let theirs = offsets(shape, in: otherShape, margin: 1, right: 7, below: 1)
            let places = (0..<shape.width).flatMap { tile -> [Int32] in
                let across = (7 * tile + 15 * shape.variant) % 16, down = (5 * tile + 15) % 16
                return [own[tile], theirs[tile], Int32(across), Int32(down)]
            }
            return [
                level, .integer(level.stride), other.opposite, .integer(other.stride), .integer(shape.width),
                .input(places), .output(Int32.self, 4 * shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.tile_differences(
                o.pointer(0), o.integer(1), o.pointer(2), o.integer(3), o.integer(4), o.pointer(5), o.pointer(6))
        },
        reference: { o in
            o.store(
                Reference.tileDifferences(o.grid(0), o.grid(2), tiles: o.integer(4), places: o.samples(5)), 6)
        })

    static let tileDistances = KernelCase(
        "tile_distances", shapes: tileShapes, workload: tileWorkload, samples: 80 * 64,
        operands: { shape in
            let level = Operand.inputPlane(UInt16.self, level(shape), in: levelSamples)
            let otherShape = other(shape, spare: 5)
            let other = Operand.inputPlane(UInt16.self, otherShape, in: levelSamples)
            return [
                level, .integer(level.stride), other.opposite, .integer(other.stride), .integer(shape.width),
                .integer(step(shape)), .input(offsets(shape, in: otherShape, margin: 0, right: 0, below: 0)),
                .output(UInt32.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.tile_distances(
                o.pointer(0), o.integer(1), o.pointer(2), o.integer(3), o.integer(4), o.integer(5), o.pointer(6),
                o.pointer(7))
        },
        reference: { o in
            o.store(
                Reference.tileDistances(
                    o.grid(0), o.grid(2), tiles: o.integer(4), step: o.integer(5), places: o.samples(6)), 7)
        })
}
