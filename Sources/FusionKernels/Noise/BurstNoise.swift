// SPDX-License-Identifier: MIT
// Noise told from what differs between frames that show the same.

import CFusionKernels

/// Estimates the noise of a plane from aligned squares of it in another frame. Each is compared where it lies, to the nearest
/// sample, as reading between samples takes noise away. But where fine texture would differ by more than the noise does, it
/// is read so, and what that took is put back frequency by frequency. It owns the memory it works in.
final class BurstNoise: @unchecked Sendable {
    /// Samples a square spans.
    private static let side = MovedSquare.side
    /// The fewest squares that tell anything: small pictures have no more.
    private static let fewest = 4
    /// Squares measured, about.
    private static let most = 800
    /// Pixels of a picture in which so many hardly overlap.
    static let ampleArea = most * side * side
    /// Squares whose spectrum is taken.
    private static let mostSpectra = 32
    private let kernels: UnsafePointer<fusion_kernels>
    private let found = Scratch<Square>(2 * BurstNoise.most, filledWith: Square())
    private let order = Scratch<UInt64>(2 * BurstNoise.most, filledWith: 0)
    private var count = 0
    /// Squares compared, textured ones too.
    private var seen = 0
    private let keptNoise = KeptNoise()
    private var spectrum: BlockSpectrum
    private let moved: MovedSquare
    /// The noise of groups of squares of like brightness.
    private static let mostGroups = 16
    /// How many codes a group has of its own at least, in the mean: of one brightness there is one noise.
    private static let leastRange = 3
    private let points = Scratch<Point>(BurstNoise.mostGroups, filledWith: Point())
    private let quantiles = Scratch<Quantiles>(BurstNoise.mostGroups, filledWith: Quantiles())
    private let lows = Scratch<Float>(BurstNoise.mostGroups, filledWith: 0)

    private struct Point: BitwiseCopyable {
        var brightness: Float = 0
        var variance: Float = 0
        var isTextured = false
    }

    /// A square, as compared with the other frame.
    private struct Square: BitwiseCopyable {
        var brightness: Float = 0
        var variance: Float = 0
        /// The mean difference.
        var mean: Float = 0
        var x: Int32 = 0
        var y: Int32 = 0
        /// Where it lies in the other frame, in eighths of a sample.
        var otherX: Int32 = 0
        var otherY: Int32 = 0
    }

    /// What a tenth, a quarter and half of a group's squares lie below.
    private struct Quantiles: BitwiseCopyable {
        var tenth = Square(), quarter = Square(), half = Square()
    }

    init(_ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        spectrum = BlockSpectrum(keptNoise)
        moved = MovedSquare(kernels)
    }

    /// The same plane of the other frame, and its motion in samples of the plane.
    typealias Other = (plane: SamplePlane, motion: AffineMotion)

