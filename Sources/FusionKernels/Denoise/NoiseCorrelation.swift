// SPDX-License-Identifier: MIT
// What noise of a known spectrum means for patches that share some of it.

import CFusionKernels
import Glibc

/// The tables that collaborative denoising takes from spectra of noise.
final class NoiseCorrelation: @unchecked Sendable {
    private static let lags = Int(FUSION_LAGS)
    private static let lagCount = lags * lags * 64
    private static let covarianceCount = 25 * 32
    /// Noise samples farther apart than this, across or down, are taken to be independent.
    private static let reach = 4
    /// The least that any mix of the samples of a patch varies, which dividing by it in floats can bear.
    private static let leastVariance = 0.01
    /// Steps of a twentieth after which as good as nothing is left of a correlation.
    private static let mostSteps = 100
    private let memory: UnsafeMutableBufferPointer<Float>
    /// A covariance while it is factored.
    private let factored: UnsafeMutableBufferPointer<Double>
    private var known: [[Float]] = []

    init() {
        memory = .allocate(capacity: NoiseMap.mostSpectra * (Self.lagCount + Self.covarianceCount))
        memory.initialize(repeating: 0)
        factored = .allocate(capacity: 25 * 25)
        factored.initialize(repeating: 0)
    }

    deinit {
        memory.deallocate()
        factored.deallocate()
    }

    /// For each distance down and across, below `FUSION_LAGS` each, the covariance of the coefficients of patches of 8x8
    /// samples so far apart, in the scale of Cosine.h, for a sample variance of 1.
    func lags(_ spectrum: Int) -> UnsafeMutablePointer<Float> {
        memory.baseAddress! + spectrum * (Self.lagCount + Self.covarianceCount)
    }

    /// The covariance of the samples of a patch of 5x5, in rows of 32; positive definite.
    func covariance(_ spectrum: Int) -> UnsafeMutablePointer<Float> { lags(spectrum) + Self.lagCount }

    /// Fills the tables in.
    func take(_ spectra: [[Float]]) {
        for (index, spectrum) in spectra.enumerated() where !known.indices.contains(index) || known[index] != spectrum {
            fill(index, Self.autocovariance(spectrum))
        }
        known = spectra
    }

    /// Cosine of frequency `k` at sample `x`, orthonormal.
    private static func cosine(_ k: Int, _ x: Int) -> Double {
        (Double(k == 0 ? 1 : 2) / 8).squareRoot() * cos(Double((2 * x + 1) * k) * .pi / 16)
    }

    /// `gathered[k][shift][lag]`: how much the noise of samples `lag` apart has to do with the covariance of coefficient k
    /// in rows `shift` apart.
    private static let gathered: [[[Double]]] = (0..<8).map { k in
        (0..<lags).map { shift in
            var sums = [Double](repeating: 0, count: reach + 1)
            for x in 0..<8 {
                for y in 0..<8 where abs(x - y + shift) <= reach {
                    sums[abs(x - y + shift)] += cosine(k, x) * cosine(k, y)
                }
            }
            return sums
        }
    }

    /// What turns the powers of the eight frequencies into the autocovariance that fits them best.
    private static let fit: [[Double]] = {
        let count = reach + 1
        var rows: [[Double]] = (0..<count).map { i in
            let square: [Double] = (0..<count).map { j in
                (0..<8).reduce(0) { sum, k in sum + gathered[k][0][i] * gathered[k][0][j] }
            }
            return square + (0..<8).map { k in gathered[k][0][i] }
        }
        for pivot in 0..<count {
            let divisor = rows[pivot][pivot]
            for column in rows[pivot].indices { rows[pivot][column] /= divisor }
            for row in 0..<count where row != pivot {
                let factor = rows[row][pivot]
                for column in rows[row].indices { rows[row][column] -= factor * rows[pivot][column] }
            }
        }
        return rows.map { Array($0[count...]) }
    }()

    /// The covariance of samples so far apart down and across.
    private static func autocovariance(_ spectrum: [Float]) -> [[Double]] {
        fit.map { down in
            fit.map { across in
                var sum = 0.0
                for (place, power) in spectrum.enumerated() {
                    sum += down[place / 8] * across[place % 8] * Double(power)
                }
                return sum
            }
        }
    }

    private func fill(_ index: Int, _ autocovariance: [[Double]]) {
        let lags = lags(index), covariance = covariance(index)
        for across in 0..<8 {
            for down in 0..<8 {
                let scale = Double(CosineScale.of(across, down))
                for y in 0..<Self.lags {
                    for x in 0..<Self.lags {
                        var sum = 0.0
                        for (i, row) in autocovariance.enumerated() {
                            for (j, value) in row.enumerated() {
                                sum += Self.gathered[down][y][i] * Self.gathered[across][x][j] * value
                            }
                        }
                        // No coefficient is without noise, whatever was measured.
                        if x == 0, y == 0 { sum = max(sum, 0.01) }
                        lags[(y * Self.lags + x) * 64 + across * 8 + down] = Float(sum * scale * scale)
                    }
                }
            }
        }
        for i in 0..<25 {
            for j in 0..<25 {
                // The little that is added on the diagonal keeps a covariance well away from singular.
                covariance[i * 32 + j] =
                    Float(autocovariance[abs(i / 5 - j / 5)][abs(i % 5 - j % 5)]) + (i == j ? 0.02 : 0)
            }
        }
        makePositive(covariance)
    }

    /// What best fits the powers need not be the covariance of anything: where noise has a direction, or low frequencies
    /// alone, some mix of samples would have a variance below zero. Then samples are taken to be correlated less, all
    /// alike, until none has.
    private func makePositive(_ covariance: UnsafeMutablePointer<Float>) {
        for _ in 0..<Self.mostSteps {
            if isPositive(covariance) { return }
            for i in 0..<25 {
                for j in 0..<25 where i != j { covariance[i * 32 + j] *= 0.95 }
            }
        }
    }

    /// Whether no mix of samples, of weights whose squares sum to 1, varies by less than `leastVariance`: that is when all
    /// pivots are positive once it is taken off the diagonal.
    private func isPositive(_ covariance: UnsafeMutablePointer<Float>) -> Bool {
        for i in 0..<25 {
            for j in i..<25 {
                factored[25 * i + j] = Double(covariance[32 * i + j]) - (i == j ? Self.leastVariance : 0)
            }
        }
        for k in 0..<25 {
            guard factored[26 * k] > 0 else { return false }
            for i in k + 1..<max(25, k + 1) {
                let factor = factored[25 * k + i] / factored[26 * k]
                for j in i..<25 { factored[25 * i + j] -= factor * factored[25 * k + j] }
            }
        }
        return true
    }
}
