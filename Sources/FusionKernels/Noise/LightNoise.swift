// SPDX-License-Identifier: MIT
// The noise of light itself, told from what the tone curve made of it.

import Glibc

/// Shot and read noise: a variance of `shot * light + read`, for light from 0 to 1.
struct LightNoise {
    /// What was measured of a brightness.
    struct Point {
        /// Red, green and blue, from 0 to 1 behind the tone curve.
        var channels: SIMD3<Float>
        var variance: Float
        var weight: Float
    }

    /// What there is to explain: at most one of each range of brightness.
    private(set) var points: [Point] = []
    /// How much of each channel's variance brightness has.
    var shares: SIMD3<Float> = [1, 0, 0]
    /// Whether samples were made of their neighbours: some were, and have less noise than the others then.
    var isInterpolated = false

    private let curve = ToneCurve()
    /// Light from black to white, evenly in codes.
    private let lights = (0...LightNoise.steps).map { Float(ToneCurve.decoded(Double($0) / Double(LightNoise.steps))) }
    static let steps = 128
    /// The channels of all points by their values, and what is said of each.
    private var seen: [Seen] = []
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

    /// Adds what is to be explained.
    mutating func add(_ point: Point) {
        for channel in 0..<3 where shares[channel] > 0 {
            let value = point.channels[channel]
            var place = seen.count
            seen.append(Seen(value: value, share: shares[channel], point: points.count))
            // In order: points come so, and their channels nearly.
            while place > 0 && seen[place - 1].value > value {
                seen.swapAt(place, place - 1)
                place -= 1
            }
        }
        points.append(point)
    }

    /// What samples of a light, one of `steps`, are in the mean.
    func mean(_ step: Int, shot: Float, read: Float) -> Float { moments(step, shot, read).mean }

    @inline(__always)
    private func moments(_ step: Int, _ shot: Float, _ read: Float) -> (mean: Float, variance: Float) {
        curve.moments(lights[step], (shot * lights[step] + read).squareRoot(), isInterpolated)
    }

    /// The noise that explains the points best, each relative to what it is.
    ///
    /// Of either noise's share of the whole only the darkest points tell much, of the whole all: so the whole is found for
    /// one share after the other, and the best of those is taken.
    mutating func fitted() -> (shot: Float, read: Float) {
        var (total, light, start) = (Float(0), Float(0), Float(0))
        for point in points { total += point.weight }
        guard total > 0 else { return (0, 0) }
        for place in points.indices {
            points[place].weight /= total
            let point = points[place], value = (point.channels * shares).sum() / shares.sum()
            let here = max(1e-4, Float(ToneCurve.decoded(Double(max(0, min(value, 1))))))
            light += point.weight * here
            // The curve is nearly a power of light: so much noise of light is little noise of a sample.
            let slope = (value + 0.055) / (2.4 * here)
            start += point.weight * log((point.variance / shares.sum() + 1e-9) / (slope * slope * here))
        }
        var best = Guess(misfit: .infinity, shot: start, share: 0), shot = start
        // Read noise from hardly any to nearly all.
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

    /// Logarithms of shot noise and of read noise's share of it at the mean light, and how badly they explain what was
    /// measured.
    private struct Guess {
        var misfit: Float
        var shot: Float
        var share: Float
    }

    /// The best of a share: some steps of looking, from a guess on.
    private func solved(_ start: Float, _ share: Float, _ light: Float, steps: Int) -> Guess {
        var shot = start
        // Variances go with the noise, or nearly.
        for _ in 1..<steps { shot += missed(exp(shot), exp(shot + share) * light).mean }
        let noise = (shot: exp(shot), read: exp(shot + share) * light)
        let unusual = log(noise.read / (Self.usualRatio * noise.shot * noise.shot))
        let misfit = missed(noise.shot, noise.read).square + Self.pull * unusual * unusual
        return Guess(misfit: misfit, shot: shot, share: share)
    }

    /// How far the logarithms of what was measured are from those of what is expected: in the mean, and squared.
    private func missed(_ shot: Float, _ read: Float) -> (mean: Float, square: Float) {
        let expected = expected.base
        for place in points.indices { expected[place] = 0 }
        var low = moments(0, shot, read), high = low, step = 0
        // The mean of a light's samples is not the light: both moments are followed up a ladder of light.
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
            // A factor of e is a miss, and no more than that is any.
            let distance = ratio > 2.719 ? 1 : ratio < 0.3678 ? -1 : log(ratio)
            mean += points[place].weight * distance
            square += points[place].weight * distance * distance
        }
        return (mean, square)
    }

    /// Read noise is so many electrons whatever the gain, and shot noise tells the gain. Where nothing is dark enough to tell
    /// the two apart, read noise over squared shot noise is believed to be what it usually is: a weak pull, as a mean error of a
    /// thirtieth is within what is measured.
    private static let usualRatio: Float = 0.15, pull: Float = 0.001
}
