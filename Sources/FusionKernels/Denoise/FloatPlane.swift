// SPDX-License-Identifier: MIT
// A plane of floats with a mirrored margin, for intermediate results.

/// A plane of samples in codes. Its memory suits the largest plane it must hold; it takes the size of one plane after
/// another.
final class FloatPlane: @unchecked Sendable {
    /// Samples beyond the left and the right edge.
    static let margin = 72
    /// Rows beyond the upper and the lower edge.
    static let marginRows = 16
    private(set) var width = 0
    private(set) var height = 0
    /// Samples from row to row.
    private(set) var stride = 0
    private let memory: UnsafeMutableBufferPointer<Float>

    /// Creates a plane of `width` by `height` samples, the largest size it can take.
    init(width: Int, height: Int) {
        memory = .allocate(capacity: Self.stride(width) * (height + 2 * Self.marginRows))
        memory.initialize(repeating: 0)
        shape(width: width, height: height)
    }

    deinit { memory.deallocate() }

    private static func stride(_ width: Int) -> Int { (width + 2 * margin + 15) & ~15 }

    /// Changes the size, to at most the initial one. The contents become undefined.
    func shape(width: Int, height: Int) {
        precondition(
            Self.stride(width) * (height + 2 * Self.marginRows) <= memory.count, "a larger plane than expected")
        (self.width, self.height, stride) = (width, height, Self.stride(width))
    }

    /// A row of the plane or of its upper or lower margin.
    func row(_ y: Int) -> UnsafeMutablePointer<Float> {
        memory.baseAddress! + (y + Self.marginRows) * stride + Self.margin
    }

    /// Sets rows to 0, with their side margins; the first and the last row of the plane include the margin above or
    /// below it.
    func clear(_ rows: Range<Int>) {
        let first = rows.lowerBound == 0 ? -Self.marginRows : rows.lowerBound
        let last = rows.upperBound == height ? height + Self.marginRows : rows.upperBound
        (row(first) - Self.margin).update(repeating: 0, count: (last - first) * stride)
    }

    /// Mirrors a row into its side margins.
    func mirror(row y: Int) {
        let row = row(y)
        for place in 1...Self.margin {
            row[-place] = row[Self.mirrored(-place, width)]
            row[width - 1 + place] = row[Self.mirrored(width - 1 + place, width)]
        }
    }

    /// Mirrors rows of the plane into the margins above and below.
    func mirrorRows() {
        for y in 1...Self.marginRows {
            for (from, to) in [(-y, -y), (height - 1 + y, height - 1 + y)] {
                (row(to) - Self.margin).update(
                    from: row(Self.mirrored(from, height)) - Self.margin, count: stride)
            }
        }
    }

    /// The index, in 0..<`count`, of the mirror image of a position outside. Edge samples are not repeated.
    private static func mirrored(_ place: Int, _ count: Int) -> Int {
        let period = 2 * (count - 1)
        let within = ((place % period) + period) % period
        return min(within, period - within)
    }
}
