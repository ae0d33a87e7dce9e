// SPDX-License-Identifier: MIT
// Estimates noise from the differences between two frames that show the same scene.

import LivecapCFusionKernels

/// Estimates the noise of a plane by comparing squares of 16x16 samples with the same part of the scene in another
/// frame. Interpolation removes part of the noise; the estimate corrects for that, frequency by frequency. It owns
/// its working memory.
///
/// The steps: `BurstSquares` finds the squares and their variances. They are sorted by brightness into groups of
/// equal size. In each group, the lower quartile of the variances gives the noise, since squares with texture read
/// high. Then groups that seem to consist of edges or texture are corrected by their calm samples (`findCalm`), by
/// the clean groups (`holdTexture`), and by the groups of similar brightness (`cutSpikes`). The groups' variances,
/// joined by straight lines, become the model.
final class BurstNoise: @unchecked Sendable {
    /// The minimum number of squares for an estimate. Small pictures have no more.
    private static let fewest = 4
    /// The maximum number of squares whose spectra are added up.
    private static let maxSpectra = 32
    private let kernels: UnsafePointer<fusion_kernels>
    /// The bounds in force.
    private let bounds: NoiseBounds
    private let squares: BurstSquares
    /// The squares in order of brightness, group by group: in each number, the sort key is in the upper 32 bits and
    /// the square's index in the lower ones.
    private let order = Scratch<UInt64>(BurstSquares.capacity, filledWith: 0)
    /// How many of the squares are in `order`.
    private var used = 0
    private let codeCounts = Scratch<UInt32>(ClippedCodes.countsNeeded, filledWith: 0)
    private var spectrum: BlockSpectrum
    private let calmSamples = CalmSamples()
    /// The maximum number of groups of squares of similar brightness.
    private static let maxGroups = 16
    /// The range of brightness, in codes, that each group must span on average. Squares of one brightness have one
    /// noise, so splitting them further would gain nothing.
    private static let leastRange = 3
    /// The brightness and the estimated variance of each group.
    private let points = Scratch<Point>(BurstNoise.maxGroups, filledWith: Point())
    private let quantiles = Scratch<Quantiles>(BurstNoise.maxGroups, filledWith: Quantiles())
    /// The variance of each group's calm samples, in squared codes, where it is far below that of all its samples;
    /// otherwise infinite.
    private let calm = Scratch<Float>(BurstNoise.maxGroups, filledWith: .infinity)
    /// For each place on the scale of slopes, how much stronger than expected noise is in some blocks; and how many.
    private static let mostRatios = 512
    private let ratios = Scratch<Float>(NoiseModel.slopeSteps * mostRatios, filledWith: 0)
    private let ratioCounts = Scratch<Int>(NoiseModel.slopeSteps, filledWith: 0)
    private let lows = Scratch<Float>(BurstNoise.maxGroups, filledWith: 0)

    private struct Point: BitwiseCopyable {
        var brightness: Float = 0
        var noise = BoundedEstimate(0)
        var isTextured = false
    }

    /// The squares at the lowest tenth, quarter and half of a group, ordered by variance.
    private struct Quantiles: BitwiseCopyable {
        var tenth = BurstSquares.Square(), quarter = BurstSquares.Square(), half = BurstSquares.Square()
    }

    init(_ kernels: UnsafePointer<fusion_kernels>, bounds: NoiseBounds = .all) {
        self.kernels = kernels
        self.bounds = bounds
        squares = BurstSquares(kernels)
        spectrum = BlockSpectrum(squares.interpolationResponse)
    }

    /// The same plane of the other frame, and the motion to it in samples of the plane.
    typealias Other = (plane: SamplePlane, motion: AffineMotion)

