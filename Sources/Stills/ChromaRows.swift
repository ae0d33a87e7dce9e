// SPDX-License-Identifier: MIT
// Computes chroma for every pixel of a row from planes with one sample per one, two or four pixels.

import Fusion

/// Interpolates a picture's chroma linearly between samples.
///
/// A chroma sample lies in the middle of the pixels it covers, horizontally and vertically. That is where V4L2's
/// description of its 4:2:2 and 4:2:0 formats puts it ("interstitially sited"), and JFIF too. A pixel is therefore a
/// quarter of the way from its own sample to the next.
struct ChromaRows {
    private let plane: FusedPicture.Plane
    private let grid: ChromaGrid
    /// A row between two of the plane's rows, times 4.
    private let sums: UnsafeMutablePointer<UInt32>

    /// Creates chroma rows for one plane of a picture. `sums` is scratch memory for `plane.width` numbers.
    init(_ plane: FusedPicture.Plane, _ grid: ChromaGrid, sums: UnsafeMutablePointer<UInt32>) {
        self.plane = plane
        self.grid = grid
        self.sums = sums
    }

    /// Writes the chroma of pixel row `y`: one or two values per sample, and so up to one more than there are pixels if
    /// the width is odd.
    func spread(_ y: Int, into row: UnsafeMutablePointer<UInt16>) {
        let samples = plane.samples.baseAddress!, width = plane.width
        if grid == .singles { return row.update(from: samples + y * width, count: width) }
        if grid == .quads {
            let own = y / 2
            let next = min(max(own + (y % 2 == 0 ? -1 : 1), 0), plane.height - 1)
            let (a, b) = (samples + own * width, samples + next * width)
            for x in 0..<width { sums[x] = 3 &* UInt32(a[x]) &+ UInt32(b[x]) }
        } else {
            let a = samples + y * width
            for x in 0..<width { sums[x] = 4 &* UInt32(a[x]) }
        }
        for x in 0..<width {
            let (own, left, right) = (3 &* sums[x] &+ 8, sums[max(x &- 1, 0)], sums[min(x &+ 1, width &- 1)])
            row[2 &* x] = UInt16(truncatingIfNeeded: (own &+ left) &>> 4)
            row[2 &* x &+ 1] = UInt16(truncatingIfNeeded: (own &+ right) &>> 4)
        }
    }
}
