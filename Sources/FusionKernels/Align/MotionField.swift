// SPDX-License-Identifier: MIT
// Where each part of the picture has gone.

/// The motion from the reference to another frame, a cell of 8x8 samples of a plane at a time, and how far each cell can
/// be trusted.
final class MotionField: @unchecked Sendable {
    /// Samples a cell spans.
    static let cell = 8
    /// Cells a row; the last one may be cut.
    let across: Int
    /// Rows of cells; the last one may be cut.
    let down: Int
    private let width: Int
    private let height: Int
    /// Eighths of a sample across and down, two numbers a cell.
    let motion: Scratch<Int16>
    /// The most weight a cell's samples may have: 0 where it could not be aligned, 65535 for all.
    let share: Scratch<UInt16>

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        (across, down) = ((width + 7) / 8, (height + 7) / 8)
        motion = Scratch(2 * across * down, filledWith: 0)
        share = Scratch(across * down, filledWith: 0)
    }

    /// The motion of the whole picture, in every cell.
    func fill(_ whole: AffineMotion) {
        for y in 0..<down {
            for x in 0..<across {
                let (dx, dy) = whole.at(Float(8 * x) + 3.5, Float(8 * y) + 3.5)
                set(x, y, dx, dy)
            }
        }
    }

    /// A cell's motion in samples. Cells that leave the picture, or are nowhere, get no share.
    @inline(__always)
    func set(_ x: Int, _ y: Int, _ dx: Float, _ dy: Float) {
        // Not a number fails the comparison, too.
        let isSane = abs(dx) < 4000 && abs(dy) < 4000
        set(x, y, eighths: isSane ? (dx * 8).nearest : .max / 2, isSane ? (dy * 8).nearest : 0)
    }

    @inline(__always)
    private func set(_ x: Int, _ y: Int, eighths dx: Int, _ dy: Int) {
        let cell = y * across + x
        // A cell that leaves by more than half of what the picture has of it would show mostly margin.
        let (left, top) = (8 * x + (dx >> 3), 8 * y + (dy >> 3))
        let (halfWidth, halfHeight) = ((min(8, width - 8 * x) + 1) / 2, (min(8, height - 8 * y) + 1) / 2)
        let isInside = left >= -4 && top >= -4 && left <= width - halfWidth && top <= height - halfHeight
        share[cell] = isInside ? .max : 0
        motion[2 * cell] = isInside ? Int16(truncatingIfNeeded: dx) : 0
        motion[2 * cell + 1] = isInside ? Int16(truncatingIfNeeded: dy) : 0
    }

    /// The motion of a plane with a sample for `sx` by `sy` of the samples of `other`, whose cells are meant over.
    func reduce(_ other: MotionField, _ sx: Int, _ sy: Int) {
        for y in 0..<down {
            for x in 0..<across {
                var (dx, dy, least) = (0, 0, UInt16.max)
                for v in 0..<sy {
                    for u in 0..<sx {
                        let cell = min(other.down - 1, y * sy + v) * other.across + min(other.across - 1, x * sx + u)
                        dx += Int(other.motion[2 * cell])
                        dy += Int(other.motion[2 * cell + 1])
                        least = min(least, other.share[cell])
                    }
                }
                // Means over sx * sy cells, in samples sx and sy times as large; rounded to the nearest.
                set(x, y, eighths: Self.divided(dx, sx * sx * sy), Self.divided(dy, sx * sy * sy))
                let cell = y * across + x
                share[cell] = min(share[cell], least)
            }
        }
    }

    private static func divided(_ value: Int, _ count: Int) -> Int {
        (2 * value + (value < 0 ? -count : count)) / (2 * count)
    }
}
