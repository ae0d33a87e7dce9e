// SPDX-License-Identifier: MIT
// The noise of light is estimated from its effect after the tone curve.

import Glibc
import LivecapFrames
import Testing

@testable import Fusion

@Suite struct LightNoiseTests {
    private static let shot = 0.02, read = 1e-4
    private static let shares: SIMD3<Float> = [0.299 * 0.299, 0.587 * 0.587, 0.114 * 0.114]

    /// The mean and variance of encoded samples of a light, in equal parts of each standard deviation.
    private static func seen(_ light: Double, deviations: [Double]) -> (mean: Double, variance: Double) {
        var (sum, square, weights) = (0.0, 0.0, 0.0)
        for deviation in deviations {
            for place in -80...80 {
                let at = Double(place) / 20, weight = exp(-at * at / 2)
                let value = ToneCurve.encoded(min(1, max(0, light + deviation * at)))
                sum += weight * value
                square += weight * value * value
                weights += weight
            }
        }
        return (sum / weights, square / weights - sum * sum / weights / weights)
    }

    private static func seen(_ light: Double) -> (mean: Double, variance: Double) {
        seen(light, deviations: [(shot * light + read).squareRoot()])
    }

    /// The noise fitted to lights of these colours, all with the same weight.
    private static func fitted(_ lights: [SIMD3<Double>], asGrey: Bool = false) -> (
        noise: LightNoise, shot: Float, read: Float
    ) {
        var noise = LightNoise()
        noise.shares = shares
        for light in lights {
            var (channels, variance) = (SIMD3<Float>.zero, Float(0))
            for channel in 0..<3 {
                let seen = seen(light[channel])
                channels[channel] = Float(seen.mean)
                variance += shares[channel] * Float(seen.variance)
            }
            if asGrey { channels = .init(repeating: (channels * [0.299, 0.587, 0.114]).sum()) }
            noise.add(.init(channels: channels, variance: variance, weight: 1))
        }
        let found = noise.fitted()
        return (noise, found.shot, found.read)
    }

    /// How far the mean predicted for a dark grey is from the true one, in codes.
    private static func missed(_ found: (noise: LightNoise, shot: Float, read: Float), code: Int) -> Double {
        let mean = found.noise.mean(code / 2, shot: found.shot, read: found.read)
        return abs(255 * (Double(mean) - seen(ToneCurve.decoded(Double(code / 2) / 128)).mean))
    }

    /// Dark greens and brighter reds, as of a flower in front of leaves.
    private static let flower: [SIMD3<Double>] =
        (1...6).map { [0.001, 0.002, 0.001] * Double($0 * $0) } + (1...6).map { [0.04, 0.002, 0.001] * Double($0) }
    private static let greys: [SIMD3<Double>] = (1...12).map { .init(repeating: 0.0006 * Double($0 * $0)) }

    @Test func shotAndReadNoiseAreTold() {
        let found = Self.fitted(Self.greys)
        #expect(abs(Double(found.shot) / Self.shot - 1) < 0.1 && abs(Double(found.read) / Self.read - 1) < 0.2)
        // Noise had made these codes seven and five codes brighter.
        #expect(Self.missed(found, code: 4) < 0.6 && Self.missed(found, code: 8) < 0.6)
    }

    @Test func aColourHasTheNoiseOfItsChannels() {
        let found = Self.fitted(Self.flower), grey = Self.fitted(Self.flower, asGrey: true)
        for code in [4, 8, 16] { #expect(Self.missed(found, code: code) < 0.75, "\(code)") }
        #expect(Self.missed(grey, code: 4) > 0.9 && Self.missed(grey, code: 8) > 0.9)
    }

    @Test func interpolatedSamplesHaveTwoNoiseLevels() {
        let curve = ToneCurve(),
            truth = Self.seen(0.03, deviations: [0.03 * 1.6.squareRoot(), 0.03 * 0.4.squareRoot()])
        let mixed = curve.moments(0.03, 0.03, true), alike = curve.moments(0.03, 0.03, false)
        #expect(abs(Double(mixed.mean) - truth.mean) < 0.5 / 255)
        #expect(abs(Double(mixed.variance) / truth.variance - 1) < 0.07)
        #expect(Double(alike.variance) / truth.variance > 1.08)
    }

    @Test func brightScenesUseDefaultReadNoise() {
        let found = Self.fitted((1...8).map { .init(repeating: 0.1 * Double($0)) })
        #expect(abs(Double(found.shot) / Self.shot - 1) < 0.1 && found.read < 0.5 * found.shot * found.shot)
    }

    @Test func nothingSeenIsNoNoise() {
        var noise = LightNoise()
        let found = noise.fitted()
        #expect(found == (0, 0))
    }

    @Test func aCensusTellsBrightnessAndColour() throws {
        let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 64, height: 128))
        let fuser = try Fuser(format), frame = fuser.makeFrame()
        let bytes = format.filled { plane, _, y in
            plane == 0 ? (y < 64 ? 40 : 90) : y < 64 ? 128 : plane == 1 ? 108 : 150
        }
        try fuser.prepare(bytes.span.bytes, into: frame)
        let census = ColorCensus()
        census.measure(frame)
        // Not counted: the row of tiles on either side of the edge.
        #expect(census.counts[40] == 56 && census.counts[90] == 56)
        #expect(census.tint(40 / 8) == (0, 0) && census.tint(90 / 8) == (-20, 22) && census.tint(3) == (0, 0))
    }
}
