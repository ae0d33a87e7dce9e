// SPDX-License-Identifier: MIT
// Cases of the kernels for the slopes of tiles of 8x8 samples, and their differences between pictures.

import LivecapReferenceKernels
import LivecapSeededRandom

extension KernelCase {
    /// Widths count tiles. Variants: the distance between tiles: adjacent, overlapping, with gaps, and one tile
    /// repeated.
    private static let tileShapes = [1, 2, 5, 33].map { Shape(width: $0) }.variants(4)
    private static let tileWorkload = Shape(width: 80)
    private static func step(_ shape: Shape) -> Int { [8, 4, 11, 0][shape.variant] }
    private static let levelSamples: ClosedRange<UInt16> = 0...4095

    /// The area of all tiles in the level.
    private static func level(_ shape: Shape) -> Shape {
        let width = (shape.width - 1) * step(shape) + 8
        return Shape(width: width, height: 8, stride: width + shape.width % 3)
    }

    /// The area in another level in which tiles may be placed: `spare` more columns and rows than a level's tiles
    /// need.
    private static func other(_ shape: Shape, spare: Int) -> Shape {
        let width = level(shape).width + spare
        return Shape(width: width, height: 8 + spare, stride: width + shape.variant)
    }

    /// Offsets of tiles in `other`: the first tile is in the first corner, the last one in the last corner, the
    /// others anywhere, with at least `right` and `below` more samples after each.
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
            kernels.pointee.motion.tile_slopes(o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4))
        },
        reference: { o in
            o.store(Reference.tileSlopes(o.grid(0), tiles: o.integer(2), step: o.integer(3)), 4)
        })

    static let tileDifferences = KernelCase(
        "tile_differences", shapes: tileShapes, workload: tileWorkload, samples: 80 * 64,
        operands: { shape in
            // The margin of one sample covers what is read to the left, above and below. Beyond it, six more samples
            // are read to the right in `level`; in `other`, seven more to the right and one more below.
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
            kernels.pointee.motion.tile_differences(
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
            kernels.pointee.motion.tile_distances(
                o.pointer(0), o.integer(1), o.pointer(2), o.integer(3), o.integer(4), o.integer(5), o.pointer(6),
                o.pointer(7))
        },
        reference: { o in
            o.store(
                Reference.tileDistances(
                    o.grid(0), o.grid(2), tiles: o.integer(4), step: o.integer(5), places: o.samples(6)), 7)
        })
}
