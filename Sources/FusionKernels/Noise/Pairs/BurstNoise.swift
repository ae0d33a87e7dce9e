// SPDX-License-Identifier: MIT
// Estimates noise from the differences between two frames that show the same scene.

import LivecapCFusionKernels

/// Estimates the noise of a plane by comparing squares of 16x16 samples with the same part of the scene in another
/// frame. Interpolation removes part of the noise; the estimate corrects for that, frequency by frequency. It owns
/// its working memory.
///
/// The steps: `BurstSquares` finds the squares and their variances. `NoiseGroups` sorts them by brightness into groups
/// of equal size. In each group, the lower quartile of the variances gives the noise, since squares with texture read
/// high. Then groups that seem to consist of edges or texture are corrected by their calm samples (`findCalm`), by
/// the clean groups (`holdTexture`), and by the groups of similar brightness (`cutSpikes`). The groups' variances,
/// joined by straight lines, become the model, to which `SlopeFactors` adds what slopes do.
final class BurstNoise: @unchecked Sendable {
    /// The minimum number of squares for an estimate. Small pictures have no more.
    private static let fewest = 4
    /// If fewer squares than this, or than half of those compared, have no texture, its quietest ones are used, too.
    private static let ample = 96
    /// The largest share of a square's variance that the error of the motion may explain.
    private static let mostExcess: Float = 0.25
    /// The maximum number of squares whose spectra are added up.
    private static let maxSpectra = 32
    /// The number of a group's squares examined in the second look, when the first look finds the group rough.
    private static let closeLook = 16
    /// How many standard deviations below the mean the lower quartile of a normal distribution lies, and how far its
    /// median is above its lowest tenth.
    private static let lowerQuartile: Float = 0.674, lowestTenth: Float = 1.28

    /// The bounds in force.
    private let bounds: NoiseBounds
    private let squares: BurstSquares
    private let groups: NoiseGroups
    private let slopes: SlopeFactors
    private var spectrum: BlockSpectrum
    private let calmSamples = CalmSamples()
    private let codeCounts = Scratch<UInt32>(ClippedCodes.countsNeeded, filledWith: 0)

    init(_ kernels: UnsafePointer<fusion_kernels>, bounds: NoiseBounds = .all) {
        self.bounds = bounds
        squares = BurstSquares(kernels)
        groups = NoiseGroups(squares, bounds)
        slopes = SlopeFactors(bounds)
        spectrum = BlockSpectrum(squares.interpolationResponse, kernels)
    }

    /// Estimates the noise by brightness, and writes it to `model`. Returns false if too little could be compared.
    func estimate(_ pair: PlanePair, into model: inout NoiseModel) -> Bool {
        squares.measure(pair, maxExcess: Self.mostExcess)
        // If there is texture everywhere, its quietest squares are better than none.
        if squares.count < min(Self.ample, squares.seen / 2) { squares.measure(pair, maxExcess: .infinity) }
        guard squares.count >= Self.fewest else { return false }
        let codes = pair.step == (1, 1) ? ClippedCodes(pair.own, codeCounts) : nil
        groups.sort(pair.own, besides: codes?.areAny == true ? codes : nil, fewest: Self.fewest)
        spectrum.clear()
        for group in groups.indices { take(group, most: Self.maxSpectra / groups.count, pair) }
        spectrum.finish(into: &model.spectrum)
        findCalm(pair, estimate: &model.spectrum)
        for group in groups.indices { estimate(group, model.spectrum) }
        // A coarse spectrum means JPEG, which removes most noise where there is no texture: clean groups would limit
        // the others too much.
        if !SpectrumShape(model.spectrum).isCoarse { groups.holdTexture() }
        groups.cutSpikes()
        groups.write(into: &model)
        slopes.find(pair, squares, model: &model)
        return true
    }

