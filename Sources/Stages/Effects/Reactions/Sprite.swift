// SPDX-License-Identifier: MIT
// Paintings in the codes of a stream's pictures, ready to be drawn at any size and turn.

import LivecapFrames

/// A painting as samples of Y'CbCr multiplied by their alpha, at its size and at halves of it.
final class Sprite {
    /// The first is the painting's size, each that follows half the one before.
    let levels: [SpriteLevel]

    /// Below this size there are no halves.
    private static let least = 4

    init(_ painting: Painting, _ codes: PaintCodes) {
        var painting = painting
        var levels = [SpriteLevel(painting, codes)]
        // Chroma has half the samples of luma, so there are at least two levels.
        repeat {
            painting = painting.halved
            levels.append(SpriteLevel(painting, codes))
        } while min(painting.width, painting.height) >= 2 * Self.least
        self.levels = levels
    }
}

/// A sprite's samples at one size, with a transparent one beyond each edge.
final class SpriteLevel {
    let width: Int
    let height: Int
    /// Samples from row to row.
    let stride: Int
    /// Y', Cb and Cr, each in the low 16 bits of a sample, and alpha in the high ones.
    let luma: UnsafeMutablePointer<UInt32>
    let cb: UnsafeMutablePointer<UInt32>
    let cr: UnsafeMutablePointer<UInt32>

    init(_ painting: Painting, _ codes: PaintCodes) {
        width = painting.width
        height = painting.height
        stride = width + 2
        let count = stride * (height + 2)
        luma = .allocate(capacity: 3 * count)
        luma.initialize(repeating: 0, count: 3 * count)
        cb = luma + count
        cr = cb + count
        for y in 0..<height {
            for x in 0..<width {
                let sample = codes.sample(painting.paints[y * width + x]), place = (y + 1) * stride + x + 1
                let alpha = UInt32(sample.alpha) << 16
                luma[place] = UInt32(sample.luma) | alpha
                cb[place] = UInt32(sample.cb) | alpha
                cr[place] = UInt32(sample.cr) | alpha
            }
        }
    }

    deinit { luma.deallocate() }
}

/// How paints become codes of a colorimetry.
struct PaintCodes {
    private let luma: Paint
    private let cb: Paint
    private let cr: Paint

    /// Y', Cb and Cr, multiplied by alpha, and alpha: codes from 0 to 255.
    struct Sample: Equatable {
        let luma: UInt8
        let cb: UInt8
        let cr: UInt8
        let alpha: UInt8
    }

    init(_ colorimetry: Colorimetry) {
        let (red, blue) = colorimetry.matrix.weights, isLimited = colorimetry.range == .limited
        let weights = SIMD3(red, 1 - red - blue, blue)
        let span = isLimited ? 219.0 : 255.0, spread = isLimited ? 224.0 : 255.0
        /// Colours are multiplied by alpha, so what is added to their codes is a multiple of alpha.
        func row(_ factors: SIMD3<Double>, _ offset: Double) -> Paint {
            Paint(SIMD4(factors, offset))
        }
        luma = row(weights * span, isLimited ? 16 : 0)
        cb = row((SIMD3(0, 0, 1) - weights) * (spread / (2 * (1 - blue))), 128)
        cr = row((SIMD3(1, 0, 0) - weights) * (spread / (2 * (1 - red))), 128)
    }

    /// The codes of a paint, none above its alpha.
    func sample(_ paint: Paint) -> Sample {
        let alpha = min(max(paint.w * 255, 0), 255).rounded()
        func code(_ row: Paint) -> UInt8 { UInt8(min(max((row * paint).sum().rounded(), 0), alpha)) }
        return Sample(luma: code(luma), cb: code(cb), cr: code(cr), alpha: UInt8(alpha))
    }
}
