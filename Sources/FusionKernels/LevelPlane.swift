// SPDX-License-Identifier: MIT
// Brightness at a fraction of the full size, used to find motion.

import LivecapCFusionKernels
import LivecapFrames

/// One level of a frame's pyramid: brightness in Q4 (codes times 16), with a margin that repeats the edge samples.
final class LevelPlane: @unchecked Sendable {
    static let margin = 16
    let width: Int
    let height: Int
    /// Samples from row to row.
    let stride: Int
    /// The first sample of the first row, inside the margins.
    let base: UnsafeMutablePointer<UInt16>
    private let memory: PlaneMemory

    /// Places a level in the next piece of `memory`.
    init(_ size: FrameSize, in memory: PlaneMemory) {
        width = size.width
        height = size.height
        stride = Self.stride(size)
        self.memory = memory
        let bytes = Self.bytes(size), samples = memory.take(bytes).bindMemory(to: UInt16.self, capacity: bytes / 2)
        base = samples + Self.margin * stride + Self.margin
    }

    /// Bytes that a level needs. Kernels may read up to 32 samples past the last margin.
    static func bytes(_ size: FrameSize) -> Int { 2 * (stride(size) * (size.height + 2 * margin) + 32) }

    private static func stride(_ size: FrameSize) -> Int { (size.width + 2 * margin + 31) & ~31 }

    func row(_ y: Int) -> UnsafeMutablePointer<UInt16> { base + y * stride }

    /// Repeats the edge samples throughout the margins.
    func fillMargins() { base.repeatEdges(width: width, height: height, stride: stride, margin: Self.margin) }

    /// Whole tiles of 8x8 samples per row.
    var tilesAcross: Int { width / 8 }
    /// Whole rows of tiles of 8x8 samples.
    var tilesDown: Int { height / 8 }

    /// The value, in codes, at a position between samples, by bilinear interpolation.
    func value(_ x: Float, _ y: Float) -> Float {
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        let (fx, fy) = (x - Float(left), y - Float(top))
        let (a, b) = (row(top) + left, row(top + 1) + left)
        let upper = Float(a[0]) + (Float(a[1]) - Float(a[0])) * fx
        let lower = Float(b[0]) + (Float(b[1]) - Float(b[0])) * fx
        return (upper + (lower - upper) * fy) / 16
    }

    /// The value of a sample in codes. Beyond the right or lower edge it is that of the last sample.
    func code(_ x: Int, _ y: Int) -> Float { Float(row(min(y, height - 1))[min(x, width - 1)]) / 16 }

    /// Pointers and sizes of the plane, for loops that cannot afford reference counting. Valid as long as the plane
    /// exists.
    var view: LevelView { LevelView(base: base, stride: stride, width: width, height: height) }

    /// The whole-sample shift, at most `reach` in each direction, at which two small pictures match best (least mean
    /// absolute difference). Their means are subtracted first, as brightness may have changed.
    func bestShift(
        to other: LevelPlane, reach: Int, _ kernels: UnsafePointer<fusion_kernels>
    ) -> (x: Int, y: Int) {
        let lift = mean - other.mean
        var best = (score: Float.infinity, x: 0, y: 0), still = Float(0)
        let (reachX, reachY) = (min(reach, width / 2), min(reach, height / 2))
        for dy in -reachY...reachY {
            for dx in -reachX...reachX {
                let columns = max(0, -dx)..<min(width, width - dx), rows = max(0, -dy)..<min(height, height - dy)
                var sum: UInt32 = 0
                for y in rows {
                    let (a, b) = (row(y) + columns.lowerBound, other.row(y + dy) + dx + columns.lowerBound)
                    sum += kernels.pointee.motion.row_distance(a, b, columns.count, lift)
                }
                let score = Float(sum) / Float(columns.count * rows.count)
                if dx == 0 && dy == 0 { still = score }
                if score < best.score { best = (score, dx, dy) }
            }
        }
        // Flat pictures match at any shift. They stay at 0 unless another shift is clearly better: by a fifth, and by
        // half a code (8 in Q4) on top.
        return best.score < 0.8 * still - 8 ? (best.x, best.y) : (0, 0)
    }

