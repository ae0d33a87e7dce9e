// SPDX-License-Identifier: MIT
// How noise power is distributed over the frequencies of 8x8 blocks.

import LivecapCFusionKernels

/// The mean power spectrum of the differences between pairs of 8x8 blocks.
struct BlockSpectrum {
    /// Sums of powers: eight vertical frequencies for each horizontal one, in the scale of Cosine.h.
    private let powers = Scratch<Float>(NoiseModel.coefficients, filledWith: 0)
    /// Converts these powers to those of the orthonormal transform.
    private let scales = (0..<NoiseModel.coefficients).map { place in
        let scale = CosineScale.of(place / 8, place % 8)
        return 1 / (scale * scale)
    }

    private let kernels: UnsafePointer<fusion_kernels>
    private let interpolationResponse: InterpolationResponse
    /// For each vertical frequency, the sum over all added pairs of the noise power that interpolation kept at each
    /// horizontal frequency; and the number of pairs.
    private var kept = InlineArray<8, SIMD8<Float>>(repeating: .zero)
    private var count: Float = 0

    init(_ interpolationResponse: InterpolationResponse, _ kernels: UnsafePointer<fusion_kernels>) {
        self.interpolationResponse = interpolationResponse
        self.kernels = kernels
    }

    mutating func clear() {
        powers.fill(0)
        kept = .init(repeating: .zero)
        count = 0
    }

    /// Adds the difference of two blocks of a square, minus the mean difference of the square: a change of light
    /// between them is not noise. Divided by the square's variance, which must not be 0, so that every pair contributes
    /// the same amount of noise.
    mutating func add(_ own: SampleBlock, _ other: SampleBlock, of square: BurstSquares.Square) {
        kernels.pointee.noise.add_powers(
            own.samples, own.stride, other.samples, other.stride, square.mean, 1 / square.variance, powers.base)
        let across = interpolationResponse.along(Int(square.otherX))
        let down = interpolationResponse.along(Int(square.otherY))
        for v in 0..<8 { kept[v] += across * down[v] }
        count += 1
    }

    /// Writes the spectrum, scaled to a mean of 1. If no blocks were added, it is that of white noise.
    func finish(into spectrum: inout [Float]) {
        for place in spectrum.indices { spectrum[place] = 1 }
        guard count > 0 else { return }
        var sum: Float = 0
        for place in 0..<NoiseModel.coefficients {
            // One block has all of its noise, the other only what interpolation kept.
            powers[place] *= scales[place] / (1 + kept[place % 8][place / 8] / count)
            sum += powers[place]
        }
        guard sum > 0 else { return }
        // No frequency is free of noise: rounding to codes alone adds some to each.
        for across in 0..<8 {
            for down in 0..<8 {
                let place = 8 * across + down
                spectrum[8 * down + across] = max(0.02, powers[place] * 64 / sum)
            }
        }
    }
}
