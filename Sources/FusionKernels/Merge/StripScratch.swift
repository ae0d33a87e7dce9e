// SPDX-License-Identifier: MIT
// What a strip of a plane is merged in.

/// The latest rows of the other frames' differences, and of sums of their squares.
///
/// A thread's own. It goes down a strip a row of cells at a time, and along that in blocks, each of all frames: what belongs
/// to a block stays in the nearest cache.
final class StripScratch: @unchecked Sendable {
    /// Cells of a block.
    static let blockCells = 16
    /// Samples from row to row, and from frame to frame. Of sums, which pairs of samples have, it is half as much.
    let stride: Int
    let apart: Int
    /// Each frame's shares of a block's cells.
    let shares: Scratch<UInt16>
    /// Rows of differences kept: two rows of cells, whose rows lie side by side.
    private static let differenceRows = 16
    private let differences: Scratch<Int16>
    /// For each frame a row of cells' sums, and the last four rows of squares.
    private let numbers: Scratch<UInt16>
    private static let sumRows = MotionField.cell
    /// A row of cells of the reference, in Q5.
    let reference: Scratch<Int16>
    /// Numbers before the first sum of a row, which the pair before it has one of.
    private static let before = 16

    init(width: Int) {
        stride = (width + 8 + 2 * Self.before + 63) & ~63
        apart = Self.differenceRows * stride
        shares = Scratch(Merger.mostOthers * Self.blockCells, filledWith: 0)
        reference = Scratch(MotionField.cell * stride, filledWith: 0)
        differences = Scratch(apart * Merger.mostOthers, filledWith: 0)
        numbers = Scratch(apart / 2 * Merger.mostOthers, filledWith: 0)
    }

    /// What another frame's samples of a row, from -2 on, differ by, in Q5; kept for a while only.
    func differences(_ other: Int, _ y: Int) -> UnsafeMutablePointer<Int16> {
        differences.base + other * apart + (y + Self.differenceRows) % Self.differenceRows * stride
    }

    /// Another frame's sums, from a row on, by pairs of samples; one more lies on either side.
    func sums(_ other: Int, row: Int) -> UnsafeMutablePointer<UInt16> {
        numbers.base + other * apart / 2 + row * stride / 2 + Self.before
    }

    /// Makes a pair's sum another's, too.
    func repeatSum(_ other: Int, row: Int, from pair: Int, to beside: Int) {
        let sums = sums(other, row: row)
        sums[beside] = sums[pair]
    }

    /// The squares of the four rows before, by pairs of samples.
    func squares(_ other: Int) -> UnsafeMutablePointer<UInt16> {
        numbers.base + other * apart / 2 + Self.sumRows * stride / 2
    }

    /// Forgets the rows before.
    func clearSquares(_ others: Int) {
        for other in 0..<others { squares(other).update(repeating: 0, count: 4 * stride / 2) }
    }
}
