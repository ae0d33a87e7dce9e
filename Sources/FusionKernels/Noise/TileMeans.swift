// SPDX-License-Identifier: MIT
// The brightness and the spread of a plane's tiles.

import CFusionKernels

/// What the tiles of 8x8 samples of a plane look like: the brightness of all, and the spread of as many as tell what there
/// is to know.
final class TileMeans: @unchecked Sendable {
    /// Samples a tile spans across and down.
    static let tile = NoiseMap.tile
    let width: Int
    let height: Int
    /// Tiles a row.
    let across: Int
    /// Rows of tiles.
    let down: Int
    /// From row to row of the tiles whose spread is known.
    let rowStep: Int
    /// The brightness of each tile in whole codes, row by row. Of chroma: of the brightness plane there.
    let brightness: UnsafeMutableBufferPointer<UInt8>
    /// 4096 times the variance of the samples of each whole tile, in every `rowStep`th row.
    let spread: UnsafeMutableBufferPointer<UInt32>
    private let sums: UnsafeMutableBufferPointer<UInt16>
    private let kernels: UnsafePointer<fusion_kernels>

    /// Some four thousand tiles are enough to tell all there is to know of a plane's noise.
    init(width: Int, height: Int, enough: Int = 4000, kernels: UnsafePointer<fusion_kernels>) {
        (self.width, self.height, self.kernels) = (width, height, kernels)
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

    /// Looks at a plane. `means` are of 8x8 pixels each, of which a tile covers `step`.
    func measure(_ plane: SamplePlane, means: LevelPlane, step: (across: Int, down: Int)) {
        takeBrightness(means, step)
        for row in stride(from: 0, to: height / Self.tile, by: rowStep) {
            let spread = spread.baseAddress! + row * across, sums = sums.baseAddress!
            kernels.pointee.tile_moments(
                plane.row(row * Self.tile), plane.stride, width / Self.tile, sums, spread)
            for tile in 0..<width / Self.tile {
                let sum = UInt32(sums[tile])
                spread[tile] = 64 &* spread[tile] &- sum &* sum
            }
        }
    }

    /// The mean variance of a tile's samples, as it was measured.
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

    /// Whether any tile is even to the last sample where it is as bright as any, which noise makes of none that is not clipped.
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
        // Behind those the last column is repeated.
        let inside = min(across, means.width / step.across)
        for row in 0..<down {
            let first = means.row(min(row * step.down, lastRow))
            let last = means.row(min(row * step.down + step.down - 1, lastRow))
            let out = brightness.baseAddress! + row * across
            // Codes times 16, of two of them.
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
