// SPDX-License-Identifier: MIT
// What noise does to the mean: sensors are noisy in linear light, and the tone curve bends that.

import Glibc

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

    /// The tone curve, by square roots of light in steps of 1/4096.
    private let curve = (0...4096).map { Float(LightBias.encoded(pow(Double($0) / 4096, 2))) }
    /// Where noise may be, in standard deviations, and how likely: the normal distribution.
    private let places: SIMD16<Float>
    private let bell: SIMD16<Float>
    private var points: [Point] = []
    /// Light from black to white, evenly in codes.
    private let lights = (0...128).map { Float(LightBias.decoded(Double($0) / 128)) }

    init() {
        var (places, weights) = (SIMD16<Double>.zero, SIMD16<Double>.zero)
        for index in 0..<16 {
            places[index] = 0.4 * (Double(index) - 7.5)
            weights[index] = exp(-places[index] * places[index] / 2)
        }
        (self.places, bell) = (SIMD16<Float>(places), SIMD16<Float>(weights / weights.sum()))
        points.reserveCapacity(32)
    }

    /// sRGB's curve, which cameras aim at whatever they say.
    private static func encoded(_ light: Double) -> Double {
        light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
    private static func decoded(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// Brightness is a mix of three channels, each noisier by this than the mix when they are independent.
    private static let channelNoise: Float = 1 / (0.299 * 0.299 + 0.587 * 0.587 + 0.114 * 0.114)

    /// Computes the lift for samples from `black` over `span` codes with `noise`; `counts` says how often each
    /// brightness occurs.
    mutating func update(_ noise: NoiseModel, black: Float, span: Float, isGrey: Bool, counts: Scratch<UInt32>) {
        let factor = (isGrey ? 1 : Self.channelNoise) / (span * span)
        points.removeAll(keepingCapacity: true)
        for bin in 0..<32 {
            var weight: UInt32 = 0
            for code in 8 * bin..<8 * bin + 8 { weight += counts[code] }
            let code = Float(8 * bin + 4), value = (code - black) / span
            guard weight > 0 && value > -0.02 && value < 0.97 else { continue }
            points.append(
                Point(value: max(0, value), variance: noise.variance(at: code) * factor, weight: Float(weight)))
        }
        let (shot, read) = fitted()
        var place = 0
        var low = Rung(value: 0, mean: moments(lights[0], read.squareRoot()).mean), high = low
        for index in lift.indices {
            let value = (Float(index) + 0.5) * 1.125 / Float(Self.steps) - 0.0625
            // What a mean lies between, its light does.
            while place < 128 && high.mean < value || place == 0 {
                place += 1
                low = high
                high = Rung(
                    value: Float(place) / 128,
                    mean: moments(lights[place], (shot * lights[place] + read).squareRoot()).mean)
            }
            let t = min(1, max(0, (value - low.mean) / max(1e-6, high.mean - low.mean)))
            let inside = (low.value - low.mean) * (1 - t) + (high.value - high.mean) * t
            // Beyond what noise makes of white there is only white, clipped or not, and no more than that; so with black.
            lift[index] = value > high.mean ? max(0, 1 - value) : value < low.mean ? min(0, -value) : inside
        }
    }

    private struct Point {
        var value: Float
        var variance: Float
        var weight: Float
    }

    private struct Rung {
        var value: Float
        var mean: Float
    }

    /// Mean and variance of encoded samples of a light with noise.
    private func moments(_ light: Float, _ deviation: Float) -> (mean: Float, variance: Float) {
        var (sum, square): (Float, Float) = (0, 0)
        for index in 0..<16 {
            let noisy = min(1, max(0, light + deviation * places[index]))
            let value = curve[Int(noisy.squareRoot() * 4096 + 0.5)], weighted = bell[index] * value
            sum += weighted
            square += weighted * value
        }
        return (sum, max(0, square - sum * sum))
    }

    /// The shot and read noise, variance `shot * light + read`, that explain the variances best, each relative to what
    /// it is.
    private func fitted() -> (shot: Float, read: Float) {
        let total = points.reduce(0) { $0 + $1.weight }
        guard total > 0 else { return (0, 0) }
        // Every point adds to it: once it is more than `most`, how much does not matter.
        func misfit(_ shot: Float, _ read: Float, most: Float) -> Float {
            // Read noise is so many electrons whatever the gain, and shot noise tells the gain; the two are hard to tell
            // apart, so a weak pull to that.
            let unusual = log(read / (0.06 * shot * shot))
            var (sum, place) = (0.01 * total * unusual * unusual, 0)
            // The mean of a brightness's samples is not the brightness: both moments are followed up a ladder of light.
            var low = moments(lights[0], read.squareRoot()), high = low
            for point in points where sum <= most {
                while place < 128 && high.mean < point.value || place == 0 {
                    place += place < 16 ? 2 : 8
                    low = high
                    high = moments(lights[place], (shot * lights[place] + read).squareRoot())
                }
                let t = min(1, max(0, (point.value - low.mean) / max(1e-6, high.mean - low.mean)))
                let ratio = log((low.variance + (high.variance - low.variance) * t + 1e-9) / (point.variance + 1e-9))
                sum += point.weight * min(ratio * ratio, 1)
            }
            return sum
        }
        // Half a decade at a time, then finer and finer around the best.
        var best = (misfit: Float.infinity, shot: Float(-6), read: Float(-12))
        var step: Float = 1
        for round in 0..<5 {
            let (middle, reach) = (best, round == 0 ? 4 : 2)
            for i in -reach...reach {
                for j in -reach...reach where round == 0 || (i, j) != (0, 0) {
                    let (shot, read) = (middle.shot + Float(i) * step, middle.read + Float(j) * step)
                    let found = misfit(exp(shot), exp(read), most: best.misfit)
                    if found < best.misfit { best = (found, shot, read) }
                }
            }
            step *= 0.45
        }
        return (exp(best.shot), exp(best.read))
    }
}
