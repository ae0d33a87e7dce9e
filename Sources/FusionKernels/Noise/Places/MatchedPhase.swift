// SPDX-License-Identifier: MIT
// How strong noise is where a picture is steep, from frames that lie on the same samples as the reference.

/// Finds for each slope how much stronger noise is than `NoiseModel` says for its brightness, while the camera moves.
///
/// A sensor has a mosaic of colours that repeats every two pixels. What lies between its samples is guessed, at edges
/// wrongly, and otherwise after each movement: there, moved frames differ by up to six times as much as noise alone
/// would make them. But after a movement by whole, even numbers of pixels, the same is guessed again, and nothing has
/// to be read between samples either. In the hand, this happens in some cells of some frames; they tell what is noise.
final class MatchedPhase: @unchecked Sendable {
    /// How far from an even number of pixels a motion may be, in eighths of a pixel.
    private static let tolerance = 1
    /// The fewest cells of a slope that say anything about it. A dozen may all lie on one thing that moved.
    private static let fewestCells = 24
    /// Noise differs from cell to cell: some have more than the median.
    private static let room: Float = 1.3
    /// The medians of plain noise scatter up to this.
    private static let margin: Float = 1.5
    /// The largest credible median, and its largest multiple of that of the next weaker slope.
    private static let most: Float = 40, growth: Float = 10
    /// Its largest multiple of its own lower quartile. Without it, single windows of `good` and `webcam` lose up to
    /// 2 dB against the frame; with 4 for both, what passes in `mjpeg` costs 0.2 dB.
    private static let spread: (exact: Float, between: Float) = (2.5, 2)
    /// An error of the motion, in pixels, that neighbours do not explain, because edges are no parabolas.
    private static let unexplained: Float = 0.05
    /// What is found at least, so that it is known to have been looked for.
    private static let least: Float = 0.01
    /// In the fit, what has less than this is explained already.
    private static let leastPivot: Float = 1
    /// Samples of a cell that have a neighbour in it on every side, on a side.
    private static let inner = 6

    /// For each cell, how many times the model's variance was found, between the reference and another frame, and
    /// between two others, which were read between samples and have lost noise by that; 0 where nothing was.
    private let exact: Scratch<Float>
    private let between: Scratch<Float>
    private let sorted: Scratch<Float>
    private let interpolation = InterpolationResponse()
    /// The factors by place on the scale of slopes.
    private let table = Scratch<Float>(SlopeMap.placeCount, filledWith: 1)
    /// How many times the model's variance noise has at each slope.
    private(set) var medians = [Float](repeating: 1, count: NoiseModel.slopeSteps)
    /// Whether noise is stronger at any slope.
    private(set) var isStronger = false

    init(cells: Int) {
        exact = Scratch(cells, filledWith: 0)
        between = Scratch(cells, filledWith: 0)
        sorted = Scratch(cells, filledWith: 0)
    }

    /// Forgets what was found in some cells.
    func clear(_ cells: Range<Int>) {
        (exact.base + cells.lowerBound).update(repeating: 0, count: cells.count)
        (between.base + cells.lowerBound).update(repeating: 0, count: cells.count)
    }

    /// Whether a motion, in eighths of a sample, is by an even number of pixels, of which a sample covers `step`.
    @inline(__always) private static func isMatched(_ x: Int16, _ y: Int16, _ step: (x: Int, y: Int)) -> Bool {
        isMatched(x, period: 16 / step.x) && isMatched(y, period: 16 / step.y)
    }

    /// Periods are powers of two.
    @inline(__always) private static func isMatched(_ motion: Int16, period: Int) -> Bool {
        (Int(motion) + tolerance) & (period - 1) <= 2 * tolerance
    }

    /// A cell of the reference, in Q5 with rows `stride` apart, and the variance that the model expects in it. Its
    /// samples cover `step` pixels.
    struct Own {
        let samples: UnsafePointer<Int16>
        let stride: Int
        let noise: Float
        let step: (x: Int, y: Int)
    }

    /// How another frame's cell, moved to the reference, differs from the reference's, and its motion in eighths.
    struct Other {
        let differences: UnsafePointer<Int16>
        let motion: SIMD2<Int16>
    }

