// SPDX-License-Identifier: MIT
// Interpolates between samples at any fractional position: a windowed sinc.

import Glibc

/// The weights of a windowed sinc, at 512 positions between two samples and linearly between those.
///
/// 64 taps with a Kaiser window of β 9: with a cutoff of 0.92 of the lower Nyquist frequency, tones up to 0.85 of it
/// keep their level within 0.1 dB, and what folds back is 80 dB lower; the tests measure both.
struct SincTable {
    /// Samples on each side.
    let half: Int
    private let weights: [SIMD8<Float>]
    private let vectors: Int

    private static let phases = 512
    private static let beta = 9.0
    private static let cutoff = 0.92

    /// `ratio`: samples of the input per sample of the output. Above 1, the sinc is widened, so that what the output
    /// cannot hold does not fold back.
    init(ratio: Double) {
        let width = max(1, ratio)
        let half = (Int((32 * min(width, 8)).rounded(.up)) + 3) / 4 * 4
        self.half = half
        vectors = half / 4
        let cutoff = Self.cutoff / width
        var weights: [SIMD8<Float>] = []
        for phase in 0...Self.phases {
            let offset = Double(phase) / Double(Self.phases)
            var row = (0..<(2 * half)).map { tap in
                let x = Double(tap - half + 1) - offset
                return Self.sinc(cutoff * x) * cutoff * Self.kaiser(x / Double(half))
            }
            // A constant stays what it is.
            let sum = row.reduce(0, +)
            row = row.map { $0 / sum }
            for vector in 0..<vectors {
                var packed = SIMD8<Float>()
                for lane in 0..<8 { packed[lane] = Float(row[vector * 8 + lane]) }
                weights.append(packed)
            }
        }
        self.weights = weights
    }

    /// The sound at `offset` (0 to 1) after the sample at `half - 1`. `2 * half` samples are read.
    func value(_ samples: UnsafePointer<Float>, offset: Double) -> Float {
        let place = offset * Double(Self.phases)
        let phase = min(Int(place), Self.phases - 1)
        let share = Float(place - Double(phase))
        return weights.withUnsafeBufferPointer { weights in
            let near = weights.baseAddress! + phase * vectors
            let (raw, next) = (UnsafeRawPointer(samples), near + vectors)
            var (first, second) = (SIMD8<Float>(), SIMD8<Float>())
            for vector in 0..<vectors {
                let input = raw.loadUnaligned(fromByteOffset: 32 * vector, as: SIMD8<Float>.self)
                first += input * near[vector]
                second += input * next[vector]
            }
            return (first + (second - first) * share).sum()
        }
    }

    private static func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }

    private static func kaiser(_ x: Double) -> Double {
        abs(x) >= 1 ? 0 : bessel(beta * (1 - x * x).squareRoot()) / bessel(beta)
    }

    /// The modified Bessel function of order 0.
    private static func bessel(_ x: Double) -> Double {
        var (sum, term, k) = (1.0, 1.0, 1.0)
        while term > sum * 1e-12 {
            term *= (x / (2 * k)) * (x / (2 * k))
            sum += term
            k += 1
        }
        return sum
    }
}
