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
    /// What frames with colour need in their stead where the reference is so much brighter that it has clipped more.
    private(set) var clipped: Clipped?
    /// Gains that hardly anything is clipped by.
    private static let mostUnclipped: Float = 1.1
    /// Whether it is no drift, but another exposure.
    private(set) var isExposure = false
    /// Drift has smaller gains.
    private static let mostOfDrift: Float = 1.08
    /// Whether there is anything to change: smaller gains are not worth another rounding of samples.
    private(set) var isWorthwhile = false
    /// Whether frames so different in brightness can be matched at all: the darker one's noise grows with the gain.
    private(set) var isPossible = true

    /// Red, green and blue, each cut at 1: what Y', Cb and Cr are multiplied with, and what is added; and what those three
    /// are multiplied with to be Y', Cb and Cr, and what is added.
    struct Clipped: Sendable {
        let channels: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
        let rows: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
    }

    /// No change.
    init() {}

    /// The match for gains of red, green and blue, or of grey.
    init(gains: SIMD3<Float>, _ space: ColorSpace) {
        let off = gains - 1
        isPossible = gains.min() > 0.6 && gains.max() < 1.6
        // What a white, a purely blue and a purely red difference become; a white one of the knee's size lies below all.
        let white = space.changed([1, 0, 0], gains), blue = space.changed([0, 1, 0], gains)
        let red = space.changed([0, 0, 1], gains)
        let (luma, chroma) = (space.lumaSpan, space.chromaSpan)
        // A color alone is less in brightness, and chroma's noise is cut more.
        isWorthwhile = abs(white.x - 1) > 0.004 || max(abs(off.x), abs(off.y), abs(off.z)) > 0.006
        isExposure = gains.max() > Self.mostOfDrift || gains.min() < 1 / Self.mostOfDrift
        if gains.max() > Self.mostUnclipped {
            clipped = Clipped(channels: space.channels(gains), rows: space.rows)
        }
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
    /// What a code of Y', Cb and Cr adds to red, green and blue, and what black is with the knee; the last number is 0.
    private let perCode: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
    private let floor: SIMD4<Float>

    init(_ colorimetry: Colorimetry) {
        let isLimited = colorimetry.range == .limited
        let (black, lumaSpan, chromaSpan): (Float, Float, Float) = isLimited ? (16, 219, 224) : (0, 255, 255)
        let (red, blue) = colorimetry.matrix.weights
        let (ofRed, ofBlue) = (2 * (1 - red) / chromaSpan, 2 * (1 - blue) / chromaSpan), green = 1 - red - blue
        perCode = (
            SIMD4(1, 1, 1, 0) / lumaSpan, [0, -blue * ofBlue / green, ofBlue, 0], [ofRed, -red * ofRed / green, 0, 0]
        )
        floor = SIMD4(1, 1, 1, 0) * (knee - black / lumaSpan)
        (self.black, self.lumaSpan, self.chromaSpan, self.red, self.blue) = (black, lumaSpan, chromaSpan, red, blue)
    }

    /// Codes (chroma from its middle) to red, green and blue, each from 0 to 1, with the knee; and 0.
    @inline(__always)
    func light(_ y: Float, _ cb: Float, _ cr: Float) -> SIMD4<Float> {
        floor + perCode.0 * y + perCode.1 * cb + perCode.2 * cr
    }

    /// What Y', Cb and Cr are multiplied with to be red, green and blue after gains, in shares of white, and what is added.
    func channels(_ gains: SIMD3<Float>) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
        func channel(_ place: Int) -> SIMD4<Float> {
            [perCode.0[place], perCode.1[place], perCode.2[place], floor[place]] * gains[place] - [0, 0, 0, knee]
        }
        return (channel(0), channel(1), channel(2))
    }

    /// What red, green and blue are multiplied with to be Y', Cb and Cr, and what is added.
    var rows: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
        let luma = SIMD4(red, 1 - red - blue, blue, 0)
        return (
            luma * lumaSpan + [0, 0, 0, black], ([0, 0, 1, 0] - luma) * (chromaSpan / (2 * (1 - blue))),
            ([1, 0, 0, 0] - luma) * (chromaSpan / (2 * (1 - red)))
        )
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
