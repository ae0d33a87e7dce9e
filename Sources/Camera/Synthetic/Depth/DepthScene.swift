// SPDX-License-Identifier: MIT
// A room whose distances are known: what a depth camera, and colour cameras beside it, see of it.

import LivecapFrames

/// A room with boards and balls at different distances, two of which move, seen by a camera that stands still.
///
/// Everything is a function of the seed, the time and where the camera is. Cameras beside each other
/// (`baseline`) look in the same direction and see the same room, so what they see differs by parallax alone: a
/// point at depth z is `focalLength * distance / z` pixels farther left in the picture of the camera that is
/// `distance` metres farther right.
package final class DepthScene: Sendable {
    /// Selects one of many rooms.
    package let seed: UInt64
    /// The size of pictures.
    package let size: FrameSize
    /// How far the camera is to the right of where the room's middle is straight ahead, in metres.
    package let baseline: Double

    /// The distance of the image plane in pixels: a view of 64 degrees across.
    package var focalLength: Double { 0.8 * Double(size.width) }
    /// The pixel that looks straight ahead.
    package var center: (x: Double, y: Double) { (Double(size.width - 1) / 2, Double(size.height - 1) / 2) }

    /// What stands still, pixel by pixel.
    private let still: [DepthHit]
    private let movers: [Mover]

    /// A ball that goes round and round, at the same height.
    private struct Mover: Sendable {
        let middle: DepthPoint
        let reach: Float
        let seconds: Double
        let phase: Double
        let radius: Float
        let color: UInt32
        let seed: UInt64

        func solid(at time: Double) -> DepthSolid {
            let turns = phase + time / seconds
            let place = DepthPoint(
                x: middle.x + reach * Float(SceneMath.cosine(turns: turns)), y: middle.y,
                z: middle.z + 0.4 * reach * Float(SceneMath.sine(turns: turns)))
            return DepthSolid(.ball(middle: place, radius: radius), color, squares: 3, seed: seed)
        }
    }

    /// Builds the room, and looks at what stands still.
    package init(seed: UInt64, size: FrameSize, baseline: Double = 0) {
        self.seed = seed
        self.size = size
        self.baseline = baseline
        func chance(_ number: Int) -> Float { SceneMath.random(number, 77, seed) }
        movers = [
            Mover(
                middle: DepthPoint(x: 0.1, y: -0.25 + 0.1 * chance(1), z: 1.5), reach: 0.55, seconds: 5,
                phase: Double(chance(2)), radius: 0.16, color: 0xE0B022, seed: seed &+ 1),
            Mover(
                middle: DepthPoint(x: -0.2, y: 0.35, z: 2.6 + 0.2 * chance(3)), reach: 0.9, seconds: 8,
                phase: Double(chance(4)), radius: 0.22, color: 0x2457A6, seed: seed &+ 2),
        ]
        still = Self.look(at: Self.solids(seed, chance), size, baseline)
    }

    /// What stands still in the room.
    private static func solids(_ seed: UInt64, _ chance: (Int) -> Float) -> [DepthSolid] {
        func board(
            _ x: Float, _ y: Float, _ z: Float, half halfWidth: Float, by halfHeight: Float, slope: Float,
            color: UInt32, squares: Float = 12, number: UInt64
        ) -> DepthSolid {
            DepthSolid(
                .board(
                    middle: DepthPoint(x: x, y: y, z: z), halfWidth: halfWidth, halfHeight: halfHeight, slope: slope),
                color, squares: squares, seed: seed &+ number)
        }
        func ball(
            _ x: Float, _ y: Float, _ z: Float, radius: Float, color: UInt32, squares: Float, number: UInt64
        ) -> DepthSolid {
            DepthSolid(
                .ball(middle: DepthPoint(x: x, y: y, z: z), radius: radius), color, squares: squares,
                seed: seed &+ number)
        }
        return [
            DepthSolid(.wall(depth: 4), 0xC8C0B0, squares: 9, seed: seed &+ 10),
            DepthSolid(.floor(below: 0.85), 0x8A6238, squares: 14, seed: seed &+ 11),
            board(-1.05 + 0.1 * chance(5), 0.1, 2.3, half: 0.35, by: 0.55, slope: 0.5, color: 0x5E8C4A, number: 12),
            board(0.75 + 0.1 * chance(6), 0.15, 1.9, half: 0.28, by: 0.5, slope: -0.3, color: 0xA8442E, number: 13),
            board(0.2 * chance(7), -0.2, 3.2, half: 0.4, by: 0.4, slope: 0, color: 0x3C6E9C, number: 14),
            // A pole, which is few pixels wide.
            board(-0.45, 0, 2.1, half: 0.015, by: 0.9, slope: 0, color: 0xE8E4DC, squares: 0, number: 15),
            ball(0.1 + 0.2 * chance(8), 0.55, 1.7, radius: 0.2, color: 0xD8D2C4, squares: 4, number: 16),
            // One so dark that a sensor sees little of it.
            ball(-0.55, 0.5, 1.6, radius: 0.17, color: 0x18181A, squares: 0, number: 17),
        ]
    }

    private static func ray(_ x: Int, _ y: Int, of size: FrameSize, from baseline: Double) -> DepthRay {
        let focal = 0.8 * Float(size.width)
        return DepthRay(
            start: DepthPoint(x: Float(baseline), y: 0, z: 0), across: (Float(x) - Float(size.width - 1) / 2) / focal,
            down: (Float(y) - Float(size.height - 1) / 2) / focal)
    }

    private static func look(at solids: [DepthSolid], _ size: FrameSize, _ baseline: Double) -> [DepthHit] {
        (0..<size.area).map { index in
            let ray = ray(index % size.width, index / size.width, of: size, from: baseline)
            var nearest = Float.infinity, solid = solids[0]
            for candidate in solids {
                guard let depth = candidate.depth(ray), depth < nearest else { continue }
                nearest = depth
                solid = candidate
            }
            return DepthHit(depth: nearest, light: solid.light(at: ray.point(at: nearest)))
        }
    }

    /// A moment of the room, for looking at many pixels.
    struct Moment {
        fileprivate let solids: [DepthSolid]
        /// The rows and columns that a ball may cover.
        fileprivate let rows: [ClosedRange<Int>]
        fileprivate let columns: [ClosedRange<Int>]
    }

    func moment(_ time: Double) -> Moment {
        let solids = movers.map { $0.solid(at: time) }
        var rows: [ClosedRange<Int>] = [], columns: [ClosedRange<Int>] = []
        for solid in solids {
            guard case .ball(let middle, let radius) = solid.shape else { continue }
            // Nearer than its front, and larger than it looks from the side.
            let depth = Double(middle.z - 1.5 * radius), reach = focalLength * Double(radius) * 1.5 / depth
            func range(_ offset: Double, _ center: Double, _ count: Int) -> ClosedRange<Int> {
                let middle = center + focalLength * offset / Double(middle.z), extra = abs(middle - center) / 4 + 2
                let low = Int(middle - reach - extra), high = Int(middle + reach + extra) + 1
                return min(max(0, low), count - 1)...min(max(0, high), count - 1)
            }
            rows.append(range(Double(middle.y), center.y, size.height))
            columns.append(range(Double(middle.x) - baseline, center.x, size.width))
        }
        return Moment(solids: solids, rows: rows, columns: columns)
    }

    /// Looks at a row of pixels.
    func look(row y: Int, at moment: Moment, into hits: UnsafeMutablePointer<DepthHit>) {
        still.withUnsafeBufferPointer { still in
            hits.update(from: still.baseAddress! + y * size.width, count: size.width)
        }
        for (index, solid) in moment.solids.enumerated() where moment.rows[index].contains(y) {
            for x in moment.columns[index] {
                let ray = Self.ray(x, y, of: size, from: baseline)
                guard let depth = solid.depth(ray), depth < hits[x].depth else { continue }
                hits[x] = DepthHit(depth: depth, light: solid.light(at: ray.point(at: depth)))
            }
        }
    }

    /// The true distance of every pixel at a time in seconds, in metres along the camera's axis, row by row.
    package func truth(at time: Double) -> [Float] {
        let moment = moment(time)
        return withRows { hits in
            (0..<size.height).flatMap { y -> [Float] in
                look(row: y, at: moment, into: hits)
                return (0..<size.width).map { hits[$0].depth }
            }
        }
    }

    /// The brightness of every pixel, without noise, as bytes of sRGB.
    package func luma(at time: Double) -> [UInt8] {
        let moment = moment(time)
        return withRows { hits in
            (0..<size.height).flatMap { y -> [UInt8] in
                look(row: y, at: moment, into: hits)
                return (0..<size.width).map { x in
                    let light = hits[x].light, sum = 0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
                    return UInt8(255 * SceneMath.encoded(light: Double(SceneMath.clamped(sum))) + 0.5)
                }
            }
        }
    }

    /// Calls `body` with room for a row.
    func withRows<Result>(_ body: (UnsafeMutablePointer<DepthHit>) -> Result) -> Result {
        let hits = UnsafeMutablePointer<DepthHit>.allocate(capacity: size.width)
        hits.initialize(repeating: DepthHit(depth: 0, light: .zero), count: size.width)
        defer { hits.deallocate() }
        return body(hits)
    }
}
