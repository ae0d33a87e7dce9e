// SPDX-License-Identifier: MIT
// How noise is spread over the frequencies of 8x8 blocks.

import Glibc

/// The mean power spectrum of differences between blocks.
struct BlockSpectrum {
    private typealias Block = InlineArray<8, SIMD8<Float>>
    /// Rows of vertical frequency.
    private var powers = Block(repeating: .zero)
    /// The cosine transform's basis: eight samples for each frequency.
    private let basis: [Float] = (0..<64).map { index in
        let (frequency, sample) = (Double(index / 8), Double(index % 8))
        return Float((frequency == 0 ? 0.125.squareRoot() : 0.5) * cos((2 * sample + 1) * frequency * .pi / 16))
    }

    mutating func clear() { for row in 0..<8 { powers[row] = .zero } }

    /// Adds the difference of two blocks, `mean` less: what light did between them is no noise.
    mutating func add(
        _ a: UnsafePointer<UInt8>, _ aStride: Int, _ b: UnsafePointer<UInt8>, _ bStride: Int, mean: Float, weight: Float
    ) {
        var block = Block(repeating: .zero)
        for row in 0..<8 {
            let own = UnsafeRawPointer(a + row * aStride).loadUnaligned(as: SIMD8<UInt8>.self)
            let other = UnsafeRawPointer(b + row * bStride).loadUnaligned(as: SIMD8<UInt8>.self)
            block[row] = SIMD8<Float>(own) - SIMD8<Float>(other) - mean
        }
        let down = transformed(block)
        var turned = Block(repeating: .zero)
        for row in 0..<8 { for column in 0..<8 { turned[column][row] = down[row][column] } }
        let both = transformed(turned)
        for row in 0..<8 { powers[row] += both[row] * both[row] * weight }
    }

    /// Columns, transformed.
    private func transformed(_ block: Block) -> Block {
        var out = Block(repeating: .zero)
        for frequency in 0..<8 {
            var sum = SIMD8<Float>.zero
            for sample in 0..<8 { sum += basis[8 * frequency + sample] * block[sample] }
            out[frequency] = sum
        }
        return out
    }

    /// The spectrum with mean 1; as it was where nothing was added.
    func finish(into spectrum: inout [Float]) {
        var sum: Float = 0
        for row in 0..<8 { sum += powers[row].sum() }
        guard sum > 0 else { return }
        // Blocks were turned once: rows are of horizontal frequency. No frequency is without noise: rounding to codes alone
        // sees to it.
        for across in 0..<8 {
            for down in 0..<8 { spectrum[8 * down + across] = max(0.02, powers[across][down] * 64 / sum) }
        }
    }
}
