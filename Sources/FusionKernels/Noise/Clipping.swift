// SPDX-License-Identifier: MIT
// Where a picture is clipped: clipped samples have no noise, however much there is beside them.

/// Determines, for each cell of 8x8 samples, what share of a frame's samples can have noise: those below the clipping
/// level. It owns its working memory.
final class Clipping: @unchecked Sendable {
    /// Samples on a side of a cell.
    private static let cell = MotionField.cell
    private let across: Int
    private let down: Int
    /// For each cell of brightness, the share of its samples that are not clipped.
    private let shares: Scratch<Float>
    private let counts = Scratch<UInt32>(NoiseModel.levels, filledWith: 0)
    /// Whether any sample is clipped.
    private(set) var isClipped = false

    init(width: Int, height: Int) {
        across = (width + Self.cell - 1) / Self.cell
        down = (height + Self.cell - 1) / Self.cell
        shares = Scratch(across * down, filledWith: 1)
    }

    /// Examines the brightness plane of a frame, unless the means of its tiles already show that nothing is clipped.
    func measure(_ plane: SamplePlane, _ tiles: TileMeans) {
        isClipped = false
        if tiles.mayBeClipped { measure(plane) }
    }

    /// Examines the brightness plane of a frame.
    func measure(_ plane: SamplePlane) {
        guard let white = white(plane) else {
            isClipped = false
            return
        }
        isClipped = true
        // Processes eight samples as one integer: the addition carries into the top bit of each byte that is at least
        // `white`. As `white` is 128 or more, such a byte has its own top bit set, too.
        let (ones, low) = (UInt64(0x0101_0101_0101_0101), UInt64(0x7F7F_7F7F_7F7F_7F7F))
        let toTop = ones &* UInt64(256 - Int(white))
        for y in 0..<down {
            let rows = Self.cell * y..<min(Self.cell * (y + 1), plane.height)
            for x in 0..<across {
                // The margins repeat the edge, so a cell that is cut off can be read as if it were whole.
                var clipped: UInt64 = 0
                for row in rows {
                    let samples = UnsafeRawPointer(plane.row(row) + Self.cell * x).loadUnaligned(as: UInt64.self)
                    let isClipped = ((samples & low) &+ toTop) & samples
                    clipped &+= (isClipped &>> 7) & ones
                }
                let count = Int((clipped &* ones) &>> 56), all = Self.cell * rows.count
                shares[y * across + x] = Float(all - count) / Float(all)
            }
        }
    }

    /// The share of samples that can have noise in a cell of a plane whose samples cover `step` pixels.
    func share(_ x: Int, _ y: Int, _ step: (x: Int, y: Int)) -> Float {
        guard isClipped else { return 1 }
        var sum: Float = 0
        for v in 0..<step.y {
            for u in 0..<step.x {
                sum += shares[min(y * step.y + v, down - 1) * across + min(x * step.x + u, across - 1)]
            }
        }
        return sum / Float(step.x * step.y)
    }

    /// The code at which samples are clipped, or nil if none are. More than eight times as many samples are at or
    /// above it as at the code below, and at least a thousandth of all are.
    private func white(_ plane: SamplePlane) -> UInt8? {
        counts.fill(0)
        for y in stride(from: 0, to: plane.height, by: Self.cell) {
            let row = plane.row(y)
            for x in 0..<plane.width { counts.base[Int(row[x])] &+= 1 }
        }
        let all = UInt32((plane.height + Self.cell - 1) / Self.cell * plane.width)
        var above: UInt32 = 0
        for code in (128..<NoiseModel.levels).reversed() {
            above += counts[code]
            guard above >= all / 1000 else { continue }
            return above > 8 * counts[code - 1] ? UInt8(code) : nil
        }
        return nil
    }
}
