// SPDX-License-Identifier: MIT
// The size of a call of a kernel.

/// The size and variant of one call.
package struct Shape: Sendable, CustomStringConvertible {
    /// Samples per row.
    package var width: Int
    /// Rows.
    package var height: Int
    /// Samples from row to row.
    package var stride: Int
    /// Anything else that a kernel distinguishes, such as a byte order or a shift; its case defines it.
    package var variant: Int

    /// Creates a shape. Rows follow each other without a gap unless `stride` is given.
    init(width: Int, height: Int = 1, stride: Int? = nil, variant: Int = 0) {
        self.width = width
        self.height = height
        self.stride = stride ?? width
        self.variant = variant
    }

    package var description: String { "width \(width), height \(height), stride \(stride), variant \(variant)" }

    /// The size, in bytes, of the widest vectors that kernels are written in: two registers of the highest level.
    static let widest = 64

    /// Widths around the register sizes of every level for every sample size, and one for unrolled loops.
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
