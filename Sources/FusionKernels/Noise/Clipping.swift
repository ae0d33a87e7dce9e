// SPDX-License-Identifier: MIT
// Where a picture is clipped: there is no noise there, however much there is beside.

/// Which share of a frame's samples can have noise, cell by cell: those that are not as bright as can be. It owns the memory
/// it works in.
final class Clipping: @unchecked Sendable {
    /// Samples a cell spans.
    private static let cell = MotionField.cell
    private let across: Int
    private let down: Int
    /// For each cell of brightness, how many of its samples are not clipped, as a share of them.
    private let shares: Scratch<Float>
    private let counts = Scratch<UInt32>(NoiseModel.levels, filledWith: 0)
    /// Whether anything is.
    private(set) var isClipped = false

    init(width: Int, height: Int) {
        (across, down) = ((width + Self.cell - 1) / Self.cell, (height + Self.cell - 1) / Self.cell)
        shares = Scratch(across * down, filledWith: 1)
    }

    /// Looks at the brightness of a frame, unless its tiles, which are known already, say that nothing is clipped.
    func measure(_ plane: SamplePlane, _ tiles: TileMeans) {
        isClipped = false
        if tiles.mayBeClipped { measure(plane) }
    }

    /// Looks at the brightness of a frame.
    func measure(_ plane: SamplePlane) {
        guard let white = white(plane) else {
            isClipped = false
            return
        }
        isClipped = true
        // Eight samples as one number: those at least `white`, which is 128 or more, keep their topmost bits.
        let (ones, low) = (UInt64(0x0101_0101_0101_0101), UInt64(0x7F7F_7F7F_7F7F_7F7F))
        let toTop = ones &* UInt64(256 - Int(white))
        for y in 0..<down {
            let rows = Self.cell * y..<min(Self.cell * (y + 1), plane.height)
            for x in 0..<across {
                // Margins repeat the edge: cells may be looked at as if they were whole.
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

    /// The share of the samples that can have noise in a cell of a plane whose samples serve `step` pixels.
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

    /// The code of all that is too bright; nil where nothing is. Many more samples have it than have the one below.
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