    private var mean: Int32 {
        var sum: Int64 = 0
        for y in 0..<height { for x in 0..<width { sum &+= Int64(row(y)[x]) } }
        return Int32(sum / Int64(width * height))
    }
}

/// Pointers and sizes of a level's plane.
struct LevelView {
    let base: UnsafeMutablePointer<UInt16>
    let stride: Int
    let width: Int
    let height: Int

    func row(_ y: Int) -> UnsafeMutablePointer<UInt16> { base + y * stride }

    /// The value of a sample in codes. Beyond the right or lower edge it is that of the last sample.
    @inline(__always)
    func code(_ x: Int, _ y: Int) -> Float { Float(base[min(y, height - 1) * stride + min(x, width - 1)]) / 16 }

    /// Writes the position of the tile at (x, y) after a motion of (dx, dy): its whole-sample offset, then the
    /// remaining sixteenths of a sample across and down. If most of the tile would leave the picture, it writes the
    /// nearest position within the margins and returns false.
    func place(x: Int, y: Int, dx: Float, dy: Float, out: UnsafeMutablePointer<Int32>) -> Bool {
        let isSane = abs(dx) < 8192 && abs(dy) < 8192
        let across = 16 * x + (isSane ? (dx * 16).nearest : 0)
        let down = 16 * y + (isSane ? (dy * 16).nearest : 0)
        let (left, top) = (across >> 4, down >> 4)
        out[0] = Int32(min(max(top, -8), height - 2) * stride + min(max(left, -8), width - 2))
        out[1] = Int32(across & 15)
        out[2] = Int32(down & 15)
        return isSane && left >= -2 && top >= -2 && left <= width - 6 && top <= height - 6
    }
}

extension Float {
    /// The nearest integer, halves away from zero. `rounded()` would be a function call on processors without a
    /// rounding instruction.
    @inline(__always) var nearest: Int { Int(self + (self < 0 ? -0.5 : 0.5)) }
}

extension UnsafeMutablePointer {
    /// Repeats a plane's edge samples throughout the margin around it.
    func repeatEdges(width: Int, height: Int, stride: Int, margin: Int) {
        for y in 0..<height { (self + y * stride).repeatEnds(width: width, margin: margin) }
        repeatRows(width: width, height: height, stride: stride, margin: margin)
    }

    /// Repeats a row's first and last sample in the margins on its left and right.
    func repeatEnds(width: Int, margin: Int) {
        (self - margin).update(repeating: self[0], count: margin)
        (self + width).update(repeating: self[width - 1], count: margin)
    }

    /// Repeats the first and the last row of a plane, left and right margins included, above and below it.
    func repeatRows(width: Int, height: Int, stride: Int, margin: Int) {
        let (first, last) = (self - margin, self + (height - 1) * stride - margin)
        for y in 1...margin {
            (first - y * stride).update(from: first, count: width + 2 * margin)
            (last + y * stride).update(from: last, count: width + 2 * margin)
        }
    }
}

extension UnsafeMutablePointer where Pointee == Float {
    /// The median of `count` numbers. Reorders them.
    func median(of count: Int) -> Float { smallest(count / 2, of: count) }

    /// The number that has `rank` smaller ones among `count` numbers (quickselect). Reorders them.
    func smallest(_ rank: Int, of count: Int) -> Float {
        var (low, high) = (0, count - 1)
        while low < high {
            let pivot = self[(low + high) / 2]
            var (i, j) = (low, high)
            while i <= j {
                while self[i] < pivot { i += 1 }
                while self[j] > pivot { j -= 1 }
                if i <= j {
                    (self[i], self[j]) = (self[j], self[i])
                    i += 1
                    j -= 1
                }
            }
            if rank <= j { high = j } else if rank >= i { low = i } else { break }
        }
        return self[rank]
    }
}
