// SPDX-License-Identifier: MIT
// Squares of 16x16 samples that two frames have in common.

import LivecapCFusionKernels

/// Finds squares of one plane in the same plane of another frame, and measures how much they differ. Each is compared
/// at the nearest whole-sample motion, because interpolation removes noise. The exception is fine texture that would
/// then differ by more than the noise does: such a square is interpolated. It owns its working memory.
final class BurstSquares {
    /// Samples on a side of a square.
    private static let side = MovedSquare.side
    /// The approximate number of squares measured.
    private static let most = 800
    /// The area, in pixels, of a picture in which that many squares hardly overlap.
    static let ampleArea = most * side * side
    /// Enough for every square of the grid.
    static let capacity = 2 * most

    /// A square and how it compares with the other frame.
    struct Square: BitwiseCopyable {
        /// In codes.
        var brightness: Float = 0
        /// The variance of one frame's noise, in squared codes, if the noise is white.
        var variance: Float = 0
        /// The mean difference, in codes.
        var mean: Float = 0
        /// The position of its first sample in the reference.
        var x: Int32 = 0
        var y: Int32 = 0
        /// Its position in the other frame, in eighths of a sample.
        var otherX: Int32 = 0
        var otherY: Int32 = 0
        /// The fractional part of that position: eighths across plus eight times the eighths down.
        var phase: Int { Int(otherX) & 7 + 8 * (Int(otherY) & 7) }
    }

    let interpolationResponse = InterpolationResponse()
    private let kernels: UnsafePointer<fusion_kernels>
    private let moved: MovedSquare
    private let found = Scratch<Square>(BurstSquares.capacity, filledWith: Square())
    /// How many squares were found that can be used.
    private(set) var count = 0
    /// How many squares were compared, those with texture included.
    private(set) var seen = 0

    init(_ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        moved = MovedSquare(kernels)
    }

    subscript(place: Int) -> Square { found[place] }

    /// A square's own samples.
    func own(_ square: Square, _ pair: PlanePair) -> SampleBlock {
        SampleBlock(pair.own, x: Int(square.x), y: Int(square.y))
    }

    /// The samples of the other frame that a square was compared with. They are valid until the next read.
    func read(_ square: Square, _ pair: PlanePair) -> SampleBlock {
        moved.read(pair.other, Int(square.otherX), Int(square.otherY))
    }

    /// What a square's samples must be multiplied by, and what added, to have the light of the same square in another
    /// frame.
    typealias Light = (factor: Float, offset: Float)

    /// The light of a square. Squares without much contrast beside their noise keep their own.
    func light(of square: Square, _ pair: PlanePair, noise: Float) -> Light {
        let (ours, theirs) = (own(square, pair), read(square, pair)), side = Self.side
        var sums: (own: Int, theirs: Int, squares: Int, products: Int) = (0, 0, 0, 0)
        for y in 0..<side {
            let (own, other) = (ours.from(x: 0, y: y).samples, theirs.from(x: 0, y: y).samples)
            for x in 0..<side {
                let (a, b) = (Int(own[x]), Int(other[x]))
                sums = (sums.own + a, sums.theirs + b, sums.squares + a * a, sums.products + a * b)
            }
        }
        let (own, other) = (Float(sums.own) / 256, Float(sums.theirs) / 256)
        let variance = Float(sums.squares) / 256 - own * own - noise
        let covariance = Float(sums.products) / 256 - own * other
        let isContrasty = variance > Self.leastContrast * noise
        let factor = isContrasty ? max(0.6, min(1.6, covariance / variance)) : 1
        return (factor, other - factor * own)
    }

    /// The mean squared difference of a block of a square, whose first sample is at (`x`, `y`) in the reference.
    func difference(of square: Square, _ pair: PlanePair, x: Int, y: Int, light: Light) -> Float {
        let own = SampleBlock(pair.own, x: x, y: y)
        let other = read(square, pair).from(x: x - Int(square.x), y: y - Int(square.y))
        var sum: Float = 0
        for row in 0..<SlopeMap.block {
            let (ours, theirs) = (own.from(x: 0, y: row).samples, other.from(x: 0, y: row).samples)
            for column in 0..<SlopeMap.block {
                let difference = Float(ours[column]) * light.factor - Float(theirs[column]) + light.offset
                sum += difference * difference
            }
        }
        return sum / Float(SlopeMap.block * SlopeMap.block)
    }

    /// The variance of a square's picture, relative to that of its noise, from which the gain is found.
    private static let leastContrast: Float = 16

    /// Converts the variance of a difference to that of one frame's noise, if it is white. Both squares contribute
    /// noise; an interpolated one contributes less, and was rounded to codes, which adds 1/12.
    func ownVariance(_ both: Float, _ phase: Int) -> Float {
        (both - (phase == 0 ? 0 : 1.0 / 12)) / (1 + interpolationResponse.ofWhite[phase])
    }

