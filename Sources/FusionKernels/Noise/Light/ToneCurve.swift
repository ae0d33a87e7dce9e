// SPDX-License-Identifier: MIT
// What the tone curve does to noisy light.

import Glibc

/// The sRGB curve, which cameras approximate whatever they declare, and the moments of noise after it.
struct ToneCurve {
    /// The encoded value for each square root of light, in steps of 1/4096.
    private let curve = Scratch<Float>(4097, filledWith: 0)
    /// The deviations at which a normal distribution is sampled, in standard deviations, and their weights: `bell`
    /// for a sensor's own samples, `mixedBell` when some samples were interpolated from their neighbours.
    private let places = Scratch<Float>(16, filledWith: 0)
    private let bell = Scratch<Float>(16, filledWith: 0), mixedBell = Scratch<Float>(16, filledWith: 0)
    /// The step of `curve` at each of these deviations.
    private let stepsThere = Scratch<UInt32>(16, filledWith: 0)

    init() {
        for step in 0...4096 { curve[step] = Float(Self.encoded(pow(Double(step) / 4096, 2))) }
        for index in 0..<16 { places[index] = Float(0.4 * (Double(index) - 7.5)) }
        Self.fill(bell, [1])
        // Brightness is mostly green. Every other green sample is the sensor's own; those in between are means of
        // four, with a quarter of the variance. Both variances are relative to their mean.
        Self.fill(mixedBell, [1.6, 0.4])
    }

    /// Fills in the mean of normal distributions with these variances.
    private static func fill(_ bell: Scratch<Float>, _ variances: [Double]) {
        var weights = SIMD16<Double>.zero
        for index in 0..<16 {
            let place = 0.4 * (Double(index) - 7.5)
            for variance in variances { weights[index] += exp(-place * place / variance / 2) / variance.squareRoot() }
        }
        for index in 0..<16 { bell[index] = Float((weights / weights.sum())[index]) }
    }

    static func encoded(_ light: Double) -> Double {
        light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
    static func decoded(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// Mean and variance of the encoded samples of a noisy light. `isMixed` says that some samples were interpolated.
    @inline(__always)
    func moments(_ light: Float, _ deviation: Float, _ isMixed: Bool) -> (mean: Float, variance: Float) {
        let (places, bell) = (places.base, isMixed ? mixedBell.base : bell.base)
        let (curve, stepsThere) = (curve.base, stepsThere.base)
        // Floats from 2^23 on have no fraction, so adding this rounds to the nearest integer.
        let whole: Float = 8_388_608
        for index in 0..<16 {
            let noisy = light + deviation * places[index], above = noisy > 0 ? noisy : 0
            let step = (above < 1 ? above : 1).squareRoot() * 4096 + 0.5, nearest = step + whole
            stepsThere[index] = (nearest - whole > step ? nearest.bitPattern &- 1 : nearest.bitPattern) & 0x1fff
        }
        var (sum, square): (Float, Float) = (0, 0)
        for index in 0..<16 {
            let value = curve[Int(stepsThere[index])], weighted = bell[index] * value
            sum += weighted
            square += weighted * value
        }
        return (sum, max(0, square - sum * sum))
    }
}
