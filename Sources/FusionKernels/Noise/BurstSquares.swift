// SPDX-License-Identifier: MIT
// Squares of two frames that show the same.

import CFusionKernels

/// Finds squares of a plane in another frame's, and how much they differ. Each is compared where it lies, to the nearest
/// sample, as reading between samples takes noise away. But where fine texture would differ by more than the noise does, it
/// is read so. It owns the memory it works in.
final class BurstSquares {
    /// Samples a square spans.
    private static let side = MovedSquare.side
    /// Squares measured, about.
    private static let most = 800
    /// Pixels of a picture in which so many hardly overlap.
    static let ampleArea = most * side * side
    /// Enough for all that are found.
    static let capacity = 2 * most

    /// A square, as compared with the other frame.
    struct Square: BitwiseCopyable {
        var brightness: Float = 0
        var variance: Float = 0
        /// The mean difference.
        var mean: Float = 0
        var x: Int32 = 0
        var y: Int32 = 0
        /// Where it lies in the other frame, in eighths of a sample.
        var otherX: Int32 = 0
        var otherY: Int32 = 0
        /// The part of that which lies between samples: eighths across, and eight times those down.
        var phase: Int { Int(otherX) & 7 + 8 * (Int(otherY) & 7) }
    }

    let keptNoise = KeptNoise()
    private let kernels: UnsafePointer<fusion_kernels>
    private let moved: MovedSquare
    private let found = Scratch<Square>(BurstSquares.capacity, filledWith: Square())
    /// How many were found that are of use.
    private(set) var count = 0
    /// And how many were compared, textured ones too.
    private(set) var seen = 0

    init(_ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        moved = MovedSquare(kernels)
    }

    subscript(place: Int) -> Square { found[place] }

    /// The samples of the other frame that a square was compared with, until another one is read.
    func read(_ square: Square, _ other: SamplePlane) -> (samples: UnsafePointer<UInt8>, stride: Int) {
        moved.read(other, Int(square.otherX), Int(square.otherY))
    }

    /// What a variance of differences is of a frame's own noise, if that is white: both squares have it, one that is read
    /// between samples less. What is read is rounded to codes.
    func ownVariance(_ both: Float, _ phase: Int) -> Float {
        (both - (phase == 0 ? 0 : 1.0 / 12)) / (1 + keptNoise.ofWhite[phase])
    }

    /// Finds squares where slopes missed by a part of a sample make up at most `mostExcess` of what differs. `own` is the
    /// reference's frame, and `step` how many pixels a sample of the plane serves.
    func measure(
        _ reference: SamplePlane, _ other: BurstNoise.Other, _ own: FusionFrame, _ step: (x: Int, y: Int),
        mostExcess: Float
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
        // 255 because the mean was taken from them, too.
        let both = max(0, Float(sums.1) - 256 * mean * mean) / 255
        return Square(
            variance: ownVariance(both, phase), mean: mean, x: Int32(x), y: Int32(y), otherX: Int32(otherX),
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
}
