// SPDX-License-Identifier: MIT
// A plane of floats with a mirrored margin, to work in.

/// Samples in codes. The memory is that of the largest plane it has to hold; it takes the shape of one after the other.
final class FloatPlane: @unchecked Sendable {
    /// Samples beyond the left and the right edge.
    static let margin = 48
    /// Rows beyond the upper and the lower edge.
    static let marginRows = 16
    private(set) var width = 0
    private(set) var height = 0
    /// Samples from row to row.
    private(set) var stride = 0
    private let memory: UnsafeMutableBufferPointer<Float>

    /// A plane of up to so many samples.
    init(width: Int, height: Int) {
        memory = .allocate(capacity: Self.stride(width) * (height + 2 * Self.marginRows))
        memory.initialize(repeating: 0)
        shape(width: width, height: height)
    }

    deinit { memory.deallocate() }

    private static func stride(_ width: Int) -> Int { (width + 2 * margin + 15) & ~15 }

    /// Makes it a plane of this size, no larger than the one it was made for. What it holds is chance then.
    func shape(width: Int, height: Int) {
        precondition(
            Self.stride(width) * (height + 2 * Self.marginRows) <= memory.count, "a larger plane than expected")
        (self.width, self.height, stride) = (width, height, Self.stride(width))
    }

    /// The row, which may be one of the margin.
    func row(_ y: Int) -> UnsafeMutablePointer<Float> {
        memory.baseAddress! + (y + Self.marginRows) * stride + Self.margin
    }

    /// Sets rows to 0 with their margins: those of the plane, and those beyond an edge with the row at that edge.
    func clear(_ rows: Range<Int>) {
        let first = rows.lowerBound == 0 ? -Self.marginRows : rows.lowerBound
        let last = rows.upperBound == height ? height + Self.marginRows : rows.upperBound
        (row(first) - Self.margin).update(repeating: 0, count: (last - first) * stride)
    }

    /// Mirrors a row into its margins.
    func mirror(row y: Int) {
        let row = row(y)
        for place in 1...Self.margin {
            row[-place] = row[Self.mirrored(-place, width)]
            row[width - 1 + place] = row[Self.mirrored(width - 1 + place, width)]
        }
    }

    /// Mirrors the plane into the rows beyond its edges.
    func mirrorRows() {
        for y in 1...Self.marginRows {
            for (from, to) in [(-y, -y), (height - 1 + y, height - 1 + y)] {
                (row(to) - Self.margin).update(
                    from: row(Self.mirrored(from, height)) - Self.margin, count: stride)
            }
        }
    }

    /// The place of `count` that one outside is the mirror image of; those at the edges are not repeated.
    private static func mirrored(_ place: Int, _ count: Int) -> Int {
        let period = 2 * (count - 1)
        let within = ((place % period) + period) % period
        return min(within, period - within)
    }
}