    /// Estimates the noise by brightness from `reference` and the same plane of another frame, and writes it to
    /// `model`. Returns false if too little could be compared. `frame` is the frame that `reference` belongs to, and
    /// `step` is how many pixels a sample of the plane covers across and down.
    func estimate(
        _ reference: SamplePlane, _ other: Other, frame: FusionFrame, step: (x: Int, y: Int),
        into model: inout NoiseModel
    ) -> Bool {
        squares.measure(reference, other: other, own: frame, step: step, maxExcess: 0.25)
        // If there is texture everywhere, its quietest squares are better than none.
        if squares.count < min(96, squares.seen / 2) {
            squares.measure(reference, other: other, own: frame, step: step, maxExcess: .infinity)
        }
        guard squares.count >= Self.fewest else { return false }
        let codes = step == (1, 1) ? ClippedCodes(reference, codeCounts) : nil
        used = gather(reference, besides: codes?.areAny == true ? codes : nil)
        if used < Self.fewest { used = gather(reference, besides: nil) }
        let count = used
        var order = UnsafeMutableBufferPointer(start: order.base, count: count)
        order.sort()
        spectrum.clear()
        let (darkest, brightest) = (Int(order[0] >> 32), Int(order[count - 1] >> 32))
        let range = (brightest - darkest) / 4096
        let groups = max(1, min(Self.maxGroups, count / 48, range / Self.leastRange))
        for group in 0..<groups {
            var members = members(of: group, groups)
            var (sum, number) = (Float(0), Float(0))
            for index in members.indices {
                let place = members[index] & 0xFFFF_FFFF
                members[index] = UInt64(squares[Int(place)].variance.bitPattern) << 32 | place
            }
            members.sort()
            for index in 0..<max(1, members.count / 2) {
                sum += square(members[index]).brightness
                number += 1
            }
            points[group].brightness = sum / number
            quantiles[group] = Quantiles(
                tenth: square(members[members.count / 10]), quarter: square(members[members.count / 4]),
                half: square(members[members.count / 2]))
            take(members, most: Self.maxSpectra / groups, reference: reference, other: other.plane)
        }
        spectrum.finish(into: &model.spectrum)
        findCalm(groups, reference: reference, other: other.plane, estimate: &model.spectrum)
        for group in 0..<groups { (points[group].noise, points[group].isTextured) = estimate(group, model.spectrum) }
        // A coarse spectrum means JPEG, which removes most noise where there is no texture: clean groups would limit
        // the others too much.
        if !SpectrumShape(model.spectrum).isCoarse { holdTexture(groups) }
        cutSpikes(groups)
        model.decidedBy = []
        for group in 0..<groups { points[group].noise.decidedBy.map { model.decidedBy.insert($0) } }
        for group in 0...groups {
            let from = points[max(0, group - 1)], to = points[min(group, groups - 1)]
            model.draw(
                from: (group == 0 ? 0 : from.brightness, max(NoiseModel.leastVariance, from.noise.value)),
                to: (
                    group == groups ? Float(NoiseModel.levels) : to.brightness,
                    max(NoiseModel.leastVariance, to.noise.value)
                ))
        }
        findSlopes(reference, other: other, half: frame.levels[0].view, step: step, model: &model)
        model.isTextured = 2 * (0..<groups).count { points[$0].isTextured } > groups
        model.seen = Int(points[0].brightness)...Int(points[groups - 1].brightness)
        return true
    }

    /// Estimates the variance of a group, and reports whether its squares hold texture: then their variances differ
    /// far more than noise alone makes them differ. Squares with texture between samples read high, so the estimate
    /// uses the lower quartile, divided by where that lies in pure noise (0.674 standard deviations below the mean).
    private func estimate(_ group: Int, _ spectrum: [Float]) -> (noise: BoundedEstimate, isTextured: Bool) {
        let members = quantiles[group], deviation = Self.deviation(spectrum), quarter = members.quarter
        let isTextured =
            members.half.variance * (1 - 1.28 * deviation) > NoiseLimit.groupSpread * members.tenth.variance
        // The squares' variances assumed white noise; this corrects them for its actual spectrum.
        let white = squares.interpolationResponse.ofWhite[quarter.phase]
        let coloured =
            (1 + white)
            / (1 + squares.interpolationResponse.of(spectrum, across: quarter.phase & 7, down: quarter.phase >> 3))
        var noise = BoundedEstimate(quarter.variance / (1 - 0.674 * deviation))
        let isRough = noise.limit(to: calm[group], by: .calmSamples, of: bounds)
        noise.scale(by: coloured)
        return (noise, isTextured || isRough)
    }

    /// About how many squares are looked at for that.
    private static let steepSquares = 200
    /// The number of blocks from which a factor is found.
    private static let fewestBlocks = 24

    /// Finds by how much noise is stronger at slopes than in flat places of the same brightness, for each place on the
    /// scale, from blocks of 4x4 samples. It takes a camera that stands still: between samples, the misfit of edges
    /// could not be told from noise, and slopes are assumed to make no difference.
    private func findSlopes(
        _ reference: SamplePlane, other: Other, half: LevelView, step: (x: Int, y: Int),
        model: inout NoiseModel
    ) {
        for place in 0..<NoiseModel.slopeSteps { (model.slopeFactors[place], ratioCounts[place]) = (1, 0) }
        guard other.motion.isStill else { return }
        for index in stride(from: 0, to: squares.count, by: max(1, squares.count / Self.steepSquares)) {
            let square = squares[index]
            guard square.phase == 0 else { continue }
            let noise = model.variance(at: square.brightness)
            let gain = squares.gain(of: square, reference, other.plane, noise: noise)
            for y in stride(from: Int(square.y), to: Int(square.y) + MovedSquare.side, by: SlopeMap.block) {
                for x in stride(from: Int(square.x), to: Int(square.x) + MovedSquare.side, by: SlopeMap.block) {
                    let steepest = SlopeMap.most(half, x: x * step.x, y: y * step.y, step: step)
                    let place = (steepest + SlopeMap.steps / 2) / SlopeMap.steps
                    guard ratioCounts[place] < Self.mostRatios else { continue }
                    ratios[place * Self.mostRatios + ratioCounts[place]] =
                        squares.difference(of: square, reference, other: other.plane, x: x, y: y, gain: gain)
                        / (2 * noise)
                    ratioCounts[place] += 1
                }
            }
        }
        for place in 1..<NoiseModel.slopeSteps {
            let found = UnsafeMutableBufferPointer(
                start: ratios.base + place * Self.mostRatios, count: ratioCounts[place])
            let factor = factor(found)
            model.slopeFactors[place] = factor?.value ?? model.slopeFactors[place - 1]
            factor?.decidedBy.map { model.decidedBy.insert($0) }
        }
    }

