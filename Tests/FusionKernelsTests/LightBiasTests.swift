// SPDX-License-Identifier: MIT
// The shift of the mean that noise causes is corrected.

import Glibc
import LivecapFrames
import Testing

@testable import Fusion

@Suite struct LightBiasTests {
    /// Noise in linear light, with a variance of `shot * light + read`.
    private static let shot = 0.03, read = 1e-4
    /// The same number of pixels of every brightness.
    private static let evenly = {
        let census = ColorCensus()
        census.counts.fill(100)
        return census
    }()

    /// The mean and variance that noise gives to a code after the tone curve, in codes.
    private static func noisy(_ code: Int) -> (mean: Double, variance: Double) {
        let light = linear(Double(code) / 255), deviation = (shot * light + read).squareRoot()
        var (sum, square, weights) = (0.0, 0.0, 0.0)
        for place in -400...400 {
            let at = Double(place) / 100, weight = exp(-at * at / 2)
            let value = 255 * encoded(min(1, max(0, light + deviation * at)))
            sum += weight * value
            square += weight * value * value
            weights += weight
        }
        return (sum / weights, square / weights - sum * sum / weights / weights)
    }

    private static func linear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func encoded(_ light: Double) -> Double {
        light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// The noise model of a camera with this noise, observed in greys of `codes`.
    private static func model(_ codes: ClosedRange<Int>) -> NoiseModel {
        var model = NoiseModel()
        let points = codes.map(noisy)
        for (from, to) in zip(points, points.dropFirst()) {
            model.draw(
                from: (Float(from.mean), Float(from.variance)), to: (Float(to.mean), Float(to.variance)))
        }
        model.seen = Int(points.first!.mean)...Int(points.last!.mean)
        return model
    }

    private static func lift(_ model: NoiseModel) -> LightBias {
        var bias = LightBias()
        bias.update(model, .init(black: 0, lumaSpan: 255, chromaSpan: 0, red: 0.299, blue: 0.114), evenly)
        return bias
    }

    private static func lift(_ mean: Double, by bias: LightBias) -> Double {
        let place = (mean / 255 + 0.0625) / 1.125 * Double(LightBias.steps)
        return mean + 255 * Double(bias.lift[Int(place)])
    }

    @Test func theMeanBecomesWhatTheLightWas() {
        let bias = Self.lift(Self.model(0...255))
        for code in [4, 12, 25, 50, 90, 140, 200] {
            let mean = Self.noisy(code).mean
            // Noise had shifted the mean by up to eight codes.
            #expect(abs(Self.lift(mean, by: bias) - Double(code)) < 2, "\(code) seen as \(mean)")
        }
        #expect(abs(Self.noisy(4).mean - 4) > 4 && abs(Self.noisy(50).mean - 50) > 2)
    }

    @Test func unobservedBrightnessDoesNotAffectTheLift() {
        var model = Self.model(0...120)
        let seen = Self.lift(model)
        for code in model.seen.upperBound + 20..<NoiseModel.levels { model.variance[code] *= 9 }
        #expect(Self.lift(model).lift == seen.lift)
        model.seen = 0...NoiseModel.levels - 1
        #expect(Self.lift(model).lift != seen.lift)
    }
}
