// SPDX-License-Identifier: MIT
// SSIM, the structural similarity of two planes (Wang, Bovik, Sheikh and Simoncelli, 2004).

import Glibc

extension CodePlane {
    /// The structural similarity to `truth`, 1 for equal planes: the mean over all places whose window of 11x11
    /// samples, weighted by a Gaussian of sigma 1.5, is inside the plane. Nil for planes smaller than a window.
    public func ssim(against truth: CodePlane) -> Double? {
        requireSize(of: truth)
        let (taps, reach) = (SimilarityWindow.taps, SimilarityWindow.reach)
        guard width > 2 * reach, height > 2 * reach else { return nil }
        var window = SimilarityWindow(width: width)
        var sum = 0.0
        for top in 0..<(height - 2 * reach) {
            window.clear()
            for tap in taps.indices {
                let row = (top + tap) * width
                window.add(samples[row..<row + width], truth.samples[row..<row + width], weight: taps[tap])
            }
            sum += window.similarity
        }
        return sum / Double((width - 2 * reach) * (height - 2 * reach))
    }
}

/// Moments of two planes for one row of windows, already weighted and summed down the columns.
private struct SimilarityWindow {
    static let reach = 5
    /// The weights of the Gaussian, which sum to 1.
    static let taps: [Float] = {
        let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * 1.5 * 1.5)) }
        return weights.map { Float($0 / weights.reduce(0, +)) }
    }()
    /// Subtracted from samples before variances are computed, to preserve precision.
    private static let middle: Float = 128

    private let width: Int
    /// For each column, the weighted sums of a, b, a squared, b squared and a times b.
    private var columns: [SIMD8<Float>]

    init(width: Int) {
        self.width = width
        columns = Array(repeating: .zero, count: width)
    }

    mutating func clear() { for x in columns.indices { columns[x] = .zero } }

    mutating func add(_ a: ArraySlice<Float>, _ b: ArraySlice<Float>, weight: Float) {
        a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                for x in 0..<width {
                    let (a, b) = (a[x] - Self.middle, b[x] - Self.middle)
                    columns[x] += SIMD8(a, b, a * a, b * b, a * b, 0, 0, 0) * weight
                }
            }
        }
    }

    /// The sum of the similarities over the row's windows.
    var similarity: Double {
        let (c1, c2) = (Float(0.01 * 255 * 0.01 * 255), Float(0.03 * 255 * 0.03 * 255))
        var sum = 0.0
        for x in 0..<(width - 2 * Self.reach) {
            var moments = SIMD8<Float>.zero
            for tap in Self.taps.indices { moments += columns[x + tap] * Self.taps[tap] }
            let (a, b) = (moments[0], moments[1])
            let (varianceA, varianceB) = (moments[2] - a * a, moments[3] - b * b)
            let covariance = moments[4] - a * b
            let (meanA, meanB) = (a + Self.middle, b + Self.middle)
            let alike = (2 * meanA * meanB + c1) * (2 * covariance + c2)
            sum += Double(alike / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2)))
        }
        return sum
    }
}
