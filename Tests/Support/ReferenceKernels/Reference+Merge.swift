// SPDX-License-Identifier: MIT
// Weights other frames' samples, and merges them.

extension Reference {
    private static func share(_ value: Int, _ of65536: Int) -> Int {
        Int((Double(value) * Double(of65536) / 65536).rounded(.down))
    }

    /// Sums over five rows of the squares of pairs of samples; and the last four rows of those squares.
    package static func sumSquares(
        _ difference: [[Int16]], scale: [Int16], most: [Int16], before: [[UInt16]]
    ) -> (before: [[UInt16]], sums: [[UInt16]]) {
        let squares =
            before
            + difference.map { row in
                let samples = row.indices.map { i in
                    let scaled = min(abs(share(Int(row[i]), Int(scale[i / 8]))), Int(most[i / 8]))
                    return scaled * scaled
                }
                return stride(from: 0, to: row.count, by: 2).map { UInt16(samples[$0] + samples[$0 + 1]) }
            }
        let sums = difference.indices.map { y in
            squares[y].indices.map { pair in squares[y...y + 4].reduce(UInt16(0)) { $0 + $1[pair] } }
        }
        return (Array(squares.suffix(4)), sums)
    }

    /// A row of another frame. `sums` starts with the pair before the first one and ends with the pair after the last
    /// one.
    package struct Other {
        let difference: [Int16], sums: [UInt16], shares: [UInt16]
        package init(difference: [Int16], sums: [UInt16], shares: [UInt16]) {
            (self.difference, self.sums, self.shares) = (difference, sums, shares)
        }
    }

    /// The merged row, and the weight of each of the other frames for each pair of samples.
    package static func mergeRow(
        _ reference: [UInt8], _ others: [Other], full: Int, none: Int, ownWeight: Int
    ) -> (merged: [Int16], weights: [[Int]]) {
        let weights = (0..<(reference.count + 1) / 2).map { pair in
            others.map { other in
                let box = min(other.sums[pair...pair + 2].reduce(0) { $0 + Int($1) }, 65535)
                return share(max(0, min(none - box, none - full)), Int(other.shares[pair / 4]))
            }
        }
        let merged = reference.indices.map { i in
            var total = 0
            for (other, weight) in zip(others, weights[i / 2]) {
                let product = (Double(Int(other.difference[i]) * weight) / 8192 + 0.5).rounded(.down)
                total = max(-32768, min(total + Int(product), 32767))
            }
            // The order of operations is the kernel's, because floats round differently in any other order.
            let perTotal = 16384 / (Float(weights[i / 2].reduce(0, +)) + Float(ownWeight))
            let mean = (Float(total) * perTotal + 32768.5).rounded(.down) - 32768
            return Int16(max(-1024, min(64 * Float(reference[i]) + mean, 32767)))
        }
        return (merged, weights)
    }
}
