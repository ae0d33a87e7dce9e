// SPDX-License-Identifier: MIT
// How noise shifts the mean: sensors are noisy in linear light, and the tone curve is not linear.

/// The difference between a brightness and the mean of its noisy samples.
///
/// Noise is added to linear light. Because the tone curve is steep in the dark, and because samples are clipped at
/// both ends of the scale, the mean of many noisy samples differs from the true value, by up to several codes in the
/// dark. No averaging removes that difference.
struct LightBias {
    /// The correction to add to a channel's mean sample (1 is white), for values from 1/16 below black to 1/16 above
    /// white.
    private(set) var lift = [Float](repeating: 0, count: LightBias.steps)
    /// The number of entries of `lift`. The kernels are built for this number.
    static let steps = 1024

    private var light = LightNoise()

    /// How a plane's codes map to colours.
    struct Codes {
        /// The code of black.
        var black: Float
        /// The number of codes from black to white.
        var lumaSpan: Float
        /// The number of codes from the most negative to the most positive chroma; 0 for grey.
        var chromaSpan: Float
        /// The weights of red and blue in brightness (Y').
        var red: Float
        var blue: Float

        var isGrey: Bool { chromaSpan == 0 }

        /// Red, green and blue, from 0 to 1, of a brightness in codes and its Cb and Cr relative to their middle.
        func channels(_ code: Float, _ tint: (cb: Float, cr: Float)) -> SIMD3<Float> {
            let y = max(0, (code - black) / lumaSpan)
            guard !isGrey else { return [y, y, y] }
            let r = y + 2 * (1 - red) * tint.cr / chromaSpan, b = y + 2 * (1 - blue) * tint.cb / chromaSpan
            return [r, (y - red * r - blue * b) / (1 - red - blue), b]
        }
    }

    /// Computes the correction for a picture with `noise`, whose brightnesses and colours `census` describes.
    mutating func update(_ noise: NoiseModel, _ codes: Codes, _ census: ColorCensus) {
        light.forget()
        // The channels are noisy independently of each other, so the weights in brightness apply squared to
        // variances.
        let green = 1 - codes.red - codes.blue
        light.shares = codes.isGrey ? [1, 0, 0] : [codes.red * codes.red, green * green, codes.blue * codes.blue]
        light.isInterpolated = !SpectrumShape(noise.spectrum).isWhite
        for range in 0..<ColorCensus.ranges {
            var count: UInt32 = 0
            for code in 8 * range..<8 * range + 8 { count += census.counts[code] }
            // A brightness at which noise was not measured adds nothing.
            guard count > 0, noise.seen.overlaps(8 * range - 4...8 * range + 11) else { continue }
            let code = max(Float(noise.seen.lowerBound), min(Float(8 * range + 4), Float(noise.seen.upperBound)))
            let value = (code - codes.black) / codes.lumaSpan
            guard value > -0.02 && value < 0.97 else { continue }
            let variance = noise.variance(at: code) / (codes.lumaSpan * codes.lumaSpan)
            // The correction is proportional to the variance and to the curvature of the tone curve at that value.
            // Where it is large, the noise must be known better, so the point weighs more.
            let lifted = variance / (max(0, value) + 0.055)
            light.add(
                .init(
                    channels: codes.channels(code, census.tint(range)), variance: variance,
                    weight: Float(count) * lifted * lifted))
        }
        let (shot, read) = light.fitted()
        var place = 0
        var low = Rung(value: 0, mean: light.mean(0, shot: shot, read: read)), high = low
        for index in lift.indices {
            let value = (Float(index) + 0.5) * 1.125 / Float(Self.steps) - 0.0625
            // Finds the two steps of light whose mean samples enclose the value.
            while place < LightNoise.steps && high.mean < value || place == 0 {
                place += 1
                low = high
                high = Rung(
                    value: Float(place) / Float(LightNoise.steps), mean: light.mean(place, shot: shot, read: read))
            }
            let t = min(1, max(0, (value - low.mean) / max(1e-6, high.mean - low.mean)))
            let inside = (low.value - low.mean) * (1 - t) + (high.value - high.mean) * t
            // A value above the mean of noisy white must be white, whether clipped or not, and is raised to at most
            // that. Likewise, a value below the mean of noisy black is lowered to at most black.
            lift[index] = value > high.mean ? max(0, 1 - value) : value < low.mean ? min(0, -value) : inside
        }
    }

    /// A step of light: its value without noise, and the mean of its noisy samples.
    private struct Rung {
        var value: Float
        var mean: Float
    }
}
