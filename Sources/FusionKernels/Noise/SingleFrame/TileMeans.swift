// SPDX-License-Identifier: MIT
// The brightness and spread of a plane's tiles.

import LivecapCFusionKernels

/// Describes the tiles of 8x8 samples of a plane: the brightness of every tile, and the spread of as many as the
/// noise estimate needs.
final class TileMeans: @unchecked Sendable {
    /// Samples on a side of a tile.
    static let tile = NoiseMap.tile
    let width: Int
    let height: Int
    /// Tiles per row.
    let across: Int
    /// Rows of tiles.
    let down: Int
    /// The spread is measured in every `rowStep`th row of tiles.
    let rowStep: Int
    /// The brightness of each tile in whole codes, row by row. For a chroma plane, it is that of the brightness plane
    /// at the same place.
    let brightness: UnsafeMutableBufferPointer<UInt8>
    /// For each whole tile in every `rowStep`th row: 4096 times the variance of its samples.
    let spread: UnsafeMutableBufferPointer<UInt32>
    private let sums: UnsafeMutableBufferPointer<UInt16>
    private let kernels: UnsafePointer<fusion_kernels>

    /// Some four thousand tiles (`enough`) suffice for an estimate of a plane's noise.
    init(width: Int, height: Int, enough: Int = 4000, kernels: UnsafePointer<fusion_kernels>) {
        self.width = width
        self.height = height
        self.kernels = kernels
        across = (width + Self.tile - 1) / Self.tile
        down = (height + Self.tile - 1) / Self.tile
        rowStep = max(1, across * down / enough)
        brightness = .allocate(capacity: across * down)
        spread = .allocate(capacity: across * down)
        sums = .allocate(capacity: across)
        brightness.initialize(repeating: 0)
        spread.initialize(repeating: 0)
        sums.initialize(repeating: 0)
    }

    deinit {
        brightness.deallocate()
        spread.deallocate()
        sums.deallocate()
    }

    /// Measures a plane. `means` are the means of 8x8 pixels each; a tile covers `step` of them.
    func measure(_ plane: SamplePlane, means: LevelPlane, step: (across: Int, down: Int)) {
        takeBrightness(means, step)
        for row in stride(from: 0, to: height / Self.tile, by: rowStep) {
            let spread = spread.baseAddress! + row * across, sums = sums.baseAddress!
            kernels.pointee.noise.tile_moments(
                plane.row(row * Self.tile), plane.stride, width / Self.tile, sums, spread)
            for tile in 0..<width / Self.tile {
                let sum = UInt32(sums[tile])
                spread[tile] = 64 &* spread[tile] &- sum &* sum
            }
        }
    }

    /// The mean over the measured tiles of the variance of their samples, in squared codes.
    var meanVariance: Float {
        var (sum, count) = (Float(0), Float(0))
        for row in stride(from: 0, to: height / Self.tile, by: rowStep) {
            for tile in 0..<width / Self.tile {
                sum += Float(spread[row * across + tile])
                count += 1
            }
        }
        return sum / max(1, count) / 4096
    }

    /// Whether any tile of the maximum brightness has no spread at all. Noise makes that impossible unless the tile
    /// is clipped.
    var mayBeClipped: Bool {
        var brightest = UInt8(NoiseModel.levels / 2)
        for tile in 0..<across * down { brightest = max(brightest, brightness[tile]) }
        for row in stride(from: 0, to: height / Self.tile, by: rowStep) {
            for tile in row * across..<row * across + width / Self.tile
            where spread[tile] == 0 && brightness[tile] == brightest { return true }
        }
        return false
    }

    private func takeBrightness(_ means: LevelPlane, _ step: (across: Int, down: Int)) {
        let (lastColumn, lastRow) = (means.width - 1, means.height - 1)
        // Tiles beyond `inside` repeat the last column.
        let inside = min(across, means.width / step.across)
        for row in 0..<down {
            let first = means.row(min(row * step.down, lastRow))
            let last = means.row(min(row * step.down + step.down - 1, lastRow))
            let out = brightness.baseAddress! + row * across
            // The sum of two samples in Q4, hence a shift by 5.
            if step.across == 1 {
                for tile in 0..<inside { out[tile] = UInt8(truncatingIfNeeded: (first[tile] &+ last[tile]) >> 5) }
            } else {
                for tile in 0..<inside {
                    out[tile] = UInt8(truncatingIfNeeded: (first[2 &* tile] &+ last[2 &* tile &+ 1]) >> 5)
                }
            }
            for tile in inside..<across {
                let left = min(tile &* step.across, lastColumn), right = min(left &+ step.across &- 1, lastColumn)
                out[tile] = UInt8(truncatingIfNeeded: (first[left] &+ last[right]) >> 5)
            }
        }
    }
}
