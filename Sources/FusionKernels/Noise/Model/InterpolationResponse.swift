// SPDX-License-Identifier: MIT
// How much noise remains after interpolation between samples.

import Glibc

/// The share of noise power that each frequency of an 8x8 block keeps when it is interpolated as the merge does.
struct InterpolationResponse {
    /// The merge's interpolation filter (Kernels/Warp.h) for each eighth of a sample, times 64.
    private static let taps: [[Double]] = [
        [0, 64, 0, 0], [-4, 63, 6, -1], [-5, 56, 15, -2], [-5, 47, 25, -3], [-4, 36, 36, -4], [-3, 25, 47, -5],
        [-2, 15, 56, -5], [-1, 6, 63, -4],
    ]
    /// For each eighth of a sample, the power response at each of the eight frequencies along one axis.
    private let powers: [SIMD8<Float>] = taps.map { taps in
        var kept = SIMD8<Float>.zero
        for frequency in 0..<8 {
            let angle = Double(frequency) * .pi / 8
            var (real, imaginary) = (0.0, 0.0)
            for (place, tap) in taps.enumerated() {
                real += tap / 64 * cos(angle * Double(place))
                imaginary += tap / 64 * sin(angle * Double(place))
            }
            kept[frequency] = Float(real * real + imaginary * imaginary)
        }
        return kept
    }
    /// The share that white noise keeps, for each pair of eighths: eight entries for the eighths across, per eighth
    /// down.
    private(set) var ofWhite: [Float] = []

    init() {
        let white = [Float](repeating: 1, count: NoiseModel.coefficients)
        ofWhite = (0..<64).map { of(white, across: $0 & 7, down: $0 >> 3) }
    }

    /// The power response along one axis for a fraction in eighths of a sample.
    func along(_ eighths: Int) -> SIMD8<Float> { powers.withUnsafeBufferPointer { $0[eighths & 7] } }

    /// The share of noise with this spectrum (as in `NoiseModel`, with mean 1) that is kept.
    func of(_ spectrum: [Float], across: Int, down: Int) -> Float {
        let (across, down) = (along(across), along(down))
        return spectrum.withUnsafeBufferPointer { spectrum in
            var sum: Float = 0
            for v in 0..<8 {
                for u in 0..<8 { sum += spectrum[8 &* v &+ u] * across[u] * down[v] }
            }
            return sum / Float(NoiseModel.coefficients)
        }
    }
}
