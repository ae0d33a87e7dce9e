// SPDX-License-Identifier: MIT
// What reading between samples leaves of noise.

import Glibc

/// How much noise power each frequency of a block of 8x8 keeps when it is read between samples, as the merge does.
struct KeptNoise {
    /// The merge's filter (Kernels/Warp.h) for eighths of a sample.
    private static let taps: [[Double]] = [
        [0, 64, 0, 0], [-4, 63, 6, -1], [-5, 56, 15, -2], [-5, 47, 25, -3], [-4, 36, 36, -4], [-3, 25, 47, -5],
        [-2, 15, 56, -5], [-1, 6, 63, -4],
    ]
    /// For each eighth of a sample, along either axis, each frequency's.
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
    /// For each eighth across and each one down, eight of the former a row, what white noise keeps.
    private(set) var ofWhite: [Float] = []

    init() {
        let white = [Float](repeating: 1, count: NoiseModel.coefficients)
        ofWhite = (0..<64).map { of(white, across: $0 & 7, down: $0 >> 3) }
    }

    /// By eighths of a sample.
    func along(_ eighths: Int) -> SIMD8<Float> { powers.withUnsafeBufferPointer { $0[eighths & 7] } }

    /// The share of noise of that spectrum (as in `NoiseModel`, with mean 1) that is kept.
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
