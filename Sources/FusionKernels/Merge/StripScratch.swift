// SPDX-License-Identifier: MIT
// What a strip of a plane is merged in.

/// Rows of a strip: of another frame's latest differences, of their squares, and of what all frames add up to.
final class StripScratch: @unchecked Sendable {
    /// Samples from row to row.
    let stride: Int
    /// The squares of the last four rows, `8 * cells` samples apart.
    let squares: UnsafeMutablePointer<UInt16>
    /// A row of cells' sums of five rows of squares, with two more samples on either side.
    let sums: UnsafeMutablePointer<UInt16>
    /// Sums of weighted differences, and of weights.
    let total: UnsafeMutablePointer<Int16>
    let weights: UnsafeMutablePointer<UInt16>
    /// Rows of differences kept: two rows of cells, whose rows lie side by side.
    private static let differenceRows = 16
    private let differences: UnsafeMutablePointer<Int16>
    private let words: Scratch<UInt16>
    private let numbers: Scratch<Int16>

    init(width: Int) {
        stride = (width + 8 + 31) & ~31
        let rows = Merger.stripRows
        words = Scratch(stride * (rows + Self.squareRows + MotionField.cell + 2), filledWith: 0)
        numbers = Scratch(stride * (rows + Self.differenceRows), filledWith: 0)
        weights = words.base
        squares = weights + rows * stride
        sums = squares + (Self.squareRows + 1) * stride
        differences = numbers.base
        total = differences + Self.differenceRows * stride
    }

    /// Rows of squares kept: with the one that comes, five that are summed.
    private static let squareRows = 4

    /// What another frame's samples of a row, from -2 on, differ by, in Q5; kept for a while only.
    func differences(_ y: Int) -> UnsafeMutablePointer<Int16> {
        differences + (y + Self.differenceRows) % Self.differenceRows * stride
    }

    /// Forgets the rows before.
    func clearSquares() { squares.update(repeating: 0, count: Self.squareRows * stride) }

    /// Repeats the sums at either edge of the plane beside it.
    func repeatSums(_ rows: Int, width: Int) {
        for y in 0..<rows {
            let row = sums + y * stride
            (row[-1], row[-2]) = (row[0], row[0])
            (row[width], row[width + 1]) = (row[width - 1], row[width - 1])
        }
    }

    /// Forgets all frames.
    func clear() {
        total.update(repeating: 0, count: stride * Merger.stripRows)
        weights.update(repeating: 0, count: stride * Merger.stripRows)
    }

    /// One row in so many tells enough of what the others weigh.
    static let rowsToSample = 4

    /// The sum of the weights of those of so many rows.
    func sumOfWeights(_ rows: Int, _ width: Int) -> UInt64 {
        var sum: UInt64 = 0
        for y in Swift.stride(from: 0, to: rows, by: Self.rowsToSample) {
            let row = weights + y * stride
            var part: UInt32 = 0
            for x in 0..<width { part &+= UInt32(row[x]) }
            sum += UInt64(part)
        }
        return sum
    }
}