    /// Estimates the variance of a group, and whether its squares hold texture: then their variances differ far more
    /// than noise alone makes them differ. Squares with texture between samples read high, so the estimate uses the
    /// lower quartile, divided by where that lies in pure noise.
    private func estimate(_ group: Int, _ spectrum: [Float]) {
        let (deviation, response, found) = (Self.deviation(spectrum), squares.interpolationResponse, groups[group])
        let isTextured =
            found.half.variance * (1 - Self.lowestTenth * deviation) > NoiseLimit.groupSpread * found.tenth.variance
        // The squares' variances assumed white noise; this corrects them for its actual spectrum.
        let phase = found.quarter.phase
        let coloured =
            (1 + response.ofWhite[phase]) / (1 + response.of(spectrum, across: phase & 7, down: phase >> 3))
        var noise = BoundedEstimate(found.quarter.variance / (1 - Self.lowerQuartile * deviation))
        let isRough = noise.limit(to: found.calm, by: .calmSamples, of: bounds)
        noise.scale(by: coloured)
        groups[group].noise = noise
        groups[group].isTextured = isTextured || isRough
    }

    /// The relative standard deviation of the variances of single squares of pure noise. The more correlated
    /// neighbouring samples are, the fewer independent samples a square has, and the more its variance scatters.
    private static func deviation(_ spectrum: [Float]) -> Float {
        let likeness = spectrum.reduce(0) { $0 + $1 * $1 } / Float(spectrum.count)
        return (2 * likeness / Float(MovedSquare.side * MovedSquare.side)).squareRoot()
    }

    /// Finds the groups in which every square holds edges or texture, and sets `calm` for them. The spectrum is then
    /// taken from the other groups; it becomes white if there are none. Noise with a coarse spectrum is left alone:
    /// JPEG removes most noise from calm places, so they say nothing about the rest.
    private func findCalm(_ pair: PlanePair, estimate: inout [Float]) {
        let shape = SpectrumShape(estimate)
        guard !shape.isCoarse, bounds.contains(.calmSamples) else { return }
        let most = shape.isWhite ? NoiseLimit.calmSamples.white : NoiseLimit.calmSamples.smooth
        var rough = 0
        for group in groups.indices {
            // Looks twice, at different squares: one look may find calm samples by chance.
            for (first, count) in [(0, max(2, Self.maxSpectra / groups.count)), (1, Self.closeLook)] {
                let found = compare(group, from: first, count: count, pair)
                let least = found.areClipped ? max(found.calm, NoiseLimit.clippedVariance) : found.calm
                guard found.all > max(most * found.calm, least) else { break }
                if first == 1 { groups[group].calm = least }
            }
            if groups[group].calm < .infinity { rough += 1 }
        }
        guard rough > 0 else { return }
        spectrum.clear()
        for group in groups.indices where groups[group].calm == .infinity {
            take(group, most: Self.maxSpectra / (groups.count - rough), pair)
        }
        spectrum.finish(into: &estimate)
    }

    /// For about `count` of a group's quiet squares: their mean variance, that of their calm samples, and whether
    /// more than a quarter of the squares are clipped.
    private func compare(
        _ group: Int, from first: Int, count: Int, _ pair: PlanePair
    ) -> (all: Float, calm: Float, areClipped: Bool) {
        var (all, calm, number, clipped): (Float, Float, Float, Float) = (0, 0, 0, 0)
        groups.forEachQuiet(in: group, from: first, most: count, apart: 2) { square in
            let both = calmSamples.look(squares.own(square, pair), squares.read(square, pair))
            all += square.variance
            calm += max(NoiseModel.leastVariance, squares.ownVariance(both.variance, square.phase))
            clipped += both.areClipped ? 1 : 0
            number += 1
        }
        return (all / max(1, number), calm / max(1, number), 4 * clipped > number)
    }

    /// Adds the spectra of at most about `most` of a group's quiet squares.
    private func take(_ group: Int, most: Int, _ pair: PlanePair) {
        groups.forEachQuiet(in: group, most: most) { square in
            guard square.variance > 0 else { return }
            let own = squares.own(square, pair), read = squares.read(square, pair)
            for part in 0..<4 {
                let (x, y) = (8 * (part & 1), 8 * (part >> 1))
                spectrum.add(own.from(x: x, y: y), read.from(x: x, y: y), of: square)
            }
        }
    }
}
