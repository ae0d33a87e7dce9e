// SPDX-License-Identifier: MIT
// How another frame's light differs from the reference's, place by place.

/// Finds where another frame is brighter or darker than the reference over tens of pixels: in the bands of lamps on the
/// mains, on a cheek that turns, at the soft edge of a shadow.
///
/// Such differences drown in the noise of single samples, so merging would average them, and change the still's
/// shading. Means over many samples show them. What they show beyond noise is taken off the frame's samples before they
/// are compared and merged: the shading is then the reference's, and only what is finer is averaged.
///
/// The owner measures each frame once, before any thread merges it.
final class LocalLight: @unchecked Sendable {
    /// Cells on a side of a block. One cell of each block is measured: its mean is smoothed over more than the cell.
    private static let block = 2
    /// Blocks on each side of the one whose light is found: means are over 3x3 blocks, 48x48 pixels.
    private static let reach = 1
    /// Larger differences, in codes, have other causes: something moved.
    private static let most: Float = 6
    /// A mean that may have been read wrongly by this much, in codes, because it lies between cells and brightness
    /// curves there, counts half. With half of it, windows of `filtered` lost 1.4 dB; with twice, windows of `good` did
    /// 0.1 dB more.
    private static let misread: Float = 0.5
    /// The least sum of weights from which a mean is taken, of at most 9.
    private static let fewest: Float = 2
    /// A mean below this many standard deviations is noise; a larger one is reduced by noise's share. With 2, the real
    /// tripod loses 0.7 dB, because the reference's own coarse noise counts as its light.
    private static let deviations: Float = 4
    /// The least difference worth taking off, in Q5: an eighth of a code.
    private static let least: Float = 4

    private let across: Int
    private let down: Int
    /// For each block, what the frame's samples have too much, in Q5.
    private let excess: Scratch<Int16>
    /// For each row of blocks, whether there is anything to take off.
    private let differs: Scratch<Bool>
    /// For each block, its weighted difference and its weight.
    private let found: Scratch<SIMD2<Float>>
    private let sums: Scratch<SIMD2<Float>>

    /// For planes of `width` by `height` pixels.
    init(width: Int, height: Int) {
        let side = MotionField.cell * Self.block
        across = (width + side - 1) / side
        down = (height + side - 1) / side
        excess = Scratch(across * down, filledWith: 0)
        differs = Scratch(down, filledWith: false)
        found = Scratch(across * down, filledWith: .zero)
        sums = Scratch(across, filledWith: .zero)
    }

    /// Measures a frame's light. The levels are those whose samples are means around each cell.
    func measure(
        _ reference: LevelPlane, other: LevelPlane, field: MotionField, noise: NoiseModel, clipping: Clipping
    ) {
        let (own, theirs) = (reference.view, other.view)
        for y in 0..<down { compare(own, theirs: theirs, field: field, clipping: clipping, y: y) }
        // Such a mean has about the variance of the mean of a cell.
        let kept = 2 * noise.spectrum[0] / 64
        noise.variance.withUnsafeBufferPointer { variance in
            for y in 0..<down { conclude(own, variance: variance, kept: kept, clipping: clipping, y: y) }
        }
    }

    /// Finds the differences of a row of blocks.
    private func compare(_ own: LevelView, theirs: LevelView, field: MotionField, clipping: Clipping, y: Int) {
        let (motion, share, found) = (field.motion.base, field.share.base, found.base + y * across)
        // The last row of cells may be cut off, and then has no sample of its own.
        let v = min(Self.block * y, own.height - 1)
        for x in 0..<across {
            let u = min(Self.block * x, own.width - 1), cell = v * field.across + u
            found[x] = .zero
            guard share[cell] > 0, clipping.share(u, v, (1, 1)) == 1 else { continue }
            // Eighths of a pixel: 64 to a cell.
            let (right, low) = (64 * u + Int(motion[2 * cell]), 64 * v + Int(motion[2 * cell + 1]))
            guard right >= 0, low >= 0, right <= 64 * (own.width - 1), low <= 64 * (own.height - 1) else { continue }
            let at = own.row(v) + u, code = Float(at[0])
            let (fx, fy) = (Float(right & 63) / 64, Float(low & 63) / 64)
            let curvature = (
                abs(Float(at[1]) + Float(at[-1]) - 2 * code),
                abs(Float(at[own.stride]) + Float(at[-own.stride]) - 2 * code)
            )
            // The error of a straight line between two samples of a parabola, from Q4.
            let misread = (curvature.0 * fx * (1 - fx) + curvature.1 * fy * (1 - fy)) / 32 / Self.misread
            let upper = theirs.row(low >> 6) + (right >> 6), lower = upper + theirs.stride
            let top = Float(upper[0]) + (Float(upper[1]) - Float(upper[0])) * fx
            let bottom = Float(lower[0]) + (Float(lower[1]) - Float(lower[0])) * fx
            let difference = (top + (bottom - top) * fy - code) / 16
            guard abs(difference) < Self.most else { continue }
            let weight = 1 / (1 + misread * misread)
            found[x] = SIMD2(weight * difference, weight)
        }
    }

    /// Finds what a row of blocks has too much, from the blocks around each.
    private func conclude(
        _ own: LevelView, variance: UnsafeBufferPointer<Float>, kept: Float, clipping: Clipping, y: Int
    ) {
        let (excess, sums, reach) = (excess.base + y * across, sums.base, Self.reach)
        sums.update(repeating: .zero, count: across)
        for row in max(0, y - reach)...min(down - 1, y + reach) {
            let found = found.base + row * across
            for x in 0..<across { sums[x] += found[x] }
        }
        var differs = false
        for x in 0..<across {
            var all = SIMD2<Float>.zero
            for near in max(0, x - reach)...min(across - 1, x + reach) { all += sums[near] }
            excess[x] = 0
            // Where samples are clipped there is no noise, and what differs must be refused.
            guard all[1] >= Self.fewest, clipping.share(x, y, (Self.block, Self.block)) == 1 else { continue }
            let mean = all[0] / all[1]
            let noise = variance[Int(own.code(Self.block * x, Self.block * y))] * kept / all[1]
            let certain = 1 - Self.deviations * Self.deviations * noise / max(1e-6, mean * mean)
            guard certain > 0, abs(32 * mean * certain) >= Self.least else { continue }
            excess[x] = Int16(32 * mean * certain)
            differs = true
        }
        self.differs[y] = differs
    }

    /// Takes off what is too much from the differences of some rows of a row of cells.
    @inline(__always) func takeOff(
        _ differences: UnsafeMutablePointer<Int16>, _ stride: Int, cells: Range<Int>, of row: Int, rows: Int
    ) {
        let y = row / Self.block
        guard differs.base[y] else { return }
        let excess = excess.base + y * across
        for (place, cell) in cells.enumerated() where excess[cell / Self.block] != 0 {
            let all = SIMD8(repeating: excess[cell / Self.block])
            for line in 0..<rows {
                let at = UnsafeMutableRawPointer(differences + line * stride + MotionField.cell * place)
                at.storeBytes(of: at.loadUnaligned(as: SIMD8<Int16>.self) &- all, as: SIMD8<Int16>.self)
            }
        }
    }
}
