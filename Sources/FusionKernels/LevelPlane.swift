// SPDX-License-Identifier: MIT
// Brightness at a fraction of the size: where motion is found.

import CFusionKernels
import Frames

/// A level of a frame's pyramid: brightness in Q4 (codes times 16), with a margin that repeats the edge.
final class LevelPlane: @unchecked Sendable {
    static let margin = 16
    let width: Int
    let height: Int
    /// Samples from row to row.
    let stride: Int
    /// The first sample of the first row, within the margins.
    let base: UnsafeMutablePointer<UInt16>
    private let memory: PlaneMemory

    /// A level in the next piece of `memory`.
    init(_ size: FrameSize, in memory: PlaneMemory) {
        (width, height, stride) = (size.width, size.height, Self.stride(size))
        self.memory = memory
        let bytes = Self.bytes(size), samples = memory.take(bytes).bindMemory(to: UInt16.self, capacity: bytes / 2)
        base = samples + Self.margin * stride + Self.margin
    }

    /// Bytes a level takes: some are read behind the last margin.
    static func bytes(_ size: FrameSize) -> Int { 2 * (stride(size) * (size.height + 2 * margin) + 32) }

    private static func stride(_ size: FrameSize) -> Int { (size.width + 2 * margin + 31) & ~31 }

    func row(_ y: Int) -> UnsafeMutablePointer<UInt16> { base + y * stride }

    /// Repeats the edge samples through the margins.
    func fillMargins() { base.repeatEdges(width: width, height: height, stride: stride, margin: Self.margin) }

    /// Whole tiles of 8x8 samples a row.
    var tilesAcross: Int { width / 8 }
    /// Whole rows of tiles of 8x8 samples.
    var tilesDown: Int { height / 8 }

    /// The value in codes at a place between samples.
    func value(_ x: Float, _ y: Float) -> Float {
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        let (fx, fy) = (x - Float(left), y - Float(top))
        let (a, b) = (row(top) + left, row(top + 1) + left)
        let upper = Float(a[0]) + (Float(a[1]) - Float(a[0])) * fx
        let lower = Float(b[0]) + (Float(b[1]) - Float(b[0])) * fx
        return (upper + (lower - upper) * fy) / 16
    }

    /// The value in codes of the sample, or of the last one where the plane is cut.
    func code(_ x: Int, _ y: Int) -> Float { Float(row(min(y, height - 1))[min(x, width - 1)]) / 16 }

    /// The plane's whereabouts, for loops that cannot afford to count references. Valid while the plane is.
    var view: LevelView { LevelView(base: base, stride: stride, width: width, height: height) }

    /// The whole-sample shift, up to `reach` each way, where two small pictures agree best. Their means are taken off:
    /// brightness may have changed.
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
                    sum += kernels.pointee.row_distance(a, b, columns.count, lift)
                }
                let score = Float(sum) / Float(columns.count * rows.count)
                if dx == 0 && dy == 0 { still = score }
                if score < best.score { best = (score, dx, dy) }
            }
        }
        // Flat pictures fit everywhere: they stay, unless another place fits clearly better, by half a code (Q4) at least.
        return best.score < 0.8 * still - 8 ? (best.x, best.y) : (0, 0)
    }

    private var mean: Int32 {
        var sum: Int64 = 0
        for y in 0..<height { for x in 0..<width { sum &+= Int64(row(y)[x]) } }
        return Int32(sum / Int64(width * height))
    }
}

/// Where a level's samples lie.
struct LevelView {
    let base: UnsafeMutablePointer<UInt16>
    let stride: Int
    let width: Int
    let height: Int

    func row(_ y: Int) -> UnsafeMutablePointer<UInt16> { base + y * stride }

    /// The value in codes of the sample, or of the last one where the plane is cut.
    @inline(__always)
    func code(_ x: Int, _ y: Int) -> Float { Float(base[min(y, height - 1) * stride + min(x, width - 1)]) / 16 }

    /// Writes where the tile at (x, y) lies when it moves by (dx, dy): its offset, and sixteenths across and down. False,
    /// and the nearest place within reach, when most of it would leave the picture.
    func place(_ x: Int, _ y: Int, _ dx: Float, _ dy: Float, _ out: UnsafeMutablePointer<Int32>) -> Bool {
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
    /// The nearest whole number, halves away from zero: `rounded()` is a call where the processor need not have it.
    @inline(__always) var nearest: Int { Int(self + (self < 0 ? -0.5 : 0.5)) }
}

extension UnsafeMutablePointer {
    /// Repeats the edge samples of a plane through the margin around it.
    func repeatEdges(width: Int, height: Int, stride: Int, margin: Int) {
        for y in 0..<height { (self + y * stride).repeatEnds(width: width, margin: margin) }
        repeatRows(width: width, height: height, stride: stride, margin: margin)
    }

    /// Repeats the first and the last sample of a row beside it.
    func repeatEnds(width: Int, margin: Int) {
        (self - margin).update(repeating: self[0], count: margin)
        (self + width).update(repeating: self[width - 1], count: margin)
    }

    /// Repeats the first and the last row of a plane, with the margins beside them, above and below it.
    func repeatRows(width: Int, height: Int, stride: Int, margin: Int) {
        let (first, last) = (self - margin, self + (height - 1) * stride - margin)
        for y in 1...margin {
            (first - y * stride).update(from: first, count: width + 2 * margin)
            (last + y * stride).update(from: last, count: width + 2 * margin)
        }
    }
}

extension UnsafeMutablePointer where Pointee == Float {
    /// The middle one of `count` numbers, which are reordered.
    func median(of count: Int) -> Float { smallest(count / 2, of: count) }

    /// The number with `rank` smaller ones among `count`, which are reordered.
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
