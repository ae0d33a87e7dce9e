// SPDX-License-Identifier: MIT
// Noise told from what differs between frames that show the same.

import CFusionKernels

/// Estimates the noise of a plane from squares of it that another frame has, too; what reading between samples took of it is
/// put back frequency by frequency. It owns the memory it works in.
final class BurstNoise: @unchecked Sendable {
    /// The fewest squares that tell anything: small pictures have no more.
    private static let fewest = 4
    /// Squares whose spectrum is taken.
    private static let mostSpectra = 32
    private let kernels: UnsafePointer<fusion_kernels>
    private let squares: BurstSquares
    /// The squares' places, group by group.
    private let order = Scratch<UInt64>(BurstSquares.capacity, filledWith: 0)
    private var spectrum: BlockSpectrum
    private let calmSamples = CalmSamples()
    /// The noise of groups of squares of like brightness.
    private static let mostGroups = 16
    /// How many codes a group has of its own at least, in the mean: of one brightness there is one noise.
    private static let leastRange = 3
    private let points = Scratch<Point>(BurstNoise.mostGroups, filledWith: Point())
    private let quantiles = Scratch<Quantiles>(BurstNoise.mostGroups, filledWith: Quantiles())
    /// What the calm samples of each group tell, where that is far less than all of them do; else without end.
    private let calm = Scratch<Float>(BurstNoise.mostGroups, filledWith: .infinity)
    private let lows = Scratch<Float>(BurstNoise.mostGroups, filledWith: 0)

    private struct Point: BitwiseCopyable {
        var brightness: Float = 0
        var variance: Float = 0
        var isTextured = false
    }

    /// What a tenth, a quarter and half of a group's squares lie below.
    private struct Quantiles: BitwiseCopyable {
        var tenth = BurstSquares.Square(), quarter = BurstSquares.Square(), half = BurstSquares.Square()
    }

    init(_ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        squares = BurstSquares(kernels)
        spectrum = BlockSpectrum(squares.keptNoise)
    }

    /// The same plane of the other frame, and its motion in samples of the plane.
    typealias Other = (plane: SamplePlane, motion: AffineMotion)