    /// Compares two frames that have a cell at the same phase, if any do: the reference and another one if possible.
    func look(at cell: Int, _ own: Own, others count: Int, other: (Int) -> Other) {
        for one in 0..<count where compare(own, other(one), with: nil, at: cell) { return }
        for one in 0..<count {
            for further in 0..<one where compare(own, other(one), with: other(further), at: cell) { return }
        }
    }

    /// Compares two frames, of which nil is the reference, if they are at the same phase.
    private func compare(_ own: Own, _ one: Other, with other: Other?, at cell: Int) -> Bool {
        let apart = one.motion &- (other?.motion ?? .zero)
        guard Self.isMatched(apart.x, apart.y, own.step) else { return false }
        let kept = interpolation.ofWhite[(Int(one.motion.y) & 7) * 8 + (Int(one.motion.x) & 7)]
        let noise = (other == nil ? 1 + kept : 2 * kept) * own.noise
        (other == nil ? exact : between)[cell] = max(
            Self.least, variance(own, one.differences, other?.differences) / noise)
        return true
    }

    /// The variance of how two frames differ, in squared codes, without what a small error of the motion explains: the
    /// differences between neighbours, to either side. That is what a fit by least squares leaves.
    private func variance(
        _ own: Own, _ one: UnsafePointer<Int16>, _ other: UnsafePointer<Int16>?
    ) -> Float {
        // The sums of all products of 1, what explains, and what is to be explained.
        var sums = InlineArray<6, SIMD8<Float>>(repeating: .zero)
        let (down, own) = (own.stride, own.samples)
        for row in 1...Self.inner {
            for column in 1...Self.inner {
                let at = row * down + column, middle = 2 * Float(own[at])
                let (left, right) = (Float(own[at - 1]), Float(own[at + 1]))
                let (above, below) = (Float(own[at - down]), Float(own[at + down]))
                let difference = Float(one[at]) - (other.map { Float($0[at]) } ?? 0)
                let all = SIMD8(
                    1, right - left, below - above, left + right - middle, above + below - middle, difference, 0, 0)
                for place in 0..<6 { sums[place] += all * all[place] }
            }
        }
        let slopes = sums[1][1] + sums[2][2]
        for pivot in 0..<5 where sums[pivot][pivot] > Self.leastPivot {
            for place in pivot + 1..<6 {
                sums[place] -= sums[pivot] * (sums[place][pivot] / sums[pivot][pivot])
            }
        }
        let count = Float(Self.inner * Self.inner), unexplained = Self.unexplained / 2
        return (sums[5][5] / (count - 5) - unexplained * unexplained * slopes / count) / (32 * 32)
    }

    /// Learns from the cells of which `steps` has the slopes, in rows of `across`. Other rows than those that are
    /// `sampled` were not looked at.
    func learn(steps: Scratch<UInt8>, across: Int, sampled: Scratch<Bool>) {
        medians[0] = 1
        for step in 1..<NoiseModel.slopeSteps {
            func median(_ ratios: Scratch<Float>, _ spread: Float) -> Float? {
                var count = 0
                for row in 0..<sampled.count where sampled[row] {
                    for cell in row * across..<(row + 1) * across where ratios[cell] > 0 && Int(steps[cell]) == step {
                        sorted[count] = ratios[cell]
                        count += 1
                    }
                }
                guard count >= Self.fewestCells else { return nil }
                let most = min(Self.most, Self.growth * max(1, medians[step - 1]))
                let median = sorted.base.median(of: count)
                return min(most, median, max(1, spread * sorted.base.smallest(count / 4, of: count)))
            }
            medians[step] =
                median(exact, Self.spread.exact) ?? median(between, Self.spread.between) ?? medians[step - 1]
        }
        isStronger = medians.contains { $0 > Self.margin }
        SlopeMap.write(medians, to: table.base)
    }

    /// The strongest noise that the slopes of a cell explain.
    func most(of slopes: SlopeMap, x: Int, y: Int, step: (x: Int, y: Int)) -> Float {
        Self.room * slopes.mean(of: table.base, x, y, step)
    }
}
