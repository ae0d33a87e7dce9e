// SPDX-License-Identifier: MIT
// A coarse map of how bright a picture is.

import LivecapFrames

/// How a picture is divided into square cells. Pixels left over at its right and lower edge belong to none.
package struct GridShape: Hashable, Sendable {
    /// Pixels on a side of a cell: a multiple of 8, so that JPEG frames are decoded at an eighth of their size.
    package let side: Int
    /// Cells in a row.
    package let columns: Int
    /// Rows of cells.
    package let rows: Int

    /// The most cells along the longer side.
    package static let longest = 80

    /// The cells of pictures of a size; nil if there would be none.
    package init?(_ size: FrameSize) {
        let unit = 8 * Self.longest
        side = 8 * max(1, (max(size.width, size.height) + unit - 1) / unit)
        columns = size.width / side
        rows = size.height / side
        guard columns > 0, rows > 0 else { return nil }
    }

    /// The number of cells.
    package var count: Int { columns * rows }

    /// The cells whose middle lies in a part of the picture, row after row.
    package func cells(in area: PictureBox?) -> [Bool] {
        guard let area else { return [Bool](repeating: true, count: count) }
        return (0..<count).map { cell in
            let x = (Float(cell % columns) + 0.5) / Float(columns) - area.origin.x
            let y = (Float(cell / columns) + 0.5) / Float(rows) - area.origin.y
            return x >= 0 && x < area.width && y >= 0 && y < area.height
        }
    }

    /// The part of the picture that a rectangle of cells covers.
    package func box(_ cells: CellBox) -> PictureBox {
        let (width, height) = (Float(columns), Float(rows))
        return PictureBox(
            origin: PicturePoint(x: Float(cells.left) / width, y: Float(cells.top) / height),
            width: Float(cells.right - cells.left + 1) / width, height: Float(cells.bottom - cells.top + 1) / height)
    }
}

/// A rectangle of cells, with its last column and row.
package struct CellBox: Hashable, Sendable {
    /// The first column.
    package var left: Int
    /// The first row.
    package var top: Int
    /// The last column.
    package var right: Int
    /// The last row.
    package var bottom: Int

    /// The smallest rectangle around both.
    package func union(_ other: CellBox) -> CellBox {
        CellBox(
            left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
            bottom: max(bottom, other.bottom))
    }
}
