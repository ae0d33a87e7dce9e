// SPDX-License-Identifier: MIT
// Brightness and white balance drift between frames: measured on aligned means, taken away before anything is compared.

import Frames

/// How another frame's colours become the reference's: by gains of light in red, green and blue.
///
/// Exposure and white balance are gains of linear light. Behind the tone curve, save for the very dark, that is a gain of
/// the sample plus 0.055, which is where the curve (sRGB's) would be 0.
struct ColorMatch: Sendable {
    /// Y', Cb and Cr: what the other's Y', Cb and Cr are multiplied with, and what is added. Chroma counts from its
    /// middle.
    private(set) var rows: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) = ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0])
    /// Whether there is anything to change: smaller gains are not worth another rounding of samples.
    private(set) var isWorthwhile = false
    /// Whether frames so different in brightness can be matched at all: the darker one's noise grows with the gain.
    private(set) var isPossible = true

    /// No change.
    init() {}

    /// The match for gains of red, green and blue, or of grey.
    init(gains: SIMD3<Float>, _ space: ColorSpace) {
        let off = gains - 1
        isWorthwhile = max(abs(off.x), abs(off.y), abs(off.z)) > 0.004
        isPossible = gains.min() > 0.6 && gains.max() < 1.6
        // What a white, a purely blue and a purely red difference become; a white one of the knee's size lies below all.
        let white = space.changed([1, 0, 0], gains), blue = space.changed([0, 1, 0], gains)
        let red = space.changed([0, 0, 1], gains)
        let (luma, chroma) = (space.lumaSpan, space.chromaSpan)
        func row(_ channel: Int, span: Float, isLuma: Bool) -> SIMD4<Float> {
            let perLuma = white[channel] * span / luma
            // Counted from black, the knee on and off again.
            let lift = (white[channel] - (isLuma ? 1 : 0)) * space.knee * span + (isLuma ? space.black : 0)
            return [
                perLuma, blue[channel] * span / chroma, red[channel] * span / chroma, lift - perLuma * space.black,
            ]
        }
        rows = (
            row(0, span: luma, isLuma: true), row(1, span: chroma, isLuma: false), row(2, span: chroma, isLuma: false)
        )
    }
}

/// How a frame's codes stand for red, green and blue.
struct ColorSpace: Sendable {
    /// Where the tone curve would be 0, below black, in shares of white.
    let knee: Float = 0.055
    /// The code of black, the codes from black to white, and those from the most negative to the most positive chroma.
    let black: Float
    let lumaSpan: Float
    let chromaSpan: Float
    private let red: Float
    private let blue: Float

    init(_ colorimetry: Colorimetry) {
        let isLimited = colorimetry.range == .limited
        (black, lumaSpan, chromaSpan) = isLimited ? (16, 219, 224) : (0, 255, 255)
        (red, blue) = colorimetry.matrix.weights
    }

    /// Codes (chroma from its middle) to red, green and blue, each from 0 to 1, with the knee.
    func light(_ y: Float, _ cb: Float, _ cr: Float) -> SIMD3<Float> {
        channels([(y - black) / lumaSpan, cb / chromaSpan, cr / chromaSpan]) + knee
    }

    /// A colour after gains, both as Y', Cb and Cr in shares.
    func changed(_ color: SIMD3<Float>, _ gains: SIMD3<Float>) -> SIMD3<Float> {
        let light = channels(color) * gains
        let y = red * light.x + (1 - red - blue) * light.y + blue * light.z
        return [y, (light.z - y) / (2 * (1 - blue)), (light.x - y) / (2 * (1 - red))]
    }

    private func channels(_ color: SIMD3<Float>) -> SIMD3<Float> {
        let (r, b) = (color.x + 2 * (1 - red) * color.z, color.x + 2 * (1 - blue) * color.y)
        return [r, (color.x - red * r - blue * b) / (1 - red - blue), b]
    }
}

/// Measures colour matches. It owns the memory it works in.
final class ColorMatcher: @unchecked Sendable {
    /// The pyramid level that means over 16x16 pixels are.
    private static let level = 3
    private let space: ColorSpace
    /// The frames' red, green and blue in corresponding places.
    private let own: Scratch<SIMD3<Float>>
    private let other: Scratch<SIMD3<Float>>

