// SPDX-License-Identifier: MIT
// The correlation of noise between overlapping patches, derived from its spectrum.

import Glibc
import LivecapCFusionKernels

/// The tables that collaborative denoising needs, computed from noise spectra.
final class NoiseCorrelation: @unchecked Sendable {
    private static let lags = Int(FUSION_LAGS)
    private static let lagCount = lags * lags * 64
    private static let samples = 16
    private static let covarianceCount = samples * samples
    /// Noise in samples farther apart than this, across or down, is assumed to be independent.
    private static let reach = 4
    /// The minimum variance of any normalised combination of a patch's samples, so that dividing by it is safe in
    /// floats.
    private static let leastVariance = 0.01
    /// The maximum number of 5% reductions; after that many, practically no correlation remains.
    private static let maxSteps = 100
    private let memory: UnsafeMutableBufferPointer<Float>
    /// A covariance matrix while it is being factored.
    private let factored: UnsafeMutableBufferPointer<Double>
    private var known: [[Float]] = []

    init() {
        memory = .allocate(capacity: NoiseMap.maxSpectra * (Self.lagCount + Self.covarianceCount))
        memory.initialize(repeating: 0)
        factored = .allocate(capacity: Self.covarianceCount)
        factored.initialize(repeating: 0)
    }

    deinit {
        memory.deallocate()
        factored.deallocate()
    }

    /// For each distance down and across (each below `FUSION_LAGS`), the covariance of the coefficients of two 8x8
    /// patches that far apart, in the scale of Cosine.h, for a sample variance of 1.
    func lags(_ spectrum: Int) -> UnsafeMutablePointer<Float> {
        memory.baseAddress! + spectrum * (Self.lagCount + Self.covarianceCount)
    }

    /// The covariance matrix of the samples of a 4x4 patch, in rows of 16; positive definite.
    func covariance(_ spectrum: Int) -> UnsafeMutablePointer<Float> { lags(spectrum) + Self.lagCount }

    /// Computes the tables for these spectra; those that have not changed are kept.
    func take(_ spectra: [[Float]]) {
        for (index, spectrum) in spectra.enumerated() where !known.indices.contains(index) || known[index] != spectrum {
            fill(index, Self.autocovariance(spectrum))
        }
        known = spectra
    }

    /// The orthonormal cosine of frequency `k` at sample `x`.
    private static func cosine(_ k: Int, _ x: Int) -> Double {
        (Double(k == 0 ? 1 : 2) / 8).squareRoot() * cos(Double((2 * x + 1) * k) * .pi / 16)
    }

    /// `gathered[k][shift][lag]`: the factor of the autocovariance at `lag` samples in the covariance of coefficient
    /// `k` between two rows `shift` samples apart.
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

    /// The matrix that turns the powers of the eight frequencies into the autocovariance that fits them best (least
    /// squares).
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

    /// The covariance of samples at each distance down and across, in rows of `reach + 1`.
    private static func autocovariance(_ spectrum: [Float]) -> [Double] {
        let count = reach + 1
        return [Double](unsafeUninitializedCapacity: count * count) { values, initialized in
            for i in 0..<count {
                for j in 0..<count {
                    var sum = 0.0
                    for (place, power) in spectrum.enumerated() {
                        sum += fit[i][place / 8] * fit[j][place % 8] * Double(power)
                    }
                    values.initializeElement(at: i * count + j, to: sum)
                }
            }
            initialized = count * count
        }
    }

    /// The covariance of two coefficients: the autocovariance in rows of `reach + 1`, each value with the factors of
    /// its row and its column. Written with pointers and without iterators, because this is the innermost of six loops,
    /// and unoptimised builds spend half of a still's time here otherwise.
    private static func covariance(
        _ autocovariance: UnsafePointer<Double>, _ down: UnsafePointer<Double>, _ across: UnsafePointer<Double>
    ) -> Double {
        var (sum, place, i) = (0.0, 0, 0)
        while i <= reach {
            let factor = down[i]
            var j = 0
            while j <= reach {
                sum += factor * across[j] * autocovariance[place]
                (j, place) = (j + 1, place + 1)
            }
            i += 1
        }
        return sum
    }

    private func fill(_ index: Int, _ autocovariance: [Double]) {
        let lags = lags(index), covariance = covariance(index)
        for across in 0..<8 {
            for down in 0..<8 {
                let scale = Double(CosineScale.of(across, down))
                for y in 0..<Self.lags {
                    for x in 0..<Self.lags {
                        var sum = Self.covariance(autocovariance, Self.gathered[down][y], Self.gathered[across][x])
                        // No coefficient is free of noise, whatever was measured.
                        if x == 0, y == 0 { sum = max(sum, 0.01) }
                        lags[(y * Self.lags + x) * 64 + across * 8 + down] = Float(sum * scale * scale)
                    }
                }
            }
        }
        for i in 0..<Self.samples {
            for j in 0..<Self.samples {
                // The small addition on the diagonal keeps the matrix well away from singular.
                covariance[i * Self.samples + j] =
                    Float(autocovariance[abs(i / 4 - j / 4) * (Self.reach + 1) + abs(i % 4 - j % 4)])
                    + (i == j ? 0.02 : 0)
            }
        }
        makePositive(covariance)
    }

    /// The best fit to the powers need not be a valid covariance: if noise has a direction, or only low frequencies,
    /// some combination of samples would have a negative variance. In that case all correlations are reduced by the
    /// same factor until none has.
    private func makePositive(_ covariance: UnsafeMutablePointer<Float>) {
        for _ in 0..<Self.maxSteps {
            if isPositive(covariance) { return }
            for i in 0..<Self.samples {
                for j in 0..<Self.samples where i != j { covariance[i * Self.samples + j] *= 0.95 }
            }
        }
    }

    /// Whether every combination of samples, with weights whose squares sum to 1, has a variance of at least
    /// `leastVariance`. That is the case if all pivots are positive after it is subtracted from the diagonal.
    private func isPositive(_ covariance: UnsafeMutablePointer<Float>) -> Bool {
        let count = Self.samples
        for i in 0..<count {
            for j in i..<count {
                factored[count * i + j] = Double(covariance[count * i + j]) - (i == j ? Self.leastVariance : 0)
            }
        }
        for k in 0..<count {
            let pivot = factored[(count + 1) * k]
            guard pivot > 0 else { return false }
            for i in k + 1..<max(count, k + 1) {
                let factor = factored[count * k + i] / pivot
                for j in i..<count { factored[count * i + j] -= factor * factored[count * k + j] }
            }
        }
        return true
    }
}