    /// Fills in `model`, by brightness, from `reference` and another frame; false when too little could be compared.
    /// `frame` is the reference's, and `step` how many pixels a sample of the plane serves.
    func estimate(
        _ reference: SamplePlane, _ other: Other, frame: FusionFrame, step: (x: Int, y: Int),
        into model: inout NoiseModel
    ) -> Bool {
        measure(reference, other, frame, step, mostExcess: 0.25)
        // Where there is texture everywhere, its quietest squares are better than none.
        if count < min(96, seen / 2) { measure(reference, other, frame, step, mostExcess: .infinity) }
        guard count >= Self.fewest else { return false }
        // Numbers sort faster than squares do: brightness or variance above, the square's place below.
        var order = UnsafeMutableBufferPointer(start: order.base, count: count)
        for index in 0..<count { order[index] = UInt64(found[index].brightness * 4096) << 32 | UInt64(index) }
        order.sort()
        spectrum.clear()
        let range = Int((order[count - 1] >> 32 - order[0] >> 32) / 4096)
        let groups = max(1, min(Self.mostGroups, count / 48, range / Self.leastRange))
        for group in 0..<groups {
            var squares = UnsafeMutableBufferPointer(
                rebasing: order[group * count / groups..<(group + 1) * count / groups])
            var (sum, number) = (Float(0), Float(0))
            for index in squares.indices {
                let place = squares[index] & 0xFFFF_FFFF
                squares[index] = UInt64(found[Int(place)].variance.bitPattern) << 32 | place
            }
            squares.sort()
            for index in 0..<max(1, squares.count / 2) {
                sum += square(squares[index]).brightness
                number += 1
            }
            points[group].brightness = sum / number
            quantiles[group] = Quantiles(
                tenth: square(squares[squares.count / 10]), quarter: square(squares[squares.count / 4]),
                half: square(squares[squares.count / 2]))
            take(squares, Self.mostSpectra / groups, reference, other.plane)
        }
        spectrum.finish(into: &model.spectrum)
        for group in 0..<groups { (points[group].variance, points[group].isTextured) = told(group, model.spectrum) }
        // JPEG takes most of the noise where there is no texture.
        if !SpectrumShape(model.spectrum).isCoarse { holdTexture(groups) }
        cutSpikes(groups)
        for group in 0..<groups { points[group].variance = max(0.1, points[group].variance) }
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
        let squares = quantiles[group], deviation = Self.deviation(spectrum), quarter = squares.quarter
        let isTextured =
            squares.half.variance * (1 - 1.28 * deviation) > Self.mostSpread * squares.tenth.variance
        // They were measured as if noise were white.
        let (x, y) = (Int(quarter.otherX), Int(quarter.otherY)), white = keptNoise.ofWhite[x & 7 + 8 * (y & 7)]
        let variance = quarter.variance * (1 + white) / (1 + keptNoise.of(spectrum, across: x, down: y))
        return (variance / (1 - 0.674 * deviation), isTextured)
    }

    /// How many times what noise spreads them variances may be spread.
    private static let mostSpread: Float = 1.25

    /// The standard deviation of squares' variances: the more alike the samples beside each other are, the fewer they count
    /// for, and the more their variances are spread.
    private static func deviation(_ spectrum: [Float]) -> Float {
        let likeness = spectrum.reduce(0) { $0 + $1 * $1 } / Float(spectrum.count)
        return (2 * likeness / Float(side * side)).squareRoot()
    }

    /// The square whose place is in the lower half of a number.
    private func square(_ number: UInt64) -> Square { found[Int(number & 0xFFFF_FFFF)] }

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

    private func measure(
        _ reference: SamplePlane, _ other: Other, _ own: FusionFrame, _ step: (x: Int, y: Int), mostExcess: Float
    ) {
        (count, seen) = (0, 0)
        // The level whose samples are means of 8x8 pixels.
        let (brightness, half) = (own.levels[2].view, own.levels[0].view)
        let (width, height, side) = (reference.width, reference.height, Self.side)
        let grid = max(4, Int(Float(width * height / Self.most).squareRoot().rounded(.up)))
        for (row, y) in Swift.stride(from: 0, through: height - side, by: grid).enumerated() {
            // Every other row half a step to the right, so that columns of the scene are not missed.
            for x in Swift.stride(from: row % 2 * grid / 2, through: width - side, by: grid) {
                let (mx, my) = other.motion.at(Float(x) + 7.5, Float(y) + 7.5)
                guard abs(mx) < 8192 && abs(my) < 8192, count < found.count else { continue }
                guard var square = compare(reference, other.plane, x, y, moved: (mx, my)) else { continue }
                // What does not differ at all is no sensor's: painted over the picture, or clipped.
                guard square.variance > 0.02 else { continue }
                seen += 1
                let missed = (
                    x: abs(mx - Float(square.otherX) / 8 + Float(x)) * Float(step.x),
                    y: abs(my - Float(square.otherY) / 8 + Float(y)) * Float(step.y)
                )
                guard excess(half, x * step.x, y * step.y, missed) <= mostExcess * square.variance else { continue }
                square.brightness = brightness.code((x + side / 2) * step.x / 8, (y + side / 2) * step.y / 8)
                found[count] = square
                count += 1
            }
        }
    }

