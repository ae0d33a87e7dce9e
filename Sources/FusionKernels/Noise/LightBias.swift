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
    private let curve = Scratch<Float>(4097, filledWith: 0)
    /// Where noise may be, in standard deviations, and how likely: the normal distribution.
    private let places = Scratch<Float>(16, filledWith: 0), bell = Scratch<Float>(16, filledWith: 0)
    /// Which of the curve's steps those are.
    private let stepsThere = Scratch<UInt32>(16, filledWith: 0)
    private var points: [Point] = []
    /// Light from black to white, evenly in codes.
    private let lights = (0...128).map { Float(LightBias.decoded(Double($0) / 128)) }

    init() {
        for step in 0...4096 { curve[step] = Float(Self.encoded(pow(Double(step) / 4096, 2))) }
        var weights = SIMD16<Double>.zero
        for index in 0..<16 {
            let place = 0.4 * (Double(index) - 7.5)
            places[index] = Float(place)
            weights[index] = exp(-place * place / 2)
        }
        for index in 0..<16 { bell[index] = Float((weights / weights.sum())[index]) }
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
            // What was not seen explains nothing.
            guard noise.seen.overlaps(8 * bin - 4...8 * bin + 11) else { continue }
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
    @inline(__always)
    private func moments(_ light: Float, _ deviation: Float) -> (mean: Float, variance: Float) {
        let (places, bell, curve, stepsThere) = (places.base, bell.base, curve.base, stepsThere.base)
        // Whole numbers end here, so that what is added to it is rounded to the nearest.
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

    /// The shot and read noise, variance `shot * light + read`, that explain the variances best, each relative to what
    /// it is.
    private func fitted() -> (shot: Float, read: Float) {
        let total = points.reduce(0) { $0 + $1.weight }
        guard total > 0 else { return (0, 0) }
        // Half a decade at a time, then finer and finer around the best.
        var best = Guess(misfit: .infinity, shot: -6, read: -12)
        var step: Float = 1
        for round in 0..<5 {
            let middle = best
            for place in round == 0 ? Self.wide : Self.near {
                let (shot, read) = (middle.shot + Float(place.shot) * step, middle.read + Float(place.read) * step)
                // Most are too unusual to be the best, whatever they explain. Told without their exponents, it is told a
                // little differently.
                let unusual = 0.999 * abs(read - 2 * shot - Self.usual) - 0.001
                guard unusual < 0 || Self.pull * total * unusual * unusual <= best.misfit else { continue }
                let found = misfit(exp(shot), exp(read), total, most: best.misfit)
                guard found < best.misfit || found == best.misfit && place.rank < best.rank else { continue }
                best = Guess(misfit: found, shot: shot, read: read, rank: place.rank)
            }
            // The next round has to find a better one.
            best.rank = -1
            step *= 0.45
        }
        return (exp(best.shot), exp(best.read))
    }

    /// How badly a guess explains the points. Each of them adds to it: once it is more than `most`, how much does not
    /// matter.
    private func misfit(_ shot: Float, _ read: Float, _ total: Float, most: Float) -> Float {
        let unusual = log(read / (Self.usualRatio * shot * shot))
        var (sum, place) = (Self.pull * total * unusual * unusual, 0)
        // The mean of a brightness's samples is not the brightness: both moments are followed up a ladder of light.
        var low = moments(lights[0], read.squareRoot()), high = low
        for point in points {
            guard sum <= most else { break }
            while place < 128 && high.mean < point.value || place == 0 {
                place += place < 16 ? 2 : 8
                low = high
                high = moments(lights[place], (shot * lights[place] + read).squareRoot())
            }
            let t = min(1, max(0, (point.value - low.mean) / max(1e-6, high.mean - low.mean)))
            let ratio = (low.variance + (high.variance - low.variance) * t + 1e-9) / (point.variance + 1e-9)
            // A factor of e is a miss, and no more than that is any.
            let distance = ratio > 2.719 || ratio < 0.3678 ? 1 : log(ratio)
            sum += point.weight * min(distance * distance, 1)
        }
        return sum
    }

    /// Read noise is so many electrons whatever the gain, and shot noise tells the gain; the two are hard to tell apart,
    /// so a weak pull to what read noise over squared shot noise usually is.
    private static let usualRatio: Float = 0.06, usual = log(usualRatio), pull: Float = 0.004

    /// Logarithms of shot and read noise, and how badly they explain what was measured.
    private struct Guess {
        var misfit: Float
        var shot: Float
        var read: Float
        /// Of two that are as good, the one with the lower rank is taken.
        var rank = -1
    }

    /// Where to look for a better guess, in steps from the best one.
    private struct Place {
        let shot: Int
        let read: Int
        let rank: Int
    }

    /// The first round's places and the others'. Likely ones come first: what is worse is given up early then.
    private static let wide = places(reach: 4) { abs(Double($0.read - 2 * $0.shot) + 2.8) + 0.1 * abs(Double($0.shot)) }
    private static let near = places(reach: 2) { Double($0.shot * $0.shot + $0.read * $0.read) }.filter {
        ($0.shot, $0.read) != (0, 0)
    }

    private static func places(reach: Int, order: (Place) -> Double) -> [Place] {
        let across = 2 * reach + 1
        return (0..<across * across).map { Place(shot: $0 / across - reach, read: $0 % across - reach, rank: $0) }
            .sorted { order($0) < order($1) }
    }
}
