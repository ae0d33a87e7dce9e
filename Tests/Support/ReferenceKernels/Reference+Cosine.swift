// SPDX-License-Identifier: MIT
// The cosine transform of eight samples, and weighted sums of neighbouring coefficients.

import Glibc

extension Reference {
    /// The transform in the kernels' scale. The order of operations is the kernels', because floats round differently
    /// in any other order.
    static func cosineForward(_ v: [Float]) -> [Float] {
        let sum = (0..<4).map { v[$0] + v[7 - $0] }, difference = (0..<4).map { v[$0] - v[7 - $0] }
        let (outer, inner) = (sum[0] + sum[3], sum[1] + sum[2])
        let (steep, flat) = (sum[0] - sum[3], sum[1] - sum[2])
        let turned = (flat + steep) * 0.707106781
        let (a, b, c) = (difference[3] + difference[2], difference[2] + difference[1], difference[1] + difference[0])
        let shared = (a - c) * 0.382683433
        let (low, high, middle) = (a * 0.541196100 + shared, c * 1.306562965 + shared, b * 0.707106781)
        let (plus, minus) = (difference[0] + middle, difference[0] - middle)
        return [
            outer + inner, plus + high, steep + turned, minus - low, outer - inner, minus + low, steep - turned,
            plus - high,
        ]
    }

    /// The ratio of the transform's coefficient at a frequency to the orthonormal one, relative to that of the mean.
    static func cosineScale(_ frequency: Int) -> Double {
        frequency == 0 ? 1 : 2.squareRoot() * cos(Double(frequency) * .pi / 16)
    }

    /// Inverts `cosineForward`, and returns eight times its samples.
    static func cosineInverse(_ v: [Float]) -> [Float] {
        let (sum, difference) = (v[0] + v[4], v[0] - v[4])
        let outer = v[2] + v[6]
        let inner = (v[2] - v[6]) * 1.414213562 - outer
        let even = [sum + outer, difference + inner, difference - inner, sum - outer]
        let (a, b, c, d) = (v[5] + v[3], v[5] - v[3], v[1] + v[7], v[1] - v[7])
        let shared = (b + d) * 1.847759065
        let first = c + a
        let second = shared - b * 2.613125930 - first
        let third = (c - a) * 1.414213562 - second
        let odd = [first, second, third, shared - d * 1.082392200 - third]
        return (0..<4).map { even[$0] + odd[$0] } + (0..<4).reversed().map { even[$0] - odd[$0] }
    }

    /// Sums of neighbours along a line, with weights 1 2 1. There is nothing beyond the ends.
    static func gather(_ v: [Float]) -> [Float] {
        let pairs = zip(v, v.dropFirst()).map { $0 + $1 }
        return v.indices.map { $0 == 0 ? v[0] + pairs[0] : $0 == 7 ? pairs[6] + v[7] : pairs[$0 - 1] + pairs[$0] }
    }

    /// The same in the other direction, where the last pair has only one member.
    static func gatherDown(_ v: [Float]) -> [Float] {
        let pairs = v.indices.map { v[$0] + ($0 < 7 ? v[$0 + 1] : 0) }
        return v.indices.map { pairs[$0] + ($0 == 0 ? v[0] : pairs[$0 - 1]) }
    }

    /// Sums of neighbours in a block of coefficients: eight vertical frequencies for each horizontal one.
    static func gatherBlock(_ block: [Float]) -> [Float] {
        let across = eachRow(block, gather)
        return stride(from: 0, to: 64, by: 8).flatMap { gatherDown(Array(across[$0..<$0 + 8])) }
    }

    /// Transforms a block from column to column, separately for each vertical frequency.
    static func eachRow<Number>(_ block: [Number], _ transform: ([Number]) -> [Number]) -> [Number] {
        var out = block
        for lane in 0..<8 {
            let row = transform((0..<8).map { block[$0 * 8 + lane] })
            for place in 0..<8 { out[place * 8 + lane] = row[place] }
        }
        return out
    }
}
