// SPDX-License-Identifier: MIT
// Which brightnesses a frame has, and of what colour they are.

import Frames

/// How often each brightness occurs in a frame, and the mean colour of each eight codes of it. It owns the memory it works
/// in.
final class ColorCensus: @unchecked Sendable {  // whoever measures is done before anybody asks
    /// Ranges of eight codes.
    static let ranges = NoiseModel.levels / 8
    /// Tiles of 8x8 pixels of each brightness in codes.
    let counts = Scratch<UInt32>(NoiseModel.levels, filledWith: 0)
    /// What each range's Cb and Cr are off their middle, in Q4 and summed, and of how many places.
    private let sums = Scratch<SIMD4<Int32>>(ColorCensus.ranges, filledWith: .zero)
    /// Places whose colour is looked at, about: means of so many have hardly any noise.
    private static let enough = 1500

    /// Looks at a frame.
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
            // One of the four tiles that a tint covers tells the brightness as well as all would.
            let (row, blue, red) = (level.row(min(2 * y, level.height - 1)), cb.row(y), cr.row(y))
            for x in 0..<cb.width {
                let range = Int(row[min(2 &* x, level.width &- 1)] >> 7)
                sums[range] &+= [Int32(blue[x]) &- 2048, Int32(red[x]) &- 2048, 1, 0]
            }
        }
    }

    /// The mean Cb and Cr of a range, in codes off their middle; none where nothing is known.
    func tint(_ range: Int) -> (cb: Float, cr: Float) {
        let sum = sums[range]
        guard sum[2] > 0 else { return (0, 0) }
        let scale = 1 / (16 * Float(sum[2]))
        return (Float(sum[0]) * scale, Float(sum[1]) * scale)
    }
}
