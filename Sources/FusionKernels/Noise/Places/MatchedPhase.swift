// SPDX-License-Identifier: MIT
// How strong noise is where a picture is steep, from frames that lie on the same samples as the reference.

/// Finds for each slope how much stronger noise is than `NoiseModel` says for its brightness, while the camera moves.
///
/// A sensor has a mosaic of colours that repeats every two pixels. What lies between its samples is guessed, at edges
/// wrongly, and otherwise after each movement: there, moved frames differ by up to six times as much as noise alone
/// would make them. But after a movement by whole, even numbers of pixels, the same is guessed again, and nothing has
/// to be read between samples either. In the hand, this happens in some cells of some frames: noise is measured there.
final class MatchedPhase: @unchecked Sendable {
    /// How far from an even number of pixels a motion may be, in eighths of a sample: motions are rounded to those.
    private static let tolerance: Int16 = 1
    /// Two pixels, in eighths of a sample.
    private static let period: Int16 = 16
    /// The fewest cells of a slope that say anything about it. A dozen may all lie on one thing that moved.
    private static let fewestCells = 24
    /// Noise differs from cell to cell: some have more than the median.
    private static let room: Float = 1.3
    /// The medians of plain noise scatter up to this.
    private static let margin: Float = 1.5
    /// The largest credible median, and its largest multiple of that of the next weaker slope.
    private static let most: Float = 40, growth: Float = 10
    /// Its largest multiple of its own lower quartile. With 4, `night` gains 0.3 dB more, but what passes in `mjpeg`
    /// costs windows 0.8 dB.
    private static let spread: Float = 2
    /// An error of the motion, in samples, that neighbours do not explain, because edges are no parabolas.
    private static let unexplained: Float = 0.05
    /// What is found at least: 0 means that nothing was.
    private static let least: Float = 0.01
    /// In the fit, what has less than this is explained already.
    private static let leastPivot: Float = 1
    /// Samples of a cell that have a neighbour in it on every side, on a side.
    private static let inner = 6

    /// For each cell, how many times the model's variance was found: between the reference and another frame, and
    /// between two others, which may both have lost noise by being read between samples. 0 where nothing was.
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

    /// For a plane of brightness.
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

    /// Whether a motion, in eighths of a sample, is by an even number of samples.
    private static func isMatched(_ motion: SIMD2<Int16>) -> Bool {
        let off = (motion &+ Int16(tolerance)) & (period - 1)
        return max(off.x, off.y) <= 2 * tolerance
    }

    /// A cell of the reference, in Q5 with rows `stride` apart, and the variance that the model expects in it.
    struct Own {
        let samples: UnsafePointer<Int16>
        let stride: Int
        let noise: Float
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
        guard Self.isMatched(one.motion &- (other?.motion ?? .zero)) else { return false }
        let noise = (kept(one.motion) + kept(other?.motion ?? .zero)) * own.noise
        (other == nil ? exact : between)[cell] = max(
            Self.least, variance(own, one.differences, other?.differences) / noise)
        return true
    }

    /// The share of noise that reading a frame keeps. At edges, where cameras do not smooth it, noise is nearly white.
    private func kept(_ motion: SIMD2<Int16>) -> Float {
        interpolation.ofWhite[(Int(motion.y) & 7) * 8 + (Int(motion.x) & 7)]
    }

    /// The variance of how two frames differ, in squared codes, without what a small error of the motion explains: the
    /// differences between neighbours, to either side. That is what a fit by least squares leaves. Neighbours are those
    /// of the frames' mean, because its noise has nothing to do with that of their difference.
    private func variance(
        _ own: Own, _ one: UnsafePointer<Int16>, _ other: UnsafePointer<Int16>?
    ) -> Float {
        // The sums of all products of 1, what explains, and what is to be explained.
        var sums = InlineArray<6, SIMD8<Float>>(repeating: .zero)
        let (down, own) = (own.stride, own.samples)
        func difference(_ at: Int) -> Float { Float(one[at]) - (other.map { Float($0[at]) } ?? 0) }
        func both(_ at: Int) -> Float { 2 * Float(own[at]) + Float(one[at]) + (other.map { Float($0[at]) } ?? 0) }
        for row in 1...Self.inner {
            for column in 1...Self.inner {
                let at = row * down + column, middle = 2 * both(at)
                let (left, right, above, below) = (both(at - 1), both(at + 1), both(at - down), both(at + down))
                let all = SIMD8(
                    1, right - left, below - above, left + right - middle, above + below - middle, difference(at), 0, 0)
                for place in 0..<6 { sums[place] += all * all[place] }
            }
        }
        let slopes = sums[1][1] + sums[2][2]
        for pivot in 0..<5 where sums[pivot][pivot] > Self.leastPivot {
            for place in pivot + 1..<6 {
                sums[place] -= sums[pivot] * (sums[place][pivot] / sums[pivot][pivot])
            }
        }
        // Slopes are of two samples, and of two frames.
        let count = Float(Self.inner * Self.inner), unexplained = Self.unexplained / 4
        return (sums[5][5] / (count - 5) - unexplained * unexplained * slopes / count) / (32 * 32)
    }

    /// Learns from the cells of which `steps` has the slopes, in rows of `across`. Other rows than those that are
    /// `sampled` were not looked at.
    func learn(steps: Scratch<UInt8>, across: Int, sampled: Scratch<Bool>) {
        medians[0] = 1
        for step in 1..<NoiseModel.slopeSteps {
            func median(_ ratios: Scratch<Float>) -> Float? {
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
                return min(most, median, max(1, Self.spread * sorted.base.smallest(count / 4, of: count)))
            }
            medians[step] = median(exact) ?? median(between) ?? medians[step - 1]
        }
        isStronger = medians.contains { $0 > Self.margin }
        SlopeMap.write(medians, to: table.base)
    }

    /// How much noise the slopes of a cell explain at most. That is the mean over its own slopes, although medians are
    /// those of the steepest ones in and around cells: beside an edge, noise is weaker.
    func limit(of slopes: SlopeMap, x: Int, y: Int) -> Float {
        Self.room * slopes.mean(of: table.base, x, y, (1, 1))
    }
}
