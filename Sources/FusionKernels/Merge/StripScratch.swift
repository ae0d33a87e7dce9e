// SPDX-License-Identifier: MIT
// What a strip of a plane is merged in.

/// Rows of a strip: of another frame's latest differences, of their squares, and of what all frames add up to.
final class StripScratch: @unchecked Sendable {
    /// Samples from row to row.
    let stride: Int
    /// A row of nothing.
    let zeros: UnsafeMutablePointer<UInt16>
    /// Sums of five rows of squares, with two more samples on either side.
    let columns: UnsafeMutablePointer<UInt16>
    /// What cells' differences are multiplied with, and their shares, by samples.
    let scales: UnsafeMutablePointer<Int16>
    let shares: UnsafeMutablePointer<UInt16>
    /// Sums of weighted differences, and of weights.
    let total: UnsafeMutablePointer<Int16>
    let weights: UnsafeMutablePointer<UInt16>
    /// Rows of differences kept: two rows of cells, whose rows lie side by side.
    private static let differenceRows = 16
    /// Rows of squares kept: five that are summed, and the one that comes.
    private static let squareRows = 6
    private let differences: UnsafeMutablePointer<Int16>
    private let squares: UnsafeMutablePointer<UInt16>
    private let words: Scratch<UInt16>
    private let numbers: Scratch<Int16>

    init(width: Int) {
        stride = (width + 8 + 31) & ~31
        let rows = Merger.stripRows
        words = Scratch(stride * (rows + Self.squareRows + 4), filledWith: 0)
        numbers = Scratch(stride * (rows + Self.differenceRows + 1), filledWith: 0)
        squares = words.base
        weights = squares + Self.squareRows * stride
        zeros = weights + rows * stride
        shares = zeros + stride
        columns = shares + stride + 16
        differences = numbers.base
        total = differences + Self.differenceRows * stride
        scales = total + rows * stride
    }

    /// What another frame's samples of a row, from -2 on, differ by, in Q5; kept for a while only.
    func differences(_ y: Int) -> UnsafeMutablePointer<Int16> {
        differences + (y + Self.differenceRows) % Self.differenceRows * stride
    }

    /// The squares of the differences of a row; kept for a while only.
    func squares(_ y: Int) -> UnsafeMutablePointer<UInt16> {
        squares + (y + Self.squareRows) % Self.squareRows * stride
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
