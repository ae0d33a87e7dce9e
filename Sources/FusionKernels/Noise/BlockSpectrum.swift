// SPDX-License-Identifier: MIT
// How noise is spread over the frequencies of 8x8 blocks.

import Glibc

/// The mean power spectrum of differences between blocks.
struct BlockSpectrum {
    private var powers = [Float](repeating: 0, count: 64)
    private var block = [Float](repeating: 0, count: 64)
    private var half = [Float](repeating: 0, count: 64)
    /// The cosine transform's basis: eight samples for each frequency.
    private let basis: [Float] = (0..<64).map { index in
        let (frequency, sample) = (Double(index / 8), Double(index % 8))
        return Float((frequency == 0 ? 0.125.squareRoot() : 0.5) * cos((2 * sample + 1) * frequency * .pi / 16))
    }

    mutating func clear() { for index in powers.indices { powers[index] = 0 } }

    /// Adds the difference of two blocks, `mean` less: what light did between them is no noise.
    mutating func add(
        _ a: UnsafePointer<UInt8>, _ aStride: Int, _ b: UnsafePointer<UInt8>, _ bStride: Int, mean: Float, weight: Float
    ) {
        for row in 0..<8 {
            for column in 0..<8 {
                block[8 * row + column] =
                    Float(Int32(a[row * aStride + column]) - Int32(b[row * bStride + column])) - mean
            }
        }
        for row in 0..<8 {
            for frequency in 0..<8 {
                var sum: Float = 0
                for sample in 0..<8 { sum += basis[8 * frequency + sample] * block[8 * row + sample] }
                half[8 * row + frequency] = sum
            }
        }
        for frequency in 0..<8 {
            for column in 0..<8 {
                var sum: Float = 0
                for sample in 0..<8 { sum += basis[8 * frequency + sample] * half[8 * sample + column] }
                powers[8 * frequency + column] += sum * sum * weight
            }
        }
    }

    /// The spectrum with mean 1; as it was where nothing was added.
    func finish(into spectrum: inout [Float]) {
        let mean = powers.reduce(0, +) / 64
        guard mean > 0 else { return }
        // No frequency is without noise: rounding to codes alone sees to it.
        for index in 0..<64 { spectrum[index] = max(0.02, powers[index] / mean) }
    }
}
