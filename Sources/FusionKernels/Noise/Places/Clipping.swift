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
    private let counts = Scratch<UInt32>(ClippedCodes.countsNeeded, filledWith: 0)
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

    /// Examines the brightness plane of a frame, at its dark end, too.
    func measure(_ plane: SamplePlane) {
        let codes = ClippedCodes(plane, counts)
        isClipped = codes.areAny
        guard isClipped else { return }
        for y in 0..<down {
            let rows = Self.cell * y..<min(Self.cell * (y + 1), plane.height)
            let all = Self.cell * rows.count
            for first in stride(from: 0, to: across, by: Self.atOnce) {
                // The margins repeat the edge, so a cell that is cut off can be read as if it were whole.
                var clipped = SIMD4<UInt64>.zero
                for row in rows {
                    let samples = UnsafeRawPointer(plane.row(row) + Self.cell * first)
                    clipped &+= codes.marks(samples.loadUnaligned(as: SIMD4<UInt64>.self))
                }
                for x in first..<min(first + Self.atOnce, across) {
                    let count = ClippedCodes.sum(clipped[x - first])
                    shares[y * across + x] = Float(all - count) / Float(all)
                }
            }
        }
    }

    /// Cells side by side that are examined at once.
    private static let atOnce = 4

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
}
