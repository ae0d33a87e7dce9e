// SPDX-License-Identifier: MIT
// Working memory for merging a strip of a plane.

/// The latest rows of the other frames' differences, and of the sums of their squares.
///
/// Each thread has its own. It moves down a strip one row of cells at a time, and along that in blocks, each of all
/// frames, so that a block's data stays in the first-level cache.
final class StripScratch: @unchecked Sendable {
    /// Cells per block.
    static let blockCells = 16
    /// Samples from row to row, and from frame to frame. For sums, which belong to pairs of samples, it is half as
    /// much.
    let stride: Int
    let apart: Int
    /// Each frame's shares of a block's cells.
    let shares: Scratch<UInt16>
    /// Rows of differences kept: two rows of cells.
    private static let differenceRows = 16
    private let differences: Scratch<Int16>
    /// For each frame, the sums of a row of cells, and the last four rows of squares.
    private let numbers: Scratch<UInt16>
    private static let sumRows = MotionField.cell
    /// A row of cells of the reference, in Q5 (codes times 32).
    let reference: Scratch<Int16>
    /// A row of a block of mid-grey samples.
    let midGrey: Scratch<UInt8>
    /// Elements before the first sum of a row; the last of them holds the sum of the pair before it.
    private static let before = 16

    init(width: Int) {
        stride = (width + 8 + 2 * Self.before + 63) & ~63
        apart = Self.differenceRows * stride
        shares = Scratch(Merger.maxOthers * Self.blockCells, filledWith: 0)
        reference = Scratch(MotionField.cell * stride, filledWith: 0)
        midGrey = Scratch(MotionField.cell * Self.blockCells, filledWith: MergedPlane.midGrey)
        differences = Scratch(apart * Merger.maxOthers, filledWith: 0)
        numbers = Scratch(apart / 2 * Merger.maxOthers, filledWith: 0)
    }

    /// Another frame's differences in a row, from -2 on, in Q5. They are overwritten `differenceRows` rows later.
    func differences(_ other: Int, _ y: Int) -> UnsafeMutablePointer<Int16> {
        differences.base + other * apart + (y + Self.differenceRows) % Self.differenceRows * stride
    }

    /// Another frame's sums for pairs of samples, starting at a row. One more sum lies on either side.
    func sums(_ other: Int, row: Int) -> UnsafeMutablePointer<UInt16> {
        numbers.base + other * apart / 2 + row * stride / 2 + Self.before
    }

    /// Copies a pair's sum to another pair.
    func repeatSum(_ other: Int, row: Int, from pair: Int, to beside: Int) {
        let sums = sums(other, row: row)
        sums[beside] = sums[pair]
    }

    /// The squares of the previous four rows, for pairs of samples.
    func squares(_ other: Int) -> UnsafeMutablePointer<UInt16> {
        numbers.base + other * apart / 2 + Self.sumRows * stride / 2
    }

    /// Clears the squares of the previous rows.
    func clearSquares(_ others: Int) {
        for other in 0..<others { squares(other).update(repeating: 0, count: 4 * stride / 2) }
    }
}
