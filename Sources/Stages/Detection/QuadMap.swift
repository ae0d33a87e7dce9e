// SPDX-License-Identifier: MIT
// Maps of a picture at a quarter of its width and height.

import LivecapFrames

/// Rows of quads: four numbers for each cell of 4x4 samples of a picture. Columns and rows left over at its right and
/// lower edge have none of their own.
package final class QuadMap {
    /// Cells in a row.
    package let width: Int
    /// Rows of cells.
    package let height: Int
    private let memory: UnsafeMutablePointer<Float>

    /// Samples on a side of a cell.
    package static let side = 4
    /// Numbers for each cell.
    package static let lanes = 4

    /// A map of zeros for pictures of `size`, of at least one cell.
    package init(_ size: FrameSize) {
        width = size.width / Self.side
        height = size.height / Self.side
        precondition(width > 0 && height > 0, "pictures have at least one cell")
        memory = .allocate(capacity: Self.lanes * width * height)
        memory.initialize(repeating: 0, count: Self.lanes * width * height)
    }

    deinit { memory.deallocate() }

    /// The first number of a row.
    package func row(_ y: Int) -> UnsafeMutablePointer<Float> { memory + Self.lanes * width * y }

    /// The numbers in a row.
    package var rowCount: Int { Self.lanes * width }

    /// The row of cells at or above a row of samples, the one below it, and how far it is between their middles.
    /// `shared`: how many rows of the picture share one of these samples.
    package func rows(at y: Int, shared: Int = 1) -> (upper: Int, lower: Int, fraction: Float) {
        let place = (Float(y) + 0.5) * Float(shared) / Float(Self.side) - 0.5
        let held = min(max(place, 0), Float(height - 1)), upper = Int(held)
        return (upper, min(upper + 1, height - 1), held - Float(upper))
    }
}
