// SPDX-License-Identifier: MIT
// The motion of each part of the picture.

/// The motion from the reference to another frame, for each cell of 8x8 samples of a plane, and how far each cell can
/// be trusted.
final class MotionField: @unchecked Sendable {
    /// Samples on a side of a cell.
    static let cell = 8
    /// Cells per row; the last one may be cut off.
    let across: Int
    /// Rows of cells; the last one may be cut off.
    let down: Int
    private let width: Int
    private let height: Int
    /// The motion in eighths of a sample: across and down, two numbers per cell.
    let motion: Scratch<Int16>
    /// The largest weight that a cell's samples may get: 65535 is full weight, 0 means that the cell could not be
    /// aligned.
    let share: Scratch<UInt16>
    /// The share of a cell whose brightness may be used, but not its chroma. Weights are 16-bit integers, rounded
    /// down, so it has practically the effect of full weight.
    private static let colorless: UInt16 = .max - 1

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        across = (width + 7) / 8
        down = (height + 7) / 8
        motion = Scratch(2 * across * down, filledWith: 0)
        share = Scratch(across * down, filledWith: 0)
    }

    /// Whether all cells of a row were aligned, and none has moved.
    func rests(row y: Int) -> Bool {
        let (motion, share) = (motion.base + 2 * y * across, share.base + y * across)
        var (moved, least) = (Int16(0), UInt16.max)
        for x in 0..<across {
            moved |= motion[2 * x] | motion[2 * x + 1]
            least = min(least, share[x])
        }
        return moved == 0 && least > 0
    }

    /// Fills some rows with the motion of the whole picture.
    func fill(_ whole: AffineMotion, rows: Range<Int>) {
        for y in rows {
            // Along a row the motion changes linearly, so all cells between two that stay inside the picture do, too.
            var (first, end) = (0, across)
            while first < end && !fill(whole, first, y) { first += 1 }
            while first < end - 1 && !fill(whole, end - 1, y) { end -= 1 }
            guard first + 1 < end - 1 else { continue }
            let (left, top) = whole.at(Float(8 * first) + 3.5, Float(8 * y) + 3.5)
            let (right, bottom) = whole.at(Float(8 * (end - 1)) + 3.5, Float(8 * y) + 3.5)
            let steps = Float(end - 1 - first), stepX = (right - left) / steps, stepY = (bottom - top) / steps
            let inside = first + 1..<end - 1, cells = motion.base + 2 * y * across
            (share.base + y * across + inside.lowerBound).update(repeating: .max, count: inside.count)
            for x in Swift.stride(from: inside.lowerBound, to: inside.upperBound - 3, by: 4) {
                let places = SIMD4<Float>(0, 1, 2, 3) + Float(Int32(truncatingIfNeeded: x - first))
                let dx = Self.eighths(left + stepX * places), dy = Self.eighths(top + stepY * places)
                UnsafeMutableRawPointer(cells + 2 * x).storeBytes(
                    of: (dx & 0xFFFF) | (dy &<< 16), as: SIMD4<Int32>.self)
            }
            for x in inside.upperBound - inside.count % 4..<inside.upperBound {
                let place = Float(Int32(truncatingIfNeeded: x - first))
                cells[2 * x] = Int16(truncatingIfNeeded: Self.eighths(left + stepX * place))
                cells[2 * x + 1] = Int16(truncatingIfNeeded: Self.eighths(top + stepY * place))
            }
        }
    }

    /// Sets the share of all cells in some rows to 0.
    func leaveOut(rows: Range<Int>) {
        (share.base + rows.lowerBound * across).update(repeating: 0, count: rows.count * across)
    }

    /// Sets a cell to the motion of the whole picture; returns whether it stays inside.
    private func fill(_ whole: AffineMotion, _ x: Int, _ y: Int) -> Bool {
        let (dx, dy) = whole.at(Float(8 * x) + 3.5, Float(8 * y) + 3.5)
        set(x: x, y: y, dx: dx, dy: dy)
        return share[y * across + x] > 0
    }

    /// Sets a cell's motion, in samples. If it leads out of the picture, or is not finite, the share becomes 0.
    @inline(__always)
    func set(x: Int, y: Int, dx: Float, dy: Float) {
        // NaN fails the comparison, too.
        let isSane = abs(dx) < 4000 && abs(dy) < 4000
        set(x, y, eighths: isSane ? Int(Self.eighths(dx)) : .max / 2, isSane ? Int(Self.eighths(dy)) : 0)
    }

    /// Excludes a cell from the chroma planes, whose fields are halved from this one.
    func keepColorOut(_ x: Int, _ y: Int) {
        let cell = y * across + x
        share[cell] = min(share[cell], Self.colorless)
    }

    /// The nearest number of eighths, halves to even, for less than 100,000 samples: adding this constant (1.5 *
    /// 2^23) moves the integer to the lowest bits of the float.
    @inline(__always)
    private static func eighths(_ samples: Float) -> Int32 {
        let whole: Float = 1.5 * 8_388_608
        return Int32(bitPattern: (samples * 8 + whole).bitPattern &- whole.bitPattern)
    }

    /// Four values at once.
    @inline(__always)
    private static func eighths(_ samples: SIMD4<Float>) -> SIMD4<Int32> {
        let whole: Float = 1.5 * 8_388_608
        return unsafeBitCast(samples * 8 + whole, to: SIMD4<Int32>.self) &- Int32(bitPattern: whole.bitPattern)
    }

    @inline(__always)
    private func set(_ x: Int, _ y: Int, eighths dx: Int, _ dy: Int) {
        let cell = y * across + x
        // A cell that moves out by more than half of its part inside the picture would consist mostly of margin.
        let (left, top) = (8 * x + (dx >> 3), 8 * y + (dy >> 3))
        let (halfWidth, halfHeight) = ((min(8, width - 8 * x) + 1) / 2, (min(8, height - 8 * y) + 1) / 2)
        let isInside = left >= -4 && top >= -4 && left <= width - halfWidth && top <= height - halfHeight
        share[cell] = isInside ? .max : 0
        motion[2 * cell] = isInside ? Int16(truncatingIfNeeded: dx) : 0
        motion[2 * cell + 1] = isInside ? Int16(truncatingIfNeeded: dy) : 0
    }

    /// Derives the motion of a plane with half the samples of `other` across, and the same number (`step` 1) or half
    /// (`step` 2) down: the mean over the cells of `other` that each cell covers. Only for the cells in `rows` of
    /// `other`.
    func halve(_ other: MotionField, step: Int, rows: Range<Int>) {
        for y in rows.lowerBound / step..<min(down, (rows.upperBound + step - 1) / step) {
            let upper = min(other.down - 1, y * step), lower = min(other.down - 1, y * step + step - 1)
            let (a, b) = (other.motion.base + 2 * upper * other.across, other.motion.base + 2 * lower * other.across)
            let (sharesA, sharesB) = (other.share.base + upper * other.across, other.share.base + lower * other.across)
            let (motion, share) = (motion.base + 2 * y * across, share.base + y * across)
            let shift = step == 2 ? 3 : 2
            // Whole cells. The test for being inside is the one in `set`.
            let (most, end) = (height - (min(8, height - 8 * y) + 1) / 2 - 8 * y, min(across - 1, other.across / 2))
            for x in Swift.stride(from: 0, to: end & ~3, by: 4) {
                let (ax, ay) = Self.sumsOfPairs(a + 4 * x), (bx, by) = Self.sumsOfPairs(b + 4 * x)
                let dx = Self.shifted(ax &+ bx, 3), dy = Self.shifted(ay &+ by, shift)
                let left = (SIMD4(0, 8, 16, 24) &+ Int32(8 * x)) &+ (dx &>> 3), top = dy &>> 3
                let isInside =
                    (left .>= -4) .& (left .<= Int32(width - 4)) .& (top .>= Int32(-4 - 8 * y)) .& (top .<= Int32(most))
                let least = Self.leastOfPairs(sharesA + 2 * x, sharesB + 2 * x)
                let counts = isInside .& (least .!= Int32(Self.colorless))
                let both = ((dx & 0xFFFF) | dy &<< 16).replacing(with: 0, where: .!isInside)
                UnsafeMutableRawPointer(share + x).storeBytes(
                    of: SIMD4<UInt16>(truncatingIfNeeded: least.replacing(with: 0, where: .!counts)),
                    as: SIMD4<UInt16>.self)
                UnsafeMutableRawPointer(motion + 2 * x).storeBytes(of: both, as: SIMD4<Int32>.self)
            }
            for x in (end & ~3)..<end {
                let (p, q) = (a + 4 * x, b + 4 * x), (s, t) = (sharesA + 2 * x, sharesB + 2 * x)
                let dx = Self.shifted(Int(p[0]) + Int(p[2]) + Int(q[0]) + Int(q[2]), 3)
                let dy = Self.shifted(Int(p[1]) + Int(p[3]) + Int(q[1]) + Int(q[3]), shift)
                let (left, top) = (8 * x + (dx >> 3), dy >> 3)
                let isInside = left >= -4 && left <= width - 4 && top >= -4 - 8 * y && top <= most
                let least = min(min(s[0], s[1]), min(t[0], t[1]))
                share[x] = isInside && least != Self.colorless ? least : 0
                motion[2 * x] = isInside ? Int16(truncatingIfNeeded: dx) : 0
                motion[2 * x + 1] = isInside ? Int16(truncatingIfNeeded: dy) : 0
            }
            for x in end..<across {
                let left = min(other.across - 1, 2 * x), right = min(other.across - 1, 2 * x + 1)
                // Sums over two by two cells; with a single row, it counts twice.
                let dx = Int(a[2 * left]) + Int(a[2 * right]) + Int(b[2 * left]) + Int(b[2 * right])
                let dy = Int(a[2 * left + 1]) + Int(a[2 * right + 1]) + Int(b[2 * left + 1]) + Int(b[2 * right + 1])
                // Samples are twice as wide, and once or twice as high.
                set(x, y, eighths: Self.shifted(dx, 3), Self.shifted(dy, shift))
                let least = min(min(sharesA[left], sharesA[right]), min(sharesB[left], sharesB[right]))
                share[x] = least != Self.colorless ? min(share[x], least) : 0
            }
        }
    }

    /// For eight cells, the sums of motion across and down of each two neighbours.
    @inline(__always)
    private static func sumsOfPairs(_ cells: UnsafePointer<Int16>) -> (x: SIMD4<Int32>, y: SIMD4<Int32>) {
        // Little-endian: the motion across is the lower half of each 32-bit number.
        let all = UnsafeRawPointer(cells).loadUnaligned(as: SIMD8<Int32>.self)
        let across = (all &<< 16) &>> 16, down = all &>> 16
        return (across.evenHalf &+ across.oddHalf, down.evenHalf &+ down.oddHalf)
    }

    /// The smallest share in each two by two cells, for four results.
    @inline(__always)
    private static func leastOfPairs(_ upper: UnsafePointer<UInt16>, _ lower: UnsafePointer<UInt16>) -> SIMD4<Int32> {
        func numbers(_ shares: UnsafePointer<UInt16>) -> SIMD8<Int32> {
            SIMD8(truncatingIfNeeded: UnsafeRawPointer(shares).loadUnaligned(as: SIMD8<UInt16>.self))
        }
        let (a, b) = (numbers(upper), numbers(lower)), least = a.replacing(with: b, where: b .< a)
        return least.evenHalf.replacing(with: least.oddHalf, where: least.oddHalf .< least.evenHalf)
    }

    /// Four values at once.
    @inline(__always)
    private static func shifted(_ value: SIMD4<Int32>, _ bits: Int) -> SIMD4<Int32> {
        let sign = value &>> 31, half = Int32(1) << Int32(bits - 1)
        return ((((value ^ sign) &- sign &+ half) &>> Int32(bits)) ^ sign) &- sign
    }

    /// Divides by a power of two and rounds to the nearest, halves away from zero.
    @inline(__always)
    private static func shifted(_ value: Int, _ bits: Int) -> Int {
        let sign = value >> (Int.bitWidth - 1), half = 1 << (bits - 1)
        return ((((value ^ sign) - sign) + half) >> bits ^ sign) - sign
    }
}