    /// Compares a square with what has moved so far: to the nearest sample, unless reading between samples has it differ far
    /// less, which is texture then. Nil where that is not within the plane.
    private func compare(
        _ reference: SamplePlane, _ other: SamplePlane, _ x: Int, _ y: Int, moved: (x: Float, y: Float)
    ) -> Square? {
        let (wholeX, wholeY) = (8 * (x + Int(moved.x.rounded())), 8 * (y + Int(moved.y.rounded())))
        guard let nearest = compare(reference, other, x, y, wholeX, wholeY) else { return nil }
        let (otherX, otherY) = (8 * x + Int((8 * moved.x).rounded()), 8 * y + Int((8 * moved.y).rounded()))
        guard otherX != wholeX || otherY != wholeY else { return nearest }
        guard let between = compare(reference, other, x, y, otherX, otherY) else { return nearest }
        return nearest.variance > Self.mostTexture * between.variance ? between : nearest
    }

    /// So many times what reading between samples leaves, texture and noise are believed to be noise.
    private static let mostTexture: Float = 1.25

    /// Compares a square with what lies at so many eighths of a sample; its brightness is not asked for.
    private func compare(
        _ reference: SamplePlane, _ other: SamplePlane, _ x: Int, _ y: Int, _ otherX: Int, _ otherY: Int
    ) -> Square? {
        guard MovedSquare.isWithin(other, otherX, otherY) else { return nil }
        let read = moved.read(other, otherX, otherY)
        var sums = (Int32(0), Int32(0))
        withUnsafeMutablePointer(to: &sums) { sums in
            sums.withMemoryRebound(to: Int32.self, capacity: 2) { sums in
                kernels.pointee.compare_squares(
                    reference.row(y) + x, reference.stride, read.samples, read.stride, sums)
            }
        }
        let mean = Float(sums.0) / 256, phase = otherX & 7 + 8 * (otherY & 7)
        // Both squares have the noise, one that is read less; 255 because the mean was taken from them, too. What is read is
        // rounded to codes.
        let both = max(0, Float(sums.1) - 256 * mean * mean) / 255 - (phase == 0 ? 0 : 1.0 / 12)
        return Square(
            variance: both / (1 + keptNoise.ofWhite[phase]), mean: mean, x: Int32(x), y: Int32(y),
            otherX: Int32(otherX),
            otherY: Int32(otherY))
    }

    /// What the slopes around a pixel make of missing it by a part of a pixel, in squared codes: squares where that is much
    /// of what differs say nothing of noise. Slopes are seen at half the size, where the finest of them are weaker.
    private func excess(_ level: LevelView, _ x: Int, _ y: Int, _ missed: (x: Float, y: Float)) -> Float {
        let (left, top) = (min(x / 2, max(0, level.width - 8)), min(y / 2, max(0, level.height - 8)))
        var slopes = (Int32(0), Int32(0), Int32(0), Int32(0))
        withUnsafeMutablePointer(to: &slopes) { slopes in
            slopes.withMemoryRebound(to: Int32.self, capacity: 4) { slopes in
                kernels.pointee.tile_slopes(level.row(top) + left, level.stride, 1, 0, slopes)
            }
        }
        // Slopes are in Q3, of 64 samples that are two pixels wide; the difference has it once, the noise is half of it.
        let (across, down) = (missed.x / 2, missed.y / 2)
        let square =
            across * across * Float(slopes.0) + down * down * Float(slopes.2)
            + 2 * across * down * abs(Float(slopes.1))
        return Self.finestSlopes * square / 4096 / 2
    }

    /// How much more the finest slopes are than at half the size, squared.
    private static let finestSlopes: Float = 3

    /// Adds the spectra of some squares: neither the very quietest, which are clipped, nor those that may have texture.
    private func take(
        _ squares: UnsafeMutableBufferPointer<UInt64>, _ most: Int, _ reference: SamplePlane, _ other: SamplePlane
    ) {
        let (first, last) = (squares.count / 10, squares.count * 4 / 10)
        for index in Swift.stride(from: first, to: last, by: max(1, (last - first) / max(1, most))) {
            let square = square(squares[index])
            guard square.variance > 0 else { continue }
            let (x, y) = (Int(square.x), Int(square.y)), (otherX, otherY) = (Int(square.otherX), Int(square.otherY))
            let read = moved.read(other, otherX, otherY)
            for part in 0..<4 {
                let (left, top) = (8 * (part & 1), 8 * (part >> 1))
                spectrum.add(
                    reference.row(y + top) + x + left, reference.stride, read.samples + top * read.stride + left,
                    read.stride, mean: square.mean, weight: 1 / square.variance, across: otherX, down: otherY, kernels)
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
