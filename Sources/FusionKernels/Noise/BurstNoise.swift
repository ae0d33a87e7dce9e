// SPDX-License-Identifier: MIT
// Noise told from what differs between frames that show the same.

import CFusionKernels

/// Estimates the noise of a plane from aligned squares of it in other frames. Each is compared where it lies, to the
/// nearest sample: interpolation would take noise away. It owns the memory it works in.
final class BurstNoise: @unchecked Sendable {
    /// Samples a square spans.
    private static let side = 16
    /// Squares measured, shared out among the frames compared.
    private static let most = 2400
    /// Squares whose spectrum is taken.
    private static let mostSpectra = 128
    private let kernels: UnsafePointer<fusion_kernels>
    private let found = Scratch<Square>(2 * BurstNoise.most, filledWith: Square())
    private var count = 0
    private var spectrum = BlockSpectrum()

    /// A square, as compared with another frame.
    fileprivate struct Square: BitwiseCopyable {
        var brightness: Float = 0
        var variance: Float = 0
        var x: Int32 = 0
        var y: Int32 = 0
        /// Which frame, and where it lies there.
        var frame: Int32 = 0
        var dx: Int32 = 0
        var dy: Int32 = 0

        func isDarker(than other: Square) -> Bool {
            (brightness, y, x, frame) < (other.brightness, other.y, other.x, other.frame)
        }
        func isQuieter(than other: Square) -> Bool {
            (variance, y, x, frame) < (other.variance, other.y, other.x, other.frame)
        }
    }

    init(_ kernels: UnsafePointer<fusion_kernels>) { self.kernels = kernels }

    /// The same plane of another frame, and its motion in samples of the plane.
    typealias Other = (plane: SamplePlane, motion: AffineMotion)

    /// Fills in `model`, by brightness, from `reference` and other frames; false when too little could be compared.
    /// `brightness` is a level of the reference's pyramid whose samples are `step` samples of the plane wide and high.
    func estimate(
        _ reference: SamplePlane, _ others: [Other], brightness: LevelPlane, step: (x: Int, y: Int),
        into model: inout NoiseModel
    ) -> Bool {
        measure(reference, others, brightness, step)
        guard count >= 24 else { return false }
        var all = UnsafeMutableBufferPointer(start: found.base, count: count)
        all.sort { $0.isDarker(than: $1) }
        spectrum.clear()
        let groups = min(16, max(1, count / 48))
        var last = (brightness: Float(0), variance: Float(0))
        for group in 0..<groups {
            var squares = UnsafeMutableBufferPointer(
                rebasing: all[group * count / groups..<(group + 1) * count / groups])
            squares.sort { $0.isQuieter(than: $1) }
            // Squares with texture that lies between samples read high, so a low quantile; it lies below the mean of the
            // quiet ones by about two thirds of the spread that 256 samples' variance has.
            let point = (
                brightness: squares.meanBrightness(of: squares.count / 2),
                variance: max(0.1, squares[squares.count / 4].variance * 1.07)
            )
            model.draw(from: group == 0 ? (0, point.variance) : last, to: point)
            last = point
            take(squares, Self.mostSpectra / groups, reference, others)
        }
        model.draw(from: last, to: (256, last.variance))
        spectrum.finish(into: &model.spectrum)
        return true
    }

    private func measure(
        _ reference: SamplePlane, _ others: [Other], _ brightness: LevelPlane, _ step: (x: Int, y: Int)
    ) {
        count = 0
        let (width, height, side) = (reference.width, reference.height, Self.side)
        let grid = max(side, Int(Float(width * height * max(1, others.count) / Self.most).squareRoot().rounded(.up)))
        for (frame, other) in others.enumerated() {
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
                    found[count] = Square(
                        brightness: brightness.code((x + side / 2) / step.x, (y + side / 2) / step.y),
                        variance: variance,
                        x: Int32(x), y: Int32(y), frame: Int32(frame), dx: Int32(dx), dy: Int32(dy))
                    count += 1
                }
            }
        }
    }

    /// Adds the spectra of some squares: neither the very quietest, which are clipped, nor those that may have texture.
    private func take(
        _ squares: UnsafeMutableBufferPointer<Square>, _ most: Int, _ reference: SamplePlane, _ others: [Other]
    ) {
        let (first, last) = (squares.count / 10, squares.count * 4 / 10)
        for index in Swift.stride(from: first, to: last, by: max(1, (last - first) / max(1, most))) {
            let square = squares[index]
            guard square.variance > 0 else { continue }
            let (x, y) = (Int(square.x), Int(square.y)), other = others[Int(square.frame)].plane
            for part in 0..<4 {
                let (left, top) = (x + 8 * (part & 1), y + 8 * (part >> 1))
                spectrum.add(
                    reference.row(top) + left, reference.stride,
                    other.row(top + Int(square.dy)) + left + Int(square.dx), other.stride, weight: 1 / square.variance)
            }
        }
    }
}

extension UnsafeMutableBufferPointer where Element == BurstNoise.Square {
    fileprivate func meanBrightness(of count: Int) -> Float {
        var sum: Float = 0
        for index in 0..<Swift.max(1, count) { sum += self[index].brightness }
        return sum / Float(Swift.max(1, count))
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
