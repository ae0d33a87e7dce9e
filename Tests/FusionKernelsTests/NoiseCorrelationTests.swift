// SPDX-License-Identifier: MIT
// Correlated noise is recognised, and its covariance never exceeds what noise can have.

import LivecapCFusionKernels
import Testing

@testable import Fusion

@Suite struct NoiseCorrelationTests {
    let correlation = NoiseCorrelation()

    @Test func whiteNoiseIsSharedOnlyWherePatchesOverlap() {
        correlation.take([[Float](repeating: 1, count: 64)])
        let lags = correlation.lags(0)
        // Two patches share as much of the mean's coefficient as of their area: here 5 of 8 columns and 7 of 8
        // rows.
        let lag = (1 * Int(FUSION_LAGS) + 3) * 64
        #expect(abs(lags[lag] - lags[0] * 5 / 8 * 7 / 8) < 0.01)
        #expect(abs(lags[8 * 64]) < 0.01)
        #expect(abs(lags[0] - 64) < 0.01)
        let covariance = correlation.covariance(0)
        #expect(abs(covariance[0] - 1.02) < 1e-3 && abs(covariance[1]) < 1e-3)
    }

    @Test func smoothNoiseIsCorrelated() {
        // Noise averaged over 2x2 samples: neighbours share half of it.
        let power = (0..<8).map { k -> Float in
            (0..<8).reduce(0) { sum, x in
                func wave(_ x: Int) -> Float {
                    (k == 0 ? 1 : 2 as Float).squareRoot() * Self.cosines[(2 * x + 1) * k % 32] / Float(8).squareRoot()
                }
                return sum + wave(x) * wave(x) + (x < 7 ? wave(x) * wave(x + 1) : 0)
            }
        }
        correlation.take([(0..<64).map { power[$0 / 8] * power[$0 % 8] }])
        let covariance = correlation.covariance(0)
        #expect(abs(covariance[1] - 0.5) < 1e-3)
        #expect(abs(covariance[5] - 0.25) < 1e-3)
        #expect(abs(covariance[2]) < 1e-3)
    }

    /// A spectrum with a mean of 1, by frequency down and across. No power is below what rounding alone leaves.
    private static func spectrum(_ power: (_ down: Int, _ across: Int) -> Float) -> [Float] {
        let powers = (0..<64).map { power($0 / 8, $0 % 8) }
        let mean = powers.reduce(0, +) / 64
        return powers.map { max(0.02, $0 / mean) }
    }

    /// Spectra that camera noise can have, and that no autocovariance over a few samples fits.
    static let narrow: [(name: String, powers: [Float])] = [
        ("rows", spectrum { $1 == 0 ? 1 : 0 }), ("columns", spectrum { down, _ in down == 0 ? 1 : 0 }),
        ("bands", spectrum { $1 == 0 && $0 < 2 ? 1 : 0 }), ("lowest", spectrum { $0 + $1 == 0 ? 1 : 0 }),
        ("low", spectrum { $0 < 2 && $1 < 2 ? 1 : 0 }), ("blurred", spectrum { 1 / Float(1 << (2 * ($0 + $1))) }),
        ("a wave", spectrum { $0 == 3 && $1 == 5 ? 1 : 0 }), ("high", spectrum { $0 > 5 && $1 > 5 ? 1 : 0 }),
    ]

    /// The smallest pivot of a covariance matrix stored in rows of 16.
    private static func leastPivot(_ covariance: UnsafeMutablePointer<Float>) -> Double {
        var rows = (0..<16).map { row in (0..<16).map { Double(covariance[16 * row + $0]) } }
        for k in 0..<16 {
            for i in k + 1..<max(16, k + 1) {
                let factor = rows[k][i] / rows[k][k]
                for j in i..<16 { rows[i][j] -= factor * rows[k][j] }
            }
        }
        return (0..<16).map { rows[$0][$0] }.min()!
    }

    @Test func covarianceIsPositiveDefinite() {
        correlation.take(Self.narrow.map(\.powers))
        for (index, spectrum) in Self.narrow.enumerated() {
            let covariance = correlation.covariance(index)
            #expect(Self.leastPivot(covariance) > 0.01, "\(spectrum.name)")
            #expect(covariance[0] > 0.98 && covariance[0] < 2, "\(spectrum.name)")
        }
    }

    @Test func noiseInRowsStaysCorrelatedAlongThem() {
        correlation.take([Self.narrow[0].powers])
        let covariance = correlation.covariance(0)
        #expect(covariance[1] > 0.5)
        #expect(abs(covariance[4]) < 0.1)
    }

    /// Cosines of multiples of pi / 16.
    static let cosines: [Float] = {
        let quarter: [Float] = [
            1, 0.980785280, 0.923879533, 0.831469612, 0.707106781, 0.555570233, 0.382683432, 0.195090322, 0,
        ]
        return (0..<32).map { step in
            let folded = step <= 16 ? step : 32 - step
            return folded <= 8 ? quarter[folded] : -quarter[16 - folded]
        }
    }()
}
