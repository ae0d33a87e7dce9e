// SPDX-License-Identifier: MIT
// How steep a picture is at each place, on which the strength of a camera's noise depends.

/// The slopes in each block of 4x4 pixels, as places on the scale of `NoiseModel.slopeFactors` in fine steps. The owner
/// measures them before others read.
final class SlopeMap: @unchecked Sendable {
    /// Pixels on a side of a block.
    static let block = 4
    /// Steps from one factor of a model to the next, and the number of places.
    static let steps = 32
    static let placeCount = (NoiseModel.slopeSteps - 1) * steps + 1
    let across: Int
    let down: Int
    private let places: Scratch<UInt8>

    init(width: Int, height: Int) {
        across = (width + Self.block - 1) / Self.block
        down = (height + Self.block - 1) / Self.block
        places = Scratch(across * down, filledWith: 0)
    }

    /// Writes the factor of each place, on straight lines between those of `NoiseModel.slopeSteps`.
    static func write(_ factors: [Float], to table: UnsafeMutablePointer<Float>) {
        for place in 0..<placeCount {
            let step = min(place / steps, NoiseModel.slopeSteps - 2)
            let share = Float(place - step * steps) / Float(steps)
            table[place] = factors[step] + share * (factors[step + 1] - factors[step])
        }
    }

    /// Measures the slopes of a picture at half its size.
    func measure(_ half: LevelView) {
        for y in 0..<down { measure(half, row: y) }
    }

    /// Whether `most` looks at a row of blocks for any of the rows of cells of a plane that count.
    func isLookedAt(_ row: Int, _ step: (x: Int, y: Int), fromCells counts: (Int) -> Bool) -> Bool {
        let cells = 2 * step.y, first = (row - 1) / cells, last = (row + 1) / cells
        return (max(0, first)...last).contains { counts($0) && blockRows($0, step).contains(row) }
    }

    /// Measures a row of blocks. Several threads may measure different ones.
    func measure(_ half: LevelView, row: Int) {
        let out = places.base + row * across
        for x in 0..<across { out[x] = UInt8(truncatingIfNeeded: Self.place(half, x, row)) }
    }

    /// The rows of blocks in and around a row of cells.
    @inline(__always) private func blockRows(_ row: Int, _ step: (x: Int, y: Int)) -> Range<Int> {
        max(0, 2 * row * step.y - 1)..<min(2 * (row + 1) * step.y + 1, down)
    }

    /// The place of a block: of 2x2 samples of a picture at half its size.
    @inline(__always) private static func place(_ half: LevelView, _ x: Int, _ y: Int) -> Int {
        let stride = half.stride
        // The squared differences between the neighbours of each sample, four pixels apart, in Q8.
        var sum: Int32 = 0
        for row in 0..<2 {
            let at = half.row(2 * y + row) + 2 * x
            for column in 0..<2 {
                let across = Int32(at[column + 1]) &- Int32(at[column - 1])
                let down = Int32(at[column + stride]) &- Int32(at[column - stride])
                sum = sum &+ across &* across &+ down &* down
            }
        }
        // The mean square relative to half a code per pixel, and its logarithm with base 4, with straight lines between
        // powers of two.
        let square = Float(sum) / (4 * 256 * 16) * 4
        guard square > 1 else { return 0 }
        let place = (Float(square.exponent) + square.significand - 1) / 2 * Float(steps)
        return min(Int(place + 0.5), placeCount - 1)
    }

    /// The steepest place of the pixels that 4x4 samples of a plane cover, the first of which is at (`x`, `y`).
    static func most(_ half: LevelView, x: Int, y: Int, step: (x: Int, y: Int)) -> Int {
        var most = 0
        for row in y / block..<y / block + step.y {
            for column in x / block..<x / block + step.x where 2 * column + 1 < half.width && 2 * row + 1 < half.height
            {
                most = max(most, place(half, column, row))
            }
        }
        return most
    }

    /// The steepest place in and around a cell of 8x8 samples of a plane, as far as the merge's boxes reach. A sample
    /// covers `step` pixels.
    @inline(__always) func most(_ x: Int, _ y: Int, _ step: (x: Int, y: Int)) -> Int {
        var most: UInt8 = 0
        for v in blockRows(y, step) {
            for u in max(0, 2 * x * step.x - 1)..<min(2 * (x + 1) * step.x + 1, across) {
                most = max(most, places.base[v * across + u])
            }
        }
        return Int(most)
    }

    /// The mean of a table by place over a cell of 8x8 samples of a plane.
    @inline(__always) func mean(
        of table: UnsafePointer<Float>, _ x: Int, _ y: Int, _ step: (x: Int, y: Int)
    ) -> Float {
        var (sum, count): (Float, Float) = (0, 0)
        for v in 2 * y * step.y..<min(2 * (y + 1) * step.y, down) {
            for u in 2 * x * step.x..<min(2 * (x + 1) * step.x, across) {
                sum += table[Int(places.base[v * across + u])]
                count += 1
            }
        }
        return sum / max(1, count)
    }
}
