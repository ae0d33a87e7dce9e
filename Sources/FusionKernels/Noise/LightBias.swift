// SPDX-License-Identifier: MIT
// What noise does to the mean: sensors are noisy in linear light, and the tone curve bends that.

/// The difference between what a brightness is and what its noisy samples are in the mean.
///
/// Noise is added to linear light. The tone curve, steep in the dark, and the ends of the scale make the mean of many
/// noisy samples another than the light was, by up to several codes in the dark; no averaging takes that away.
struct LightBias {
    /// What to add to a channel's mean sample (1 is white), for values from a sixteenth below black to a sixteenth above
    /// white.
    private(set) var lift = [Float](repeating: 0, count: LightBias.steps)
    /// How many values that is: what the kernels are built for.
    static let steps = 1024

    private var light = LightNoise()

    /// How a plane's codes stand for colours.
    struct Codes {
        var black: Float
        var lumaSpan: Float
        /// From the most negative to the most positive; 0 of grey.
        var chromaSpan: Float
        /// The shares of red and blue in brightness.
        var red: Float
        var blue: Float

        var isGrey: Bool { chromaSpan == 0 }

        /// Red, green and blue of a brightness and its Cb and Cr, counted from their middle.
        func channels(_ code: Float, _ tint: (cb: Float, cr: Float)) -> SIMD3<Float> {
            let y = max(0, (code - black) / lumaSpan)
            guard !isGrey else { return [y, y, y] }
            let r = y + 2 * (1 - red) * tint.cr / chromaSpan, b = y + 2 * (1 - blue) * tint.cb / chromaSpan
            return [r, (y - red * r - blue * b) / (1 - red - blue), b]
        }
    }

    /// Computes the lift for a picture with `noise`, of which `census` says what brightnesses and colours it has.
    mutating func update(_ noise: NoiseModel, _ codes: Codes, _ census: ColorCensus) {
        light.forget()
        // Channels are noisy each for itself.
        let green = 1 - codes.red - codes.blue
        light.shares = codes.isGrey ? [1, 0, 0] : [codes.red * codes.red, green * green, codes.blue * codes.blue]
        light.isInterpolated = !SpectrumShape(noise.spectrum).isWhite
        for range in 0..<ColorCensus.ranges {
            var count: UInt32 = 0
            for code in 8 * range..<8 * range + 8 { count += census.counts[code] }
            // What was not seen explains nothing.
            guard count > 0, noise.seen.overlaps(8 * range - 4...8 * range + 11) else { continue }
            let code = max(Float(noise.seen.lowerBound), min(Float(8 * range + 4), Float(noise.seen.upperBound)))
            let value = (code - codes.black) / codes.lumaSpan
            guard value > -0.02 && value < 0.97 else { continue }
            let variance = noise.variance(at: code) / (codes.lumaSpan * codes.lumaSpan)
            // What is lifted goes with the variance and the curve's bend there: what is lifted more has to be told better.
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
            // What a mean lies between, its light does.
            while place < LightNoise.steps && high.mean < value || place == 0 {
                place += 1
                low = high
                high = Rung(
                    value: Float(place) / Float(LightNoise.steps), mean: light.mean(place, shot: shot, read: read))
            }
            let t = min(1, max(0, (value - low.mean) / max(1e-6, high.mean - low.mean)))
            let inside = (low.value - low.mean) * (1 - t) + (high.value - high.mean) * t
            // Beyond what noise makes of white there is only white, clipped or not, and no more than that; so with black.
            lift[index] = value > high.mean ? max(0, 1 - value) : value < low.mean ? min(0, -value) : inside
        }
    }

    private struct Rung {
        var value: Float
        var mean: Float
    }
}
