// SPDX-License-Identifier: MIT
// A plane into which frames were merged.

/// A merged plane, and how much the other frames contributed to it.
final class MergedPlane: @unchecked Sendable {
    let width: Int
    let height: Int
    /// Samples from row to row.
    let stride: Int
    /// Q6: codes times 64.
    let samples: Scratch<Int16>
    /// For each cell of 8x8 samples, the sum of the other frames' weights over its pairs of samples. Full weight is
    /// `Merger.fullWeight`.
    let evidence: Scratch<UInt32>
    /// Cells per row.
    let across: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        stride = (width + 31) & ~31
        across = (width + 7) / 8
        samples = Scratch(stride * height, filledWith: 0)
        evidence = Scratch(across * ((height + 7) / 8), filledWith: 0)
    }

    /// The code in place of the reference's samples where those have fractions: as far from both ends as can be, so
    /// that differences from the reference are not cut off.
    static let midGrey: UInt8 = 128

    /// Replaces mid-grey, to which differences from the reference were added, by the reference's own samples.
    func replaceMidGrey(_ own: FinePlane, _ rows: Range<Int>, _ columns: Range<Int>) {
        let middle = Int32(Self.midGrey) << 6
        for y in rows {
            let (row, own) = (row(y), own.row(y))
            for x in columns {
                let sum = Int32(row[x]) &- middle &+ Int32(own[x])
                row[x] = Int16(truncatingIfNeeded: min(max(sum, -1024), 32767))
            }
        }
    }

    func row(_ y: Int) -> UnsafeMutablePointer<Int16> { samples.base + y * stride }
}
