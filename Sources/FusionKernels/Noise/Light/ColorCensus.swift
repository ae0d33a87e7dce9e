// SPDX-License-Identifier: MIT
// The brightnesses that occur in a frame, and their mean colours.

import LivecapFrames

/// Counts how often each brightness occurs in a frame, and finds the mean colour of each range of eight codes. It
/// owns its working memory.
final class ColorCensus: @unchecked Sendable {  // measuring ends before other threads read the result
    /// The number of ranges of eight codes.
    static let ranges = NoiseModel.levels / 8
    /// How many tiles of 8x8 pixels have each brightness, in codes.
    let counts = Scratch<UInt32>(NoiseModel.levels, filledWith: 0)
    /// For each range, the sums of Cb and Cr relative to their middle, in Q4, and the number of places summed.
    private let sums = Scratch<SIMD4<Int32>>(ColorCensus.ranges, filledWith: .zero)
    /// Roughly how many places are sampled for colour: a mean over that many has hardly any noise.
    private static let enough = 1500

    /// Examines a frame.
    func measure(_ frame: FusionFrame) {
        counts.fill(0)
        sums.fill(.zero)
        let level = frame.levels[2].view, counts = counts.base
        for y in 0..<level.height {
            let row = level.row(y)
            for x in 0..<level.width { counts[Int(row[x] >> 4)] += 1 }
        }
        guard frame.tints.count == 2 else { return }
        let (cb, cr, sums) = (frame.tints[0].view, frame.tints[1].view, sums.base)
        for y in stride(from: 0, to: cb.height, by: max(1, cb.width * cb.height / Self.enough)) {
            // A tint covers four tiles; one of them is enough to know its brightness.
            let (row, blue, red) = (level.row(min(2 * y, level.height - 1)), cb.row(y), cr.row(y))
            for x in 0..<cb.width {
                let range = Int(row[min(2 &* x, level.width &- 1)] >> 7)
                sums[range] &+= [Int32(blue[x]) &- 2048, Int32(red[x]) &- 2048, 1, 0]
            }
        }
    }

    /// The mean Cb and Cr of a range, in codes relative to their middle; 0 if nothing is known.
    func tint(_ range: Int) -> (cb: Float, cr: Float) {
        let sum = sums[range]
        guard sum[2] > 0 else { return (0, 0) }
        let scale = 1 / (16 * Float(sum[2]))
        return (Float(sum[0]) * scale, Float(sum[1]) * scale)
    }
}
