// SPDX-License-Identifier: MIT
// Compares one tile of 8x8 samples with another picture, at whole samples and between them.

import LivecapCFusionKernels

/// A tile, and the picture in which it is searched. It holds plain pointers because one is created for every tile of
/// every frame; its creator keeps the planes alive.
struct Tile {
    fileprivate let first: UnsafePointer<UInt16>
    fileprivate let stride: Int
    fileprivate let left: Int
    fileprivate let top: Int
    fileprivate let other: LevelView
    fileprivate let kernels: UnsafePointer<fusion_kernels>

    /// The tile centred on samples 4x to 4x + 3 across and 4y to 4y + 3 down.
    init(_ level: LevelView, other: LevelView, x: Int, y: Int, kernels: UnsafePointer<fusion_kernels>) {
        left = 4 * x - 2
        top = 4 * y - 2
        stride = level.stride
        first = UnsafePointer(level.base + top * level.stride + left)
        self.other = other
        self.kernels = kernels
    }
}

/// Finds the best whole-sample motion of a tile among those tried.
struct TileMatch {
    /// The maximum number of motions tried at once: every other one up to 8 samples away.
    static let most = 9 * 9
    private let tile: Tile
    private let offsets: UnsafeMutablePointer<Int32>
    private let distances: UnsafeMutablePointer<UInt32>
    private var distance = UInt32.max
    /// The best motion so far.
    private(set) var x = 0
    private(set) var y = 0

    /// Creates a match for a tile. `offsets` and `distances` must have room for `most` elements.
    init(_ tile: Tile, offsets: UnsafeMutablePointer<Int32>, distances: UnsafeMutablePointer<UInt32>) {
        self.tile = tile
        self.offsets = offsets
        self.distances = distances
    }

    /// Favours the best motion so far by 1/16, so that only a clearly better one replaces it.
    mutating func favour() { if distance != .max { distance -= distance / 16 } }

    /// Tries one motion, unless it leads out of the picture.
    mutating func `try`(_ dx: Int, _ dy: Int) {
        // Neighbours usually moved alike; a motion that is already the best need not be tried again.
        guard distance == .max || dx != x || dy != y else { return }
        tryAll(columns: dx...dx, rows: dy...dy)
    }

    /// Tries every motion up to `reach` steps (at most 4) away from (x, y).
    mutating func tryAround(_ x: Int, _ y: Int, reach: Int, step: Int = 1) {
        tryAll(columns: x - reach * step...x + reach * step, rows: y - reach * step...y + reach * step, step: step)
    }

    private mutating func tryAll(columns: ClosedRange<Int>, rows: ClosedRange<Int>, step: Int = 1) {
        // At most half of a tile may be outside the picture.
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
        // A step of 0: the same tile is compared at every offset.
        tile.kernels.pointee.motion.tile_distances(
            tile.first, tile.stride, other.base, other.stride, count, 0, offsets, distances)
        let across = (toX - fromX) / step + 1
        for index in 0..<count where distances[index] < distance {
            (distance, x, y) = (distances[index], fromX + step * (index % across), fromY + step * (index / across))
        }
    }
}

/// Compares a tile with another picture at fractions of a sample.
struct TileDifference {
    private let tile: Tile
    private var sums = (Int32(0), Int32(0), Int32(0), Int32(0))

    init(_ tile: Tile) { self.tile = tile }

    /// The mean squared difference, in squared codes; infinite if the tile would leave the picture.
    mutating func error(_ dx: Float, _ dy: Float) -> Float {
        var place = (Int32(0), Int32(0), Int32(0), Int32(0))
        return withUnsafeMutablePointer(to: &place) { place in
            place.withMemoryRebound(to: Int32.self, capacity: 4) { place in
                guard tile.other.place(x: tile.left, y: tile.top, dx: dx, dy: dy, out: place + 1) else {
                    return .infinity
                }
                withUnsafeMutablePointer(to: &sums) { sums in
                    sums.withMemoryRebound(to: Int32.self, capacity: 4) { sums in
                        tile.kernels.pointee.motion.tile_differences(
                            tile.first, tile.stride, tile.other.base, tile.other.stride, 1, place, sums)
                    }
                }
                return Float(sums.2) / 1024
            }
        }
    }

    /// The slopes of a tile: see `tile_slopes`.
    struct Slopes {
        fileprivate var sums = (Int32(0), Int32(0), Int32(0), Int32(0))

        fileprivate init() {}
        /// Creates slopes from the kernel's four numbers.
        init(_ sums: UnsafePointer<Int32>) { self.sums = (sums[0], sums[1], sums[2], sums[3]) }

        /// The sum of the squared slopes in both directions, Q6.
        var sum: Float { Float(sums.0) + Float(sums.2) }
        /// The tile's mean brightness in codes.
        var brightness: Float { Float(sums.3) / 1024 }

        /// Newton's step for given sums of differences times slopes (see `tile_differences`), and how much it would
        /// reduce the mean squared difference, in squared codes.
        @inline(__always)
        func step(_ across: Int32, _ down: Int32) -> (x: Float, y: Float, gain: Float) {
            // A minimum added to the slopes keeps flat tiles where they are.
            let (xx, xy, yy) = (Float(sums.0) * 1.05 + 4000, Float(sums.1), Float(sums.2) * 1.05 + 4000)
            let determinant = xx * yy - xy * xy
            // Differences are in Q4, slopes in Q3.
            let (bx, by) = (Float(across) / 2, Float(down) / 2)
            let (x, y) = ((yy * bx - xy * by) / determinant, (xx * by - xy * bx) / determinant)
            return (x, y, (x * bx + y * by) / 4096)
        }
    }

    /// The slopes of the tile.
    func slopes() -> Slopes {
        var slopes = Slopes()
        withUnsafeMutablePointer(to: &slopes.sums) { sums in
            sums.withMemoryRebound(to: Int32.self, capacity: 4) { sums in
                tile.kernels.pointee.motion.tile_slopes(tile.first, tile.stride, 1, 0, sums)
            }
        }
        return slopes
    }

    /// How much Newton's step from the latest motion would reduce the error.
    func gain(_ slopes: Slopes) -> Float { slopes.step(sums.0, sums.1).gain }

    /// The best result of a few Newton steps starting at (x, y), and its error.
    mutating func refined(_ x: Float, _ y: Float, _ slopes: Slopes) -> (x: Float, y: Float, error: Float) {
        var best = (x: x, y: y, error: Float.infinity)
        var (dx, dy) = (x, y)
        for _ in 0..<3 {
            let error = error(dx, dy)
            if error < best.error { best = (dx, dy, error) }
            let step = slopes.step(sums.0, sums.1)
            dx += step.x
            dy += step.y
            // Motion is stored in sixteenths of these samples, so shorter steps do not matter.
            guard abs(step.x) > 0.04 || abs(step.y) > 0.04, abs(dx - x) <= 1.5, abs(dy - y) <= 1.5 else { break }
        }
        return best
    }
}