    /// The factor that follows from how much stronger noise is in some blocks. Nil if there are too few.
    private func factor(_ ratios: UnsafeMutableBufferPointer<Float>) -> BoundedEstimate? {
        guard ratios.count >= Self.fewestBlocks else { return nil }
        var ratios = ratios
        ratios.sort()
        let (low, middle, high) = (ratios[ratios.count / 4], ratios[ratios.count / 2], ratios[ratios.count * 7 / 8])
        var factor = BoundedEstimate(max(1, high))
        let most = min(NoiseLimit.slopeQuantiles.median * middle, NoiseLimit.slopeQuantiles.quartile * low)
        factor.limit(to: max(1, most), by: .slopeQuantiles, of: bounds)
        return factor
    }

    /// The relative standard deviation of the variances of single squares of pure noise. The more correlated
    /// neighbouring samples are, the fewer independent samples a square has, and the more its variance scatters.
    private static func deviation(_ spectrum: [Float]) -> Float {
        let likeness = spectrum.reduce(0) { $0 + $1 * $1 } / Float(spectrum.count)
        return (2 * likeness / Float(MovedSquare.side * MovedSquare.side)).squareRoot()
    }

    /// The square whose index is in the lower half of a number.
    private func square(_ number: UInt64) -> BurstSquares.Square { squares[Int(number & 0xFFFF_FFFF)] }

    /// Writes the squares to `order`, besides those of whose samples more than an eighth are clipped, which have less
    /// noise than others of their brightness. Returns their number.
    private func gather(_ plane: SamplePlane, besides codes: ClippedCodes?) -> Int {
        var count = 0
        for index in 0..<squares.count {
            if let codes, 8 * clipped(squares[index], plane, codes) > MovedSquare.side * MovedSquare.side { continue }
            // Integers sort faster than squares: brightness (later variance) in the upper half, the square's index in
            // the lower.
            order[count] = UInt64(squares[index].brightness * 4096) << 32 | UInt64(index)
            count += 1
        }
        return count
    }

    /// How many samples of a square are clipped.
    private func clipped(_ square: BurstSquares.Square, _ plane: SamplePlane, _ codes: ClippedCodes) -> Int {
        var marks = SIMD2<UInt64>.zero
        for y in 0..<MovedSquare.side {
            let row = UnsafeRawPointer(plane.row(Int(square.y) + y) + Int(square.x))
            marks &+= codes.marks(row.loadUnaligned(as: SIMD2<UInt64>.self))
        }
        return ClippedCodes.sum(marks.x) + ClippedCodes.sum(marks.y)
    }

    /// The squares of one of `groups` groups, as elements of `order`.
    private func members(of group: Int, _ groups: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let (first, end) = (group * used / groups, (group + 1) * used / groups)
        return UnsafeMutableBufferPointer(start: order.base + first, count: end - first)
    }

    /// Limits the variance of textured groups, whose quietest squares may still hold texture, by that of each clean
    /// group.
    private func holdTexture(_ groups: Int) {
        for group in 0..<groups where points[group].isTextured {
            for clean in 0..<groups where !points[clean].isTextured {
                let (here, there) = (max(1, points[group].brightness), max(1, points[clean].brightness))
                points[group].noise.limit(
                    to: points[clean].noise.value * NoiseLimit.growth(from: there, to: here), by: .cleanGroups,
                    of: bounds)
            }
        }
    }

    /// Removes peaks: variances above those of the groups on both sides, within two groups.
    private func cutSpikes(_ groups: Int) {
        for group in 0..<groups {
            var least = Float.infinity
            for near in max(0, group - 2)...min(groups - 1, group + 2) { least = min(least, points[near].noise.value) }
            lows[group] = least
        }
        for group in 0..<groups {
            var most: Float = 0
            for near in max(0, group - 2)...min(groups - 1, group + 2) { most = max(most, lows[near]) }
            points[group].noise.limit(
                to: most, by: .neighbouringGroups, of: bounds, tolerance: NoiseLimit.peakTolerance)
        }
    }

