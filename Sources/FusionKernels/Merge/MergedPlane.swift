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
        (self.width, self.height) = (width, height)
        stride = (width + 31) & ~31
        across = (width + 7) / 8
        samples = Scratch(stride * height, filledWith: 0)
        evidence = Scratch(across * ((height + 7) / 8), filledWith: 0)
    }

    func row(_ y: Int) -> UnsafeMutablePointer<Int16> { samples.base + y * stride }
}
