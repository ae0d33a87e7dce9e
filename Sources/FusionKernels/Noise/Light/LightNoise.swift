// SPDX-License-Identifier: MIT
// Estimates the noise of linear light from the noise after the tone curve.

import Glibc

/// Shot and read noise: a variance of `shot * light + read`, for linear light from 0 (black) to 1 (white).
struct LightNoise {
    /// A measurement of noise at one brightness.
    struct Point {
        /// Red, green and blue, from 0 to 1, after the tone curve.
        var channels: SIMD3<Float>
        /// The variance of brightness, where 1 is white.
        var variance: Float
        /// The importance of this point.
        var weight: Float
    }

    /// The measurements to explain: at most one for each range of brightness.
    private(set) var points: [Point] = []
    /// How much of each channel's variance appears in brightness.
    var shares: SIMD3<Float> = [1, 0, 0]
    /// Whether samples were interpolated from their neighbours (demosaicked). Interpolated samples have less noise
    /// than the others.
    var isInterpolated = false

    private let curve = ToneCurve()
    /// Linear light from black to white, in equal steps after the tone curve.
    private let lights = (0...LightNoise.steps).map { Float(ToneCurve.decoded(Double($0) / Double(LightNoise.steps))) }
    static let steps = 128
    /// The channels of all points in order of their values.
    private var seen: [Seen] = []
    /// The variance expected of each point.
    private let expected = Scratch<Float>(ColorCensus.ranges, filledWith: 0)

    private struct Seen {
        var value: Float
        var share: Float
        var point: Int
    }

    init() {
        points.reserveCapacity(ColorCensus.ranges)
        seen.reserveCapacity(3 * ColorCensus.ranges)
    }

    mutating func forget() {
        points.removeAll(keepingCapacity: true)
        seen.removeAll(keepingCapacity: true)
    }

    /// Adds a measurement.
    mutating func add(_ point: Point) {
        for channel in 0..<3 where shares[channel] > 0 {
            let value = point.channels[channel]
            var place = seen.count
            seen.append(Seen(value: value, share: shares[channel], point: points.count))
            // Insertion sort: points arrive in order, and their channels nearly so.
            while place > 0 && seen[place - 1].value > value {
                seen.swapAt(place, place - 1)
                place -= 1
            }
        }
        points.append(point)
    }

    /// The mean of noisy samples of a light, given as one of `steps`.
    func mean(_ step: Int, shot: Float, read: Float) -> Float { moments(step, shot, read).mean }

    @inline(__always)
    private func moments(_ step: Int, _ shot: Float, _ read: Float) -> (mean: Float, variance: Float) {
        curve.moments(lights[step], (shot * lights[step] + read).squareRoot(), isInterpolated)
    }

    /// Finds the noise that explains the points best, judged by relative errors.
    ///
    /// The points determine the total noise well, but only the darkest ones say much about how it divides into shot
    /// and read noise. The total is therefore found for one division after another, and the best is chosen.
    mutating func fitted() -> (shot: Float, read: Float) {
        var (total, light, start) = (Float(0), Float(0), Float(0))
        for point in points { total += point.weight }
        guard total > 0 else { return (0, 0) }
        for place in points.indices {
            points[place].weight /= total
            let point = points[place], value = (point.channels * shares).sum() / shares.sum()
            let here = max(1e-4, Float(ToneCurve.decoded(Double(max(0, min(value, 1))))))
            light += point.weight * here
            // The tone curve is nearly a power function. Its slope converts noise of a sample to noise of light.
            let slope = (value + 0.055) / (2.4 * here)
            start += point.weight * log((point.variance / shares.sum() + 1e-9) / (slope * slope * here))
        }
        var best = Guess(misfit: .infinity, shot: start, share: 0), shot = start
        // From hardly any read noise to nearly all of the noise.
        for share in -5...3 {
            let guess = solved(shot, Float(share), light, steps: share == -5 ? 6 : 3)
            shot = guess.shot
            if guess.misfit < best.misfit { best = guess }
        }
        for step: Float in [0.5, 0.25, 0.125] {
            let middle = best
            for share in [middle.share - step, middle.share + step] {
                let guess = solved(middle.shot, share, light, steps: 3)
                if guess.misfit < best.misfit { best = guess }
            }
        }
        return (exp(best.shot), exp(best.shot + best.share) * light)
    }

    /// A candidate: the logarithms of the shot noise and of the ratio of read to shot noise at the mean light, and
    /// how badly they explain the measurements.
    private struct Guess {
        var misfit: Float
        var shot: Float
        var share: Float
    }

    /// The best total for a given ratio: a few steps from an initial guess.
    private func solved(_ start: Float, _ share: Float, _ light: Float, steps: Int) -> Guess {
        var shot = start
        // Variances are nearly proportional to the noise, so the mean error of the logarithms is the step.
        for _ in 1..<steps { shot += missed(exp(shot), exp(shot + share) * light).mean }
        let noise = (shot: exp(shot), read: exp(shot + share) * light)
        let unusual = log(noise.read / (Self.usualRatio * noise.shot * noise.shot))
        let misfit = missed(noise.shot, noise.read).square + Self.pull * unusual * unusual
        return Guess(misfit: misfit, shot: shot, share: share)
    }

    /// How far the logarithms of the measured variances are from those expected: the weighted mean, and the mean
    /// square.
    private func missed(_ shot: Float, _ read: Float) -> (mean: Float, square: Float) {
        let expected = expected.base
        for place in points.indices { expected[place] = 0 }
        var low = moments(0, shot, read), high = low, step = 0
        // The mean of noisy samples of a light is not that light, so mean and variance are both found on a ladder of
        // lights.
        for one in seen {
            while step < Self.steps && high.mean < one.value || step == 0 {
                step += step < 16 ? 2 : step < 48 ? 4 : 8
                low = high
                high = moments(step, shot, read)
            }
            let t = min(1, max(0, (one.value - low.mean) / max(1e-6, high.mean - low.mean)))
            expected[one.point] += one.share * (low.variance + (high.variance - low.variance) * t)
        }
        var (mean, square) = (Float(0), Float(0))
        for place in points.indices {
            let ratio = (points[place].variance + 1e-9) / (expected[place] + 1e-9)
            // A factor of e counts as a miss, and larger factors count no more.
            let distance = ratio > 2.719 ? 1 : ratio < 0.3678 ? -1 : log(ratio)
            mean += points[place].weight * distance
            square += points[place].weight * distance * distance
        }
        return (mean, square)
    }

    /// Read noise is a fixed number of electrons whatever the gain, and shot noise reveals the gain. So where nothing
    /// is dark enough to separate the two, read noise divided by squared shot noise is assumed to have its usual
    /// value. The pull towards it is weak (about 1/30 squared), as a mean error of 1/30 is within the accuracy of
    /// measurement.
    private static let usualRatio: Float = 0.15, pull: Float = 0.001
}