    /// Finds the squares in which the error of the motion, less than a sample, explains at most `maxExcess` of the
    /// variance.
    func measure(_ pair: PlanePair, maxExcess: Float) {
        (count, seen) = (0, 0)
        // The level whose samples are means of 8x8 pixels, and the one at half the size.
        let (brightness, half) = (pair.frame.levels[2].view, pair.frame.levels[0].view), step = pair.step
        let (width, height, side) = (pair.own.width, pair.own.height, Self.side)
        let grid = max(4, Int(Float(width * height / Self.most).squareRoot().rounded(.up)))
        for (row, y) in Swift.stride(from: 0, through: height - side, by: grid).enumerated() {
            // Every other row is offset by half a step, so that no columns of the scene are missed.
            for x in Swift.stride(from: row % 2 * grid / 2, through: width - side, by: grid) {
                let (mx, my) = pair.motion.at(Float(x) + 7.5, Float(y) + 7.5)
                guard abs(mx) < 8192 && abs(my) < 8192, count < found.count else { continue }
                guard var square = compare(pair, x: x, y: y, moved: (mx, my)) else { continue }
                // Squares that hardly differ at all were not seen by a sensor: they are an overlay, or clipped.
                guard square.variance > Self.leastVariance else { continue }
                seen += 1
                let missed = (
                    x: abs(mx - Float(square.otherX) / 8 + Float(x)) * Float(step.x),
                    y: abs(my - Float(square.otherY) / 8 + Float(y)) * Float(step.y)
                )
                let slopes = slopes(half, x * step.x, y * step.y)
                guard excess(slopes, missed) <= maxExcess * square.variance else { continue }
                square.brightness = brightness.code((x + side / 2) * step.x / 8, (y + side / 2) * step.y / 8)
                found[count] = square
                count += 1
            }
        }
    }

    /// The least variance of what a sensor saw, in squared codes: a quarter of what rounding alone makes.
    private static let leastVariance: Float = 0.02

    /// Compares a square after a motion of `moved`: at the nearest whole sample, unless interpolation makes the
    /// difference far smaller, which means texture. Nil if the square would leave the plane.
    private func compare(_ pair: PlanePair, x: Int, y: Int, moved: (x: Float, y: Float)) -> Square? {
        let whole = (x: 8 * (x + Int(moved.x.rounded())), y: 8 * (y + Int(moved.y.rounded())))
        guard let nearest = compare(pair, x: x, y: y, with: whole) else { return nil }
        let exact = (x: 8 * x + Int((8 * moved.x).rounded()), y: 8 * y + Int((8 * moved.y).rounded()))
        guard exact != whole, let between = compare(pair, x: x, y: y, with: exact) else { return nearest }
        return nearest.variance > Self.maxTexture * between.variance ? between : nearest
    }

    /// The largest ratio of the variance at the nearest whole sample to that with interpolation that still counts as
    /// noise.
    private static let maxTexture: Float = 1.25

    /// Compares a square with the one at `other`, in eighths of a sample. Leaves its brightness at 0.
    private func compare(_ pair: PlanePair, x: Int, y: Int, with other: (x: Int, y: Int)) -> Square? {
        guard MovedSquare.isWithin(pair.other, other.x, other.y) else { return nil }
        let own = SampleBlock(pair.own, x: x, y: y), read = moved.read(pair.other, other.x, other.y)
        var sums = (Int32(0), Int32(0))
        withUnsafeMutablePointer(to: &sums) { sums in
            sums.withMemoryRebound(to: Int32.self, capacity: 2) { sums in
                kernels.pointee.noise.compare_squares(own.samples, own.stride, read.samples, read.stride, sums)
            }
        }
        let mean = Float(sums.0) / 256, phase = other.x & 7 + 8 * (other.y & 7)
        // Divided by 255 rather than 256 because the mean was estimated from the same samples.
        let both = max(0, Float(sums.1) - 256 * mean * mean) / 255
        return Square(
            variance: ownVariance(both, phase), mean: mean, x: Int32(x), y: Int32(y), otherX: Int32(other.x),
            otherY: Int32(other.y))
    }

    /// The variance, in squared codes, that a motion error of `missed` pixels causes at the slopes around a pixel.
    /// Squares where this is much of the variance reveal nothing about noise. Slopes are measured at half the size,
    /// where the finest of them are weaker (see `finestSlopes`).
    private func excess(_ slopes: (Int32, Int32, Int32, Int32), _ missed: (x: Float, y: Float)) -> Float {
        // `slopes` are sums over 64 samples of products in Q3 (hence 4096), with samples two pixels wide. The
        // difference contains the error once, but the noise of two frames, so the noise reads higher by half of it.
        let (across, down) = (missed.x / 2, missed.y / 2)
        let square =
            across * across * Float(slopes.0) + down * down * Float(slopes.2)
            + 2 * across * down * abs(Float(slopes.1))
        return Self.finestSlopes * square / 4096 / 2
    }

    /// The sums of `tile_slopes` around a pixel.
    private func slopes(_ level: LevelView, _ x: Int, _ y: Int) -> (Int32, Int32, Int32, Int32) {
        let (left, top) = (min(x / 2, max(0, level.width - 8)), min(y / 2, max(0, level.height - 8)))
        var slopes = (Int32(0), Int32(0), Int32(0), Int32(0))
        withUnsafeMutablePointer(to: &slopes) { slopes in
            slopes.withMemoryRebound(to: Int32.self, capacity: 4) { slopes in
                kernels.pointee.motion.tile_slopes(level.row(top) + left, level.stride, 1, 0, slopes)
            }
        }
        return slopes
    }

    /// How much larger the finest slopes are at full size than at half the size, squared.
    private static let finestSlopes: Float = 3
}
