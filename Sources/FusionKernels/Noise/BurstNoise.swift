// SPDX-License-Identifier: MIT
// Noise told from what differs between frames that show the same.

import CFusionKernels

/// Estimates the noise of a plane from aligned squares of it in another frame. Each is compared where it lies, to the nearest
/// sample: interpolation would take noise away. It owns the memory it works in.
final class BurstNoise: @unchecked Sendable {
    /// Samples a square spans.
    private static let side = 16
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
    private let spectrum = BlockSpectrum()
    /// The noise of groups of squares of like brightness.
    private static let mostGroups = 16
    private let points = Scratch<Point>(BurstNoise.mostGroups, filledWith: Point())
    private let lows = Scratch<Float>(BurstNoise.mostGroups, filledWith: 0)

    private struct Point: BitwiseCopyable {
        var brightness: Float = 0
        var variance: Float = 0
    }

    /// A square, as compared with the other frame.
    private struct Square: BitwiseCopyable {
        var brightness: Float = 0
        var variance: Float = 0
        /// The mean difference.
        var mean: Float = 0
        var x: Int32 = 0
        var y: Int32 = 0
        /// Where it lies in the other frame.
        var dx: Int32 = 0
        var dy: Int32 = 0
    }

    init(_ kernels: UnsafePointer<fusion_kernels>) { self.kernels = kernels }

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
        let groups = min(Self.mostGroups, max(1, count / 48))
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
            // Squares with texture that lies between samples read high, so a low quantile.
            points[group] = Point(brightness: sum / number, variance: square(squares[squares.count / 4]).variance)
            take(squares, Self.mostSpectra / groups, reference, other.plane)
        }
        cutSpikes(groups)
        spectrum.finish(into: &model.spectrum)
        let quiet = Self.quarterOfMean(model.spectrum)
        for group in 0..<groups { points[group].variance = max(0.1, points[group].variance / quiet) }
        for group in 0...groups {
            let from = points[max(0, group - 1)], to = points[min(group, groups - 1)]
            model.draw(
                from: (group == 0 ? 0 : from.brightness, from.variance),
                to: (group == groups ? Float(NoiseModel.levels) : to.brightness, to.variance))
        }
        model.seen = Int(points[0].brightness)...Int(points[groups - 1].brightness)
        return true
    }

    /// What a quarter of the squares' variances lie below, relative to their mean: the more alike the samples beside each
    /// other are, the fewer they count for, and the more their variances are spread.
    private static func quarterOfMean(_ spectrum: [Float]) -> Float {
        let likeness = spectrum.reduce(0) { $0 + $1 * $1 } / Float(spectrum.count)
        return 1 - 0.674 * (2 * likeness / Float(side * side)).squareRoot()
    }

    /// The square whose place is in the lower half of a number.
    private func square(_ number: UInt64) -> Square { found[Int(number & 0xFFFF_FFFF)] }

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
                let (dx, dy) = (Int(mx.rounded()), Int(my.rounded()))
                guard x + dx >= 0, y + dy >= 0, x + dx + side <= width, y + dy + side <= height else { continue }
                var sums = (Int32(0), Int32(0))
                withUnsafeMutablePointer(to: &sums) { sums in
                    sums.withMemoryRebound(to: Int32.self, capacity: 2) { sums in
                        kernels.pointee.compare_squares(
                            reference.row(y) + x, reference.stride, other.plane.row(y + dy) + x + dx,
                            other.plane.stride, sums)
                    }
                }
                let mean = Float(sums.0) / 256
                // Both squares have the noise; 255 because the mean was taken from them, too.
                let variance = max(0, Float(sums.1) - 256 * mean * mean) / 255 / 2
                // What does not differ at all is no sensor's: painted over the picture, or clipped.
                guard variance > 0.02 else { continue }
                seen += 1
                let missed = (x: abs(mx - Float(dx)) * Float(step.x), y: abs(my - Float(dy)) * Float(step.y))
                guard excess(half, x * step.x, y * step.y, missed) <= mostExcess * variance else { continue }
                found[count] = Square(
                    brightness: brightness.code((x + side / 2) * step.x / 8, (y + side / 2) * step.y / 8),
                    variance: variance, mean: mean,
                    x: Int32(x), y: Int32(y), dx: Int32(dx), dy: Int32(dy))
                count += 1
            }
        }
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
            let (x, y) = (Int(square.x), Int(square.y))
            for part in 0..<4 {
                let (left, top) = (x + 8 * (part & 1), y + 8 * (part >> 1))
                spectrum.add(
                    reference.row(top) + left, reference.stride,
                    other.row(top + Int(square.dy)) + left + Int(square.dx), other.stride, mean: square.mean,
                    weight: 1 / square.variance, kernels)
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
