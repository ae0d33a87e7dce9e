// SPDX-License-Identifier: MIT
// The brightness and the spread of a plane's tiles.

import CFusionKernels

/// What the tiles of 8x8 samples of a plane look like. Tiles cut by the plane's edge are moved into it.
final class TileMeans: @unchecked Sendable {
    /// Samples a tile spans across and down.
    static let tile = NoiseMap.tile
    let width: Int
    let height: Int
    /// Tiles a row.
    let across: Int
    /// Rows of tiles.
    let down: Int
    /// The brightness of each tile in whole codes, row by row. Of chroma: of the brightness plane there.
    let brightness: UnsafeMutableBufferPointer<UInt8>
    /// 4096 times the variance of each tile's samples.
    let spread: UnsafeMutableBufferPointer<UInt32>
    private let sums: UnsafeMutableBufferPointer<UInt16>
    private let kernels: UnsafePointer<fusion_kernels>

    init(width: Int, height: Int, kernels: UnsafePointer<fusion_kernels>) {
        (self.width, self.height, self.kernels) = (width, height, kernels)
        across = (width + Self.tile - 1) / Self.tile
        down = (height + Self.tile - 1) / Self.tile
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

    /// Looks at a plane.
    func measure(_ plane: SamplePlane) {
        let whole = width / Self.tile
        for row in 0..<down {
            let samples = plane.row(min(row * Self.tile, height - Self.tile)),
                spread = spread.baseAddress! + row * across
            kernels.pointee.tile_moments(samples, plane.stride, whole, sums.baseAddress!, spread)
            if whole < across {
                kernels.pointee.tile_moments(
                    samples + width - Self.tile, plane.stride, 1, sums.baseAddress! + whole, spread + whole)
            }
            for tile in 0..<across {
                let sum = UInt32(sums[tile])
                spread[tile] = 64 &* spread[tile] &- sum &* sum
                brightness[row * across + tile] = UInt8(truncatingIfNeeded: sum >> 6)
            }
        }
    }

    /// Takes the brightness from the plane that has it, of which each tile here covers `tilesAcross` by `tilesDown`.
    func takeBrightness(of luma: TileMeans, tilesAcross: Int, tilesDown: Int) {
        for row in 0..<down {
            let lumaRow = min(row * tilesDown, luma.down - 1),
                nextRow = min(row * tilesDown + tilesDown - 1, luma.down - 1)
            for tile in 0..<across {
                let place = min(tile * tilesAcross, luma.across - 1)
                let next = min(tile * tilesAcross + tilesAcross - 1, luma.across - 1)
                let first = UInt16(luma.brightness[lumaRow * luma.across + place])
                let last = UInt16(luma.brightness[nextRow * luma.across + next])
                brightness[row * across + tile] = UInt8(truncatingIfNeeded: (first + last) / 2)
            }
        }
    }
}
