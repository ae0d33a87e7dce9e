// SPDX-License-Identifier: MIT
// Drift of brightness and white balance between frames. It is measured on aligned means, and removed before frames
// are compared.

import LivecapFrames

/// The gains of red, green and blue light that turn another frame's colours into the reference's.
///
/// Exposure and white balance are gains of linear light. After the tone curve, and except in the very dark, such a
/// gain multiplies the sample plus 0.055, the offset of the sRGB curve.
struct ColorMatch: Sendable {
    /// For Y', Cb and Cr of the result: the factors of the other frame's Y', Cb and Cr, then a constant to add.
    /// Chroma is relative to its middle.
    private(set) var rows: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) = ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0])
    /// Replaces `rows` for colour frames if the reference is so much brighter that more of it is clipped.
    private(set) var clipped: Clipped?
    /// Gains up to this clip hardly anything.
    private static let maxUnclipped: Float = 1.1
    /// What the light of rows changed besides; nil if all rows have the same light.
    private(set) var rowLight: RowLight?
    /// Whether this is another exposure rather than drift.
    private(set) var isExposure = false
    /// The largest gain that counts as drift.
    private static let driftLimit: Float = 1.08
    /// Whether the match is worth applying: smaller gains do not justify rounding the samples once more.
    private(set) var isWorthwhile = false
    /// Whether frames that differ this much in brightness can be matched at all: the darker frame's noise is
    /// amplified by the gain.
    private(set) var isPossible = true

    /// A match by way of red, green and blue, each clipped at 1. `channels` gives each of them as factors of Y', Cb
    /// and Cr and a constant; `rows` gives Y', Cb and Cr as factors of the three and a constant.
    struct Clipped: Sendable {
        let channels: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
        let rows: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
    }

    /// Creates a match that changes nothing.
    init() {}

    /// Creates the match for gains of red, green and blue (equal ones for grey), and for the light of rows besides.
    init(gains: SIMD3<Float>, _ space: ColorSpace, rows rowLight: RowLight? = nil) {
        self.rowLight = rowLight
        let off = gains - 1
        isPossible = gains.min() > 0.6 && gains.max() < 1.6
        // How unit changes of Y', Cb and Cr come out. Gains apply to samples with the knee added, so the effect of a
        // white offset of the size of the knee is part of each row's constant.
        let white = space.changed([1, 0, 0], gains), blue = space.changed([0, 1, 0], gains)
        let red = space.changed([0, 0, 1], gains)
        let (luma, chroma) = (space.lumaSpan, space.chromaSpan)
        // The threshold for a single channel is higher: it changes brightness less, and chroma noise is reduced more.
        let drifted = abs(white.x - 1) > 0.004 || max(abs(off.x), abs(off.y), abs(off.z)) > 0.006
        isWorthwhile = drifted || rowLight != nil
        isExposure = gains.max() > Self.driftLimit || gains.min() < 1 / Self.driftLimit
        if gains.max() > Self.maxUnclipped {
            clipped = Clipped(channels: space.channels(gains), rows: space.rows)
        }
        func row(_ channel: Int, span: Float, isLuma: Bool) -> SIMD4<Float> {
            let perLuma = white[channel] * span / luma
            // Relative to black: add the knee, apply the gain, subtract the knee.
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

/// How a frame's codes map to red, green and blue.
struct ColorSpace: Sendable {
    /// How far below black the tone curve would be 0, as a share of white.
    let knee: Float = 0.055
    /// The code of black; the number of codes from black to white; and from the most negative to the most positive
    /// chroma.
    let black: Float
    let lumaSpan: Float
    let chromaSpan: Float
    private let red: Float
    private let blue: Float
    /// What one code of Y', Cb and Cr adds to red, green and blue; and the value of code 0 with the knee. The fourth
    /// element is always 0.
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
        self.black = black
        self.lumaSpan = lumaSpan
        self.chromaSpan = chromaSpan
        self.red = red
        self.blue = blue
    }

    /// Converts codes (chroma relative to its middle) to red, green and blue, 1 being white, with the knee added; and
    /// 0.
    @inline(__always)
    func light(_ y: Float, _ cb: Float, _ cr: Float) -> SIMD4<Float> {
        floor + perCode.0 * y + perCode.1 * cb + perCode.2 * cr
    }

    /// The brightness of red, green and blue.
    @inline(__always) func brightness(_ light: SIMD4<Float>) -> Float {
        red * light.x + (1 - red - blue) * light.y + blue * light.z
    }

    /// For red, green and blue after gains, as shares of white: the factors of Y', Cb and Cr, and a constant to add.
    func channels(_ gains: SIMD3<Float>) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
        func channel(_ place: Int) -> SIMD4<Float> {
            [perCode.0[place], perCode.1[place], perCode.2[place], floor[place]] * gains[place] - [0, 0, 0, knee]
        }
        return (channel(0), channel(1), channel(2))
    }

    /// For Y', Cb and Cr: the factors of red, green and blue, and a constant to add.
    var rows: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
        let luma = SIMD4(red, 1 - red - blue, blue, 0)
        return (
            luma * lumaSpan + [0, 0, 0, black], ([0, 0, 1, 0] - luma) * (chromaSpan / (2 * (1 - blue))),
            ([1, 0, 0, 0] - luma) * (chromaSpan / (2 * (1 - red)))
        )
    }

    /// A colour after gains. Both are Y', Cb and Cr as shares of their ranges.
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
