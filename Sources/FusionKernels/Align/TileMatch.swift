// SPDX-License-Identifier: MIT
// One tile of 8x8 samples against another picture: in whole samples, and between them.

import CFusionKernels

/// A tile and where it is looked for. Plain pointers, as it is made for every tile of every frame: whoever makes it keeps
/// the planes.
struct Tile {
    fileprivate let first: UnsafePointer<UInt16>
    fileprivate let stride: Int
    fileprivate let left: Int
    fileprivate let top: Int
    fileprivate let other: LevelView
    fileprivate let kernels: UnsafePointer<fusion_kernels>

    /// The tile around the samples 4 x to 4 x + 3 and 4 y to 4 y + 3.
    init(_ level: LevelView, _ other: LevelView, _ x: Int, _ y: Int, _ kernels: UnsafePointer<fusion_kernels>) {
        (left, top, stride) = (4 * x - 2, 4 * y - 2, level.stride)
        first = UnsafePointer(level.base + top * level.stride + left)
        (self.other, self.kernels) = (other, kernels)
    }
}

/// The whole-sample motion of a tile that fits best, of those tried.
struct TileMatch {
    /// The most motions tried at once: every other up to 8 samples away.
    static let most = 9 * 9
    private let tile: Tile
    private let offsets: UnsafeMutablePointer<Int32>
    private let distances: UnsafeMutablePointer<UInt32>
    private var distance = UInt32.max
    /// The best motion so far.
    private(set) var x = 0
    private(set) var y = 0

    /// Of a tile; `offsets` and `distances` have room for `most`.
    init(_ tile: Tile, offsets: UnsafeMutablePointer<Int32>, distances: UnsafeMutablePointer<UInt32>) {
        (self.tile, self.offsets, self.distances) = (tile, offsets, distances)
    }

    /// Has what was tried so far win unless something fits clearly better.
    mutating func favour() { if distance != .max { distance -= distance / 16 } }

    /// Tries a motion; those that leave the picture are not.
    mutating func `try`(_ dx: Int, _ dy: Int) {
        // Neighbours mostly moved alike, and the same motion cannot fit better the second time.
        guard distance == .max || dx != x || dy != y else { return }
        tryAll(columns: dx...dx, rows: dy...dy)
    }

    /// Tries every motion up to `reach` steps, at most 4, away from one.
    mutating func tryAround(_ x: Int, _ y: Int, reach: Int, step: Int = 1) {
        tryAll(columns: x - reach * step...x + reach * step, rows: y - reach * step...y + reach * step, step: step)
    }

    private mutating func tryAll(columns: ClosedRange<Int>, rows: ClosedRange<Int>, step: Int = 1) {
        // A tile may leave the picture by half.
        let (left, top, other) = (tile.left, tile.top, tile.other)
        let (fromX, toX) = (max(columns.lowerBound, -4 - left), min(columns.upperBound, other.width - 4 - left))
        let (fromY, toY) = (max(rows.lowerBound, -4 - top), min(rows.upperBound, other.height - 4 - top))
        guard fromX <= toX && fromY <= toY else { return }
        var count = 0
        for dy in Swift.stride(from: fromY, through: toY, by: step) {
            let row = (top + dy) * other.stride + left
            for dx in Swift.stride(from: fromX, through: toX, by: step) {
                offsets[count] = Int32(truncatingIfNeeded: row + dx)
                count += 1
            }
        }
        // The same tile again and again: no step from one to the next.
        tile.kernels.pointee.tile_distances(
            tile.first, tile.stride, other.base, other.stride, count, 0, offsets, distances)
        let across = (toX - fromX) / step + 1
        for index in 0..<count where distances[index] < distance {
            (distance, x, y) = (distances[index], fromX + step * (index % across), fromY + step * (index / across))
        }
    }
}

/// A tile against places between another picture's samples.
struct TileDifference {
    private let tile: Tile
    private var sums = (Int32(0), Int32(0), Int32(0), Int32(0))

    init(_ tile: Tile) { self.tile = tile }

    /// The mean squared difference, in squared codes; infinite where the tile would leave the picture.
    mutating func error(_ dx: Float, _ dy: Float) -> Float {
        var place = (Int32(0), Int32(0), Int32(0), Int32(0))
        return withUnsafeMutablePointer(to: &place) { place in
            place.withMemoryRebound(to: Int32.self, capacity: 4) { place in
                guard tile.other.place(tile.left, tile.top, dx, dy, place + 1) else { return .infinity }
                withUnsafeMutablePointer(to: &sums) { sums in
                    sums.withMemoryRebound(to: Int32.self, capacity: 4) { sums in
                        tile.kernels.pointee.tile_differences(
                            tile.first, tile.stride, tile.other.base, tile.other.stride, 1, place, sums)
                    }
                }
                return Float(sums.2) / 1024
            }
        }
    }

    /// How the tile slopes: see `tile_slopes`.
    struct Slopes {
        fileprivate var sums = (Int32(0), Int32(0), Int32(0), Int32(0))

        fileprivate init() {}
        /// Of four numbers as the kernel gives them.
        init(_ sums: UnsafePointer<Int32>) { self.sums = (sums[0], sums[1], sums[2], sums[3]) }

        /// Both ways together.
        var sum: Float { Float(sums.0) + Float(sums.2) }
        /// The tile's brightness in codes.
        var brightness: Float { Float(sums.3) / 1024 }

        /// Newton's step for differences whose sums times the slopes are these (see `tile_differences`), and by how much it
        /// would make the mean squared difference less.
        @inline(__always)
        func step(_ across: Int32, _ down: Int32) -> (x: Float, y: Float, gain: Float) {
            // A floor under the slopes keeps flat tiles where they are.
            let (xx, xy, yy) = (Float(sums.0) * 1.05 + 4000, Float(sums.1), Float(sums.2) * 1.05 + 4000)
            let determinant = xx * yy - xy * xy
            // Differences are in Q4, slopes in Q3.
            let (bx, by) = (Float(across) / 2, Float(down) / 2)
            let (x, y) = ((yy * bx - xy * by) / determinant, (xx * by - xy * bx) / determinant)
            return (x, y, (x * bx + y * by) / 4096)
        }
    }

    /// How the tile slopes.
    func slopes() -> Slopes {
        var slopes = Slopes()
        withUnsafeMutablePointer(to: &slopes.sums) { sums in
            sums.withMemoryRebound(to: Int32.self, capacity: 4) { sums in
                tile.kernels.pointee.tile_slopes(tile.first, tile.stride, 1, 0, sums)
            }
        }
        return slopes
    }

    /// By how much Newton's step from the motion tried last would make the error less.
    func gain(_ slopes: Slopes) -> Float { slopes.step(sums.0, sums.1).gain }

    /// The best of a few of Newton's steps from a motion, and how well it fits.
    mutating func refined(_ x: Float, _ y: Float, _ slopes: Slopes) -> (x: Float, y: Float, error: Float) {
        var best = (x: x, y: y, error: Float.infinity)
        var (dx, dy) = (x, y)
        for _ in 0..<3 {
            let error = error(dx, dy)
            if error < best.error { best = (dx, dy, error) }
            let step = slopes.step(sums.0, sums.1)
            dx += step.x
            dy += step.y
            // Motion is kept in sixteenths of these samples.
            guard abs(step.x) > 0.04 || abs(step.y) > 0.04, abs(dx - x) <= 1.5, abs(dy - y) <= 1.5 else { break }
        }
        return best
    }
}