    /// Fills in `model`, by brightness, from `reference` and another frame; false when too little could be compared.
    /// `frame` is the reference's, and `step` how many pixels a sample of the plane serves.
    func estimate(
        _ reference: SamplePlane, _ other: Other, frame: FusionFrame, step: (x: Int, y: Int),
        into model: inout NoiseModel
    ) -> Bool {
        squares.measure(reference, other, frame, step, mostExcess: 0.25)
        // Where there is texture everywhere, its quietest squares are better than none.
        if squares.count < min(96, squares.seen / 2) {
            squares.measure(reference, other, frame, step, mostExcess: .infinity)
        }
        let count = squares.count
        guard count >= Self.fewest else { return false }
        // Numbers sort faster than squares do: brightness or variance above, the square's place below.
        var order = UnsafeMutableBufferPointer(start: order.base, count: count)
        for index in 0..<count { order[index] = UInt64(squares[index].brightness * 4096) << 32 | UInt64(index) }
        order.sort()
        spectrum.clear()
        let range = Int((order[count - 1] >> 32 - order[0] >> 32) / 4096)
        let groups = max(1, min(Self.mostGroups, count / 48, range / Self.leastRange))
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
            take(members, Self.mostSpectra / groups, reference, other.plane)
        }
        spectrum.finish(into: &model.spectrum)
        findCalm(groups, reference, other.plane, &model.spectrum)
        for group in 0..<groups { (points[group].variance, points[group].isTextured) = told(group, model.spectrum) }
        // JPEG takes most of the noise where there is no texture.
        if !SpectrumShape(model.spectrum).isCoarse { holdTexture(groups) }
        cutSpikes(groups)
        for group in 0..<groups { points[group].variance = max(NoiseModel.leastVariance, points[group].variance) }
        for group in 0...groups {
            let from = points[max(0, group - 1)], to = points[min(group, groups - 1)]
            model.draw(
                from: (group == 0 ? 0 : from.brightness, from.variance),
                to: (group == groups ? Float(NoiseModel.levels) : to.brightness, to.variance))
        }
        model.isTextured = 2 * (0..<groups).count { points[$0].isTextured } > groups
        model.seen = Int(points[0].brightness)...Int(points[groups - 1].brightness)
        return true
    }

    /// The variance that a group's squares tell, and whether there is texture in them: they differ far more from each other then
    /// than those of noise do. Those with texture that lies between samples read high, so a low quantile tells.
    private func told(_ group: Int, _ spectrum: [Float]) -> (variance: Float, isTextured: Bool) {
        let members = quantiles[group], deviation = Self.deviation(spectrum), quarter = members.quarter
        let isTextured =
            members.half.variance * (1 - 1.28 * deviation) > Self.mostSpread * members.tenth.variance
        // They were measured as if noise were white.
        let white = squares.keptNoise.ofWhite[quarter.phase]
        let coloured =
            (1 + white) / (1 + squares.keptNoise.of(spectrum, across: quarter.phase & 7, down: quarter.phase >> 3))
        let all = quarter.variance / (1 - 0.674 * deviation)
        return (min(all, calm[group]) * coloured, isTextured || calm[group] < all)
    }

    /// How many times what noise spreads them variances may be spread.
    private static let mostSpread: Float = 1.25

    /// The standard deviation of squares' variances: the more alike the samples beside each other are, the fewer they count
    /// for, and the more their variances are spread.
    private static func deviation(_ spectrum: [Float]) -> Float {
        let likeness = spectrum.reduce(0) { $0 + $1 * $1 } / Float(spectrum.count)
        return (2 * likeness / Float(MovedSquare.side * MovedSquare.side)).squareRoot()
    }

    /// The square whose place is in the lower half of a number.
    private func square(_ number: UInt64) -> BurstSquares.Square { squares[Int(number & 0xFFFF_FFFF)] }

    /// The squares of one of so many groups, as numbers of `order`.
    private func members(of group: Int, _ groups: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let (first, end) = (group * squares.count / groups, (group + 1) * squares.count / groups)
        return UnsafeMutableBufferPointer(start: order.base + first, count: end - first)
    }

    /// Of textured squares even the quietest may hold texture. No more is believed of them than squares of noise alone allow:
    /// where it is so little, it is light's own, and changes no faster than its root, with it or, behind the tone curve,
    /// against it.
    private func holdTexture(_ groups: Int) {
        for group in 0..<groups where points[group].isTextured {
            for clean in 0..<groups where !points[clean].isTextured {
                let (here, there) = (max(1, points[group].brightness), max(1, points[clean].brightness))
                points[group].variance = min(
                    points[group].variance, points[clean].variance * max(here / there, there / here).squareRoot())
            }
        }
    }

    /// Noise changes slowly with brightness: what is more than on both sides within two groups is texture, of a brightness
    /// that hardly anything else has.
    private func cutSpikes(_ groups: Int) {
        for group in 0..<groups {
            var least = Float.infinity
            for near in max(0, group - 2)...min(groups - 1, group + 2) { least = min(least, points[near].variance) }
            lows[group] = least
        }
        for group in 0..<groups {
            var most: Float = 0
            for near in max(0, group - 2)...min(groups - 1, group + 2) { most = max(most, lows[near]) }
            // Half as much again is within what a tone curve does.
            if points[group].variance > 1.5 * most { points[group].variance = most }
        }
    }

    /// How many times what calm samples tell all of them may where there is nothing but noise: what is calm in noise that
    /// is smooth has less of it.
    private static let mostOfCalm: (white: Float, smooth: Float) = (1.25, 2)
    /// What is clipped has no noise, however much there is beside. But so near to white the tone curve is flat: there is never
    /// more than this.
    private static let mostOfWhite: Float = 4
    /// So many of a group's squares are looked at closely, where a first look finds them rough.
    private static let closeLook = 16

    /// Finds the groups whose squares all hold edges or texture, and what their calm samples tell. The spectrum is that of the
    /// others then, white noise's if there are none. JPEG takes most of the noise where it is calm: of that nothing is told.
    private func findCalm(
        _ groups: Int, _ reference: SamplePlane, _ other: SamplePlane, _ told: inout [Float]
    ) {
        let shape = SpectrumShape(told), most = shape.isWhite ? Self.mostOfCalm.white : Self.mostOfCalm.smooth
        var rough = 0
        for group in 0..<groups {
            calm[group] = .infinity
            guard !shape.isCoarse else { continue }
            let members = members(of: group, groups)
            // Twice, of other squares: what chance makes look calm once is not believed.
            for (first, count) in [(0, max(2, Self.mostSpectra / groups)), (1, Self.closeLook)] {
                let found = compare(members, from: first, count, reference, other)
                let least = found.areClipped ? max(found.calm, Self.mostOfWhite) : found.calm
                guard found.all > max(most * found.calm, least) else { break }
                if first == 1 { calm[group] = least }
            }
            if calm[group] < .infinity { rough += 1 }
        }
        guard rough > 0 else { return }
        spectrum.clear()
        for group in 0..<groups where calm[group] == .infinity {
            take(members(of: group, groups), Self.mostSpectra / (groups - rough), reference, other)
        }
        spectrum.finish(into: &told)
    }

    /// Neither the very quietest of a group's squares, which are clipped, nor those that may have texture.
    private static func quiet(_ members: UnsafeMutableBufferPointer<UInt64>) -> Range<Int> {
        members.count / 10..<members.count * 4 / 10
    }

    /// The mean variance of about `count` of a group's quiet squares, and of their calm samples; and whether those of more than
    /// a quarter of them are clipped.
    private func compare(
        _ members: UnsafeMutableBufferPointer<UInt64>, from first: Int, _ count: Int, _ reference: SamplePlane,
        _ other: SamplePlane
    ) -> (all: Float, calm: Float, areClipped: Bool) {
        let quiet = Self.quiet(members)
        var (all, calm, number, clipped): (Float, Float, Float, Float) = (0, 0, 0, 0)
        for index in stride(from: quiet.lowerBound + first, to: quiet.upperBound, by: max(2, quiet.count / count)) {
            let square = square(members[index]), read = squares.read(square, other)
            let both = calmSamples.look(
                reference.row(Int(square.y)) + Int(square.x), reference.stride, read.samples, read.stride)
            all += square.variance
            calm += max(NoiseModel.leastVariance, squares.ownVariance(both.variance, square.phase))
            clipped += both.areClipped ? 1 : 0
            number += 1
        }
        return (all / max(1, number), calm / max(1, number), 4 * clipped > number)
    }

    /// Adds the spectra of some of a group's quiet squares.
    private func take(
        _ members: UnsafeMutableBufferPointer<UInt64>, _ most: Int, _ reference: SamplePlane, _ other: SamplePlane
    ) {
        let quiet = Self.quiet(members)
        for index in stride(from: quiet.lowerBound, to: quiet.upperBound, by: max(1, quiet.count / max(1, most))) {
            let square = square(members[index])
            guard square.variance > 0 else { continue }
            let (x, y) = (Int(square.x), Int(square.y)), read = squares.read(square, other)
            for part in 0..<4 {
                let (left, top) = (8 * (part & 1), 8 * (part >> 1))
                spectrum.add(
                    reference.row(y + top) + x + left, reference.stride, read.samples + top * read.stride + left,
                    read.stride, mean: square.mean, weight: 1 / square.variance, across: Int(square.otherX),
                    down: Int(square.otherY), kernels)
            }
        }
    }
}

extension NoiseModel {
    /// A straight line from one brightness to another.
    mutating func draw(from: (brightness: Float, variance: Float), to: (brightness: Float, variance: Float)) {
        let first = Int(from.brightness.rounded(.up)), last = min(Self.levels, Int(to.brightness.rounded(.up)))
        let slope = (to.variance - from.variance) / max(1e-3, to.brightness - from.brightness)
        for code in max(0, first)..<max(0, first, last) {
            variance[code] = from.variance + (Float(code) - from.brightness) * slope
        }
    }
}
