// SPDX-License-Identifier: MIT
// The tiles of a frame that determine the motion of the whole picture.

import LivecapCFusionKernels

/// Tiles of 8x8 samples of one level of a frame's pyramid, and the slopes in each. Computed once per frame.
final class TileSet: @unchecked Sendable {
    /// The index of the level.
    let level: Int
    /// The number of tiles.
    private(set) var count = 0
    /// The first sample of each tile in the level: across and down, two numbers per tile.
    let places: Scratch<Int32>
    /// Four numbers per tile: see `tile_slopes`.
    let slopes: Scratch<Int32>
    /// Tiles per row, and rows of tiles, after thinning.
    let across: Int
    let down: Int
    /// The set contains one tile for each square of `thinning` by `thinning` tiles: the one with the steepest slopes.
    /// 1 keeps all.
    private let thinning: Int
    /// The slopes of a row of tiles before thinning.
    private let found: Scratch<Int32>

    init(_ plane: LevelPlane, level: Int, thinning: Int = 1) {
        self.level = level
        self.thinning = thinning
        across = plane.tilesAcross / thinning
        down = plane.tilesDown / thinning
        places = Scratch(2 * across * down, filledWith: 0)
        slopes = Scratch(4 * across * down, filledWith: 0)
        found = Scratch(thinning > 1 ? 4 * thinning * across : 0, filledWith: 0)
        for tile in 0..<across * down {
            places[2 * tile] = Int32(8 * (tile % across))
            places[2 * tile + 1] = Int32(8 * (tile / across))
        }
    }

    func update(_ plane: LevelPlane, _ kernels: UnsafePointer<fusion_kernels>) {
        count = across * down
        guard thinning > 1 else {
            for row in 0..<down {
                kernels.pointee.motion.tile_slopes(
                    plane.row(8 * row), plane.stride, across, 8, slopes.base + 4 * row * across)
            }
            return
        }
        slopes.base.update(repeating: -1, count: 4 * count)
        let (slopes, places, found) = (slopes.base, places.base, found.base)
        for row in 0..<down * thinning {
            kernels.pointee.motion.tile_slopes(plane.row(8 * row), plane.stride, thinning * across, 8, found)
            for tile in 0..<across {
                let at = row / thinning * across + tile, own = slopes + 4 * at
                var most = Int64(own[0]) + Int64(own[2])
                for column in thinning * tile..<thinning * (tile + 1) {
                    let new = found + 4 * column, slope = Int64(new[0]) + Int64(new[2])
                    guard slope > most else { continue }
                    most = slope
                    own.update(from: new, count: 4)
                    (places[2 * at], places[2 * at + 1]) = (Int32(8 * column), Int32(8 * row))
                }
            }
        }
    }

    /// The centre of a tile, in pixels of the full size.
    func middle(_ tile: Int) -> (x: Float, y: Float) {
        let scale = Float(2 << level)
        return ((Float(places[2 * tile]) + 4) * scale - 0.5, (Float(places[2 * tile + 1]) + 4) * scale - 0.5)
    }

    /// The slopes of a tile.
    func slopes(_ tile: Int) -> TileDifference.Slopes { TileDifference.Slopes(slopes.base + 4 * tile) }

    /// The sum of the squared slopes of a tile in both directions, Q6.
    func slope(_ tile: Int) -> Float { Float(slopes[4 * tile]) + Float(slopes[4 * tile + 2]) }

    /// The mean brightness of a tile in codes.
    func brightness(_ tile: Int) -> Float { Float(slopes[4 * tile + 3]) / 1024 }
}

extension [LevelPlane] {
    /// Examining every tile of a level with more samples than this does not improve the motion of the whole.
    private static var enoughSamples: Int { 80_000 }

    /// The index of the finest level of which all tiles are examined.
    var finest: Int { firstIndex { $0.width * $0.height <= Self.enoughSamples } ?? count - 1 }

    /// Sets of all tiles for the levels from the coarsest to `finest`; then, unless that is level 0, a set of the
    /// steepest tiles of level 0, which determine fractions of a pixel.
    func makeTileSets() -> [TileSet] {
        var sets = stride(from: count - 1, through: finest, by: -1).map { TileSet(self[$0], level: $0) }
        if finest > 0 {
            var thinning = 2
            while self[0].width * self[0].height / (thinning * thinning) > Self.enoughSamples { thinning += 1 }
            sets.append(TileSet(self[0], level: 0, thinning: thinning))
        }
        return sets
    }
}