    /// The number of a group's squares examined in the second look, when the first look finds the group rough.
    private static let closeLook = 16

    /// Finds the groups in which every square holds edges or texture, and sets `calm` for them. The spectrum is then
    /// taken from the other groups; it becomes white if there are none. Noise with a coarse spectrum is left alone:
    /// JPEG removes most noise from calm places, so they say nothing about the rest.
    private func findCalm(
        _ groups: Int, reference: SamplePlane, other: SamplePlane, estimate: inout [Float]
    ) {
        let shape = SpectrumShape(estimate),
            most = shape.isWhite ? NoiseLimit.calmSamples.white : NoiseLimit.calmSamples.smooth
        var rough = 0
        for group in 0..<groups {
            calm[group] = .infinity
            guard !shape.isCoarse, bounds.contains(.calmSamples) else { continue }
            let members = members(of: group, groups)
            // Looks twice, at different squares: one look may find calm samples by chance.
            for (first, count) in [(0, max(2, Self.maxSpectra / groups)), (1, Self.closeLook)] {
                let found = compare(members, from: first, count: count, reference: reference, other: other)
                let least = found.areClipped ? max(found.calm, NoiseLimit.clippedVariance) : found.calm
                guard found.all > max(most * found.calm, least) else { break }
                if first == 1 { calm[group] = least }
            }
            if calm[group] < .infinity { rough += 1 }
        }
        guard rough > 0 else { return }
        spectrum.clear()
        for group in 0..<groups where calm[group] == .infinity {
            take(
                members(of: group, groups), most: Self.maxSpectra / (groups - rough), reference: reference, other: other
            )
        }
        spectrum.finish(into: &estimate)
    }

    /// The range of a group's squares, ordered by variance, that are used: not the quietest tenth, which are clipped,
    /// nor the upper 60%, which may have texture.
    private static func quiet(_ members: UnsafeMutableBufferPointer<UInt64>) -> Range<Int> {
        members.count / 10..<members.count * 4 / 10
    }

    /// For about `count` of a group's quiet squares: their mean variance, that of their calm samples, and whether
    /// more than a quarter of the squares are clipped.
    private func compare(
        _ members: UnsafeMutableBufferPointer<UInt64>, from first: Int, count: Int, reference: SamplePlane,
        other: SamplePlane
    ) -> (all: Float, calm: Float, areClipped: Bool) {
        let quiet = Self.quiet(members)
        var (all, calm, number, clipped): (Float, Float, Float, Float) = (0, 0, 0, 0)
        for index in stride(from: quiet.lowerBound + first, to: quiet.upperBound, by: max(2, quiet.count / count)) {
            let square = square(members[index]), read = squares.read(square, other)
            let both = calmSamples.look(
                a: reference.row(Int(square.y)) + Int(square.x), aStride: reference.stride, b: read.samples,
                bStride: read.stride)
            all += square.variance
            calm += max(NoiseModel.leastVariance, squares.ownVariance(both.variance, square.phase))
            clipped += both.areClipped ? 1 : 0
            number += 1
        }
        return (all / max(1, number), calm / max(1, number), 4 * clipped > number)
    }

    /// Adds the spectra of at most about `most` of a group's quiet squares.
    private func take(
        _ members: UnsafeMutableBufferPointer<UInt64>, most: Int, reference: SamplePlane, other: SamplePlane
    ) {
        let quiet = Self.quiet(members)
        for index in stride(from: quiet.lowerBound, to: quiet.upperBound, by: max(1, quiet.count / max(1, most))) {
            let square = square(members[index])
            guard square.variance > 0 else { continue }
            let (x, y) = (Int(square.x), Int(square.y)), read = squares.read(square, other)
            for part in 0..<4 {
                let (left, top) = (8 * (part & 1), 8 * (part >> 1))
                spectrum.add(
                    a: reference.row(y + top) + x + left, aStride: reference.stride,
                    b: read.samples + top * read.stride + left,
                    bStride: read.stride, mean: square.mean, weight: 1 / square.variance, across: Int(square.otherX),
                    down: Int(square.otherY), kernels: kernels)
            }
        }
    }
}

extension NoiseModel {
    /// Draws a straight line of variance from one brightness to another.
    mutating func draw(from: (brightness: Float, variance: Float), to: (brightness: Float, variance: Float)) {
        let first = Int(from.brightness.rounded(.up)), last = min(Self.levels, Int(to.brightness.rounded(.up)))
        let slope = (to.variance - from.variance) / max(1e-3, to.brightness - from.brightness)
        for code in max(0, first)..<max(0, first, last) {
            variance[code] = from.variance + (Float(code) - from.brightness) * slope
        }
    }
}
