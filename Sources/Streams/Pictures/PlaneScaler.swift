// SPDX-License-Identifier: MIT
// Draws a part of a plane into another: smaller or larger, mirrored and turned.

import LivecapFrames

/// A plane of 8-bit samples to read.
struct PlaneSource {
    var start: UnsafePointer<UInt8>
    /// Bytes from one row to the next.
    var stride: Int
}

/// Where the samples of a plane go. The steps may be negative, and those along a row longer than those between rows: so
/// that pictures are mirrored and turned.
struct PlaneTarget {
    /// Where the first sample of the first row goes.
    var start: UnsafeMutablePointer<UInt8>
    /// Bytes to the next sample of a row.
    var along: Int
    /// Bytes to the next row.
    var down: Int
}

/// Draws planes of one size into planes of another. Used by one thread.
final class PlaneScaler {
    private let across: TapLine
    private let down: TapLine
    /// The columns of the source that are read.
    private let columns: Range<Int>
    /// A row of the source's columns, scaled in height, with eight more bits.
    private let row: UnsafeMutablePointer<UInt16>

    /// Draws `part` of planes of `columns` by `rows` samples into `size` samples.
    init(_ part: PixelRect, of columns: Int, _ rows: Int, to size: FrameSize) {
        across = TapLine(size.width, of: columns, from: part.x, length: part.width)
        down = TapLine(size.height, of: rows, from: part.y, length: part.height)
        self.columns = (across.firsts.min() ?? 0)..<((across.firsts.max() ?? 0) + across.taps)
        row = .allocate(capacity: self.columns.count)
        row.initialize(repeating: 0, count: self.columns.count)
    }

    deinit { row.deallocate() }

    /// Draws a plane. With `levels`, 256 of them, each sample is replaced by its level.
    func draw(_ source: PlaneSource, to target: PlaneTarget, levels: UnsafePointer<UInt8>?) {
        let isCopy = across.isPlain && down.isPlain && levels == nil && target.along == 1
        across.firsts.withUnsafeBufferPointer { firsts in
            across.weights.withUnsafeBufferPointer { weights in
                down.weights.withUnsafeBufferPointer { heights in
                    for (y, first) in down.firsts.enumerated() {
                        let from = source.start + first * source.stride + columns.lowerBound
                        let to = target.start + y * target.down
                        if isCopy, columns.count == firsts.count {
                            to.update(from: from, count: firsts.count)
                            continue
                        }
                        blend(from, source.stride, heights.baseAddress! + y * down.taps)
                        spread(
                            firsts.baseAddress!, weights: weights.baseAddress!, count: firsts.count, to: to,
                            along: target.along, levels: levels)
                    }
                }
            }
        }
    }

    /// Fills `row` with the weighted sum of rows.
    private func blend(_ first: UnsafePointer<UInt8>, _ stride: Int, _ weights: UnsafePointer<UInt16>) {
        let (row, count) = (row, columns.count)
        if down.taps == 2 {
            let (above, below, second) = (weights[0], weights[1], first + stride)
            for x in 0..<count { row[x] = UInt16(first[x]) &* above &+ UInt16(second[x]) &* below }
            return
        }
        let weight = weights[0]
        for x in 0..<count { row[x] = UInt16(first[x]) &* weight }
        for tap in 1..<max(1, down.taps) {
            let (next, weight) = (first + tap * stride, weights[tap])
            for x in 0..<count { row[x] = row[x] &+ UInt16(next[x]) &* weight }
        }
    }

    /// Writes the weighted sums of the samples in `row`.
    private func spread(
        _ firsts: UnsafePointer<Int>, weights: UnsafePointer<UInt16>, count: Int, to: UnsafeMutablePointer<UInt8>,
        along: Int, levels: UnsafePointer<UInt8>?
    ) {
        let (row, taps) = (row - columns.lowerBound, across.taps)
        switch taps {
        case 1:
            for x in 0..<count { to[x * along] = Self.level(UInt32(row[firsts[x]]) &* 256, levels) }
        case 2:
            for x in 0..<count {
                let (place, weight) = (firsts[x], weights + 2 * x)
                let sum = UInt32(row[place]) &* UInt32(weight[0]) &+ UInt32(row[place &+ 1]) &* UInt32(weight[1])
                to[x * along] = Self.level(sum, levels)
            }
        default:
            for x in 0..<count {
                let (place, weight) = (firsts[x], weights + taps * x)
                var sum: UInt32 = 0
                for tap in 0..<taps { sum = sum &+ UInt32(row[place &+ tap]) &* UInt32(weight[tap]) }
                to[x * along] = Self.level(sum, levels)
            }
        }
    }

    @inline(__always)
    private static func level(_ sum: UInt32, _ levels: UnsafePointer<UInt8>?) -> UInt8 {
        let level = UInt8(truncatingIfNeeded: (sum &+ 1 << 15) >> 16)
        return levels.map { $0[Int(level)] } ?? level
    }
}
