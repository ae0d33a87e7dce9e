// SPDX-License-Identifier: MIT
// How large a call of a kernel is.

/// The size of one call, and which of its variants.
package struct Shape: Sendable, CustomStringConvertible {
    /// Samples a row.
    package var width: Int
    /// Rows.
    package var height: Int
    /// Samples from row to row.
    package var stride: Int
    /// Whatever else a kernel distinguishes: an order of bytes, a shift; its case says what.
    package var variant: Int

    /// A shape; rows follow each other without a gap unless `stride` says otherwise.
    init(width: Int, height: Int = 1, stride: Int? = nil, variant: Int = 0) {
        self.width = width
        self.height = height
        self.stride = stride ?? width
        self.variant = variant
    }

    package var description: String { "width \(width), height \(height), stride \(stride), variant \(variant)" }

    /// Bytes in the widest level's registers.
    static let widest = 64

    /// Widths around the registers of every level and every size of sample, and one that fills unrolled loops.
    static let widths = [1, 2, 15, 17, 31, 33, widest - 1, widest, widest + 1, 2 * widest + 3, 641]

    /// Single rows.
    static let rows = widths.map { Shape(width: $0) }

    /// A few rows, with odd strides.
    static let planes = zip(widths, [3, 1, 2, 5, 4, 3, 2, 8, 3, 4, 3]).map { width, height in
        Shape(width: width, height: height, stride: width + (height % 3) * 7)
    }
}

extension [Shape] {
    /// Each shape in each of `count` variants.
    func variants(_ count: Int) -> [Shape] {
        flatMap { shape in
            (0..<count).map { variant in
                var shape = shape
                shape.variant = variant
                return shape
            }
        }
    }
}