    init(_ frame: FusionFrame) {
        space = ColorSpace(frame.format.colorimetry)
        let level = frame.levels[min(Self.level, frame.levels.count - 1)]
        own = Scratch(level.width * level.height, filledWith: .zero)
        other = Scratch(level.width * level.height, filledWith: .zero)
    }

    /// Whether two frames show the same scene at all, one moved by `motion` to the other: their means go up and down
    /// together. Pictures without contrast are alike as far as can be told.
    func areAlike(_ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion) -> Bool {
        let count = gather(reference, frame, motion)
        guard count >= 8 else { return true }
        var (a, b, aa, ab, bb) = (Float(0), Float(0), Float(0), Float(0), Float(0))
        for index in 0..<count {
            let (x, y) = (own[index].sum(), other[index].sum())
            a += x
            b += y
            aa += x * x
            ab += x * y
            bb += y * y
        }
        let n = Float(count)
        let (varianceA, varianceB) = (aa / n - a / n * (a / n), bb / n - b / n * (b / n))
        guard min(varianceA, varianceB) > Self.leastContrast else { return true }
        return ab / n - a / n * (b / n) > 0.5 * (varianceA * varianceB).squareRoot()
    }

    /// A standard deviation of five codes in each channel.
    private static let leastContrast: Float = 0.0036

    /// The match that makes `frame`, moved by `motion`, look like `reference` wherever it shows the same.
    func match(_ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion) -> ColorMatch {
        let count = gather(reference, frame, motion)
        guard count >= 24 else { return ColorMatch() }
        var gains = SIMD3<Float>(repeating: 1)
        var scatter: Float = 0.1
        for _ in 0..<4 {
            var (products, squares) = (SIMD3<Float>.zero, SIMD3<Float>(repeating: 1e-6))
            var (off, weights): (Float, Float) = (0, 1e-6)
            for index in 0..<count {
                let (a, b) = (own[index], other[index])
                let residual = a - b * gains
                let distance = (residual * residual).sum()
                // What moved counts less and less.
                let ratio = distance / (4 * scatter * scatter)
                let weight = 1 / (1 + ratio * ratio)
                products += a * b * weight
                squares += b * b * weight
                off += weight * distance
                weights += weight
            }
            gains = products / squares
            scatter = max(0.002, (off / weights).squareRoot())
        }
        return ColorMatch(gains: gains, space)
    }

    /// Pairs of means, of every other region, as on a chessboard; where chroma has no such means, of brightness alone.
    private func gather(_ reference: FusionFrame, _ frame: FusionFrame, _ motion: AffineMotion) -> Int {
        let place = min(Self.level, reference.levels.count - 1)
        let hasChroma = !reference.tints.isEmpty && place == Self.level
        let (luma, theirs, scale) = (reference.levels[place], frame.levels[place], Float(2 << place))
        var count = 0
        for y in 0..<luma.height {
            for x in Swift.stride(from: y & 1, to: luma.width, by: 2) {
                let (dx, dy) = motion.at((Float(x) + 0.5) * scale - 0.5, (Float(y) + 0.5) * scale - 0.5)
                let (px, py) = (Float(x) + dx / scale, Float(y) + dy / scale)
                guard px >= 0 && py >= 0 && px <= Float(luma.width - 1) && py <= Float(luma.height - 1) else {
                    continue
                }
                let (a, b) = (luma.code(x, y), theirs.value(px, py))
                // Clipped samples tell no gain.
                guard a > 18 && a < 230 && b > 18 && b < 230 else { continue }
                if hasChroma {
                    let (tints, theirTints) = (reference.tints, frame.tints)
                    own[count] = space.light(a, tints[0].code(x, y) - 128, tints[1].code(x, y) - 128)
                    other[count] = space.light(b, theirTints[0].value(px, py) - 128, theirTints[1].value(px, py) - 128)
                } else {
                    own[count] = space.light(a, 0, 0)
                    other[count] = space.light(b, 0, 0)
                }
                count += 1
            }
        }
        return count
    }
}
