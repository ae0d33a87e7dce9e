// SPDX-License-Identifier: MIT
// Weighing another frame's samples, and adding them up.

extension Reference {
    private static func share(_ value: Int, _ of65536: Int) -> Int {
        Int((Double(value) * Double(of65536) / 65536).rounded(.down))
    }

    /// The sums of five rows of squares each, and the last four rows of squares.
    package static func sumSquares(
        _ difference: [[Int16]], scale: [Int16], most: [Int16], before: [[UInt16]]
    ) -> (before: [[UInt16]], sums: [[UInt16]]) {
        let squares =
            before
            + difference.map { row in
                row.indices.map { i in
                    let scaled = min(abs(share(Int(row[i]), Int(scale[i / 8]))), Int(most[i / 8]))
                    return UInt16(scaled * scaled)
                }
            }
        let sums = difference.indices.map { y in
            scale.indices.flatMap { cell in
                (8 * cell..<8 * cell + 8).map { x in
                    UInt16(squares[y...y + 4].reduce(0) { $0 + Int($1[x]) } % 65536)
                }
            }
        }
        return (Array(squares.suffix(4)), sums)
    }

    /// What was added up of other frames: weighted differences and weights.
    package struct Added {
        package var total: [Int16], weights: [UInt16]
        package init(total: [Int16], weights: [UInt16]) { (self.total, self.weights) = (total, weights) }
    }

    package static func addWeighted(
        _ difference: [Int16], sums: [UInt16], shares: [UInt16], full: Int, none: Int, to added: Added
    ) -> Added {
        var added = added
        for i in difference.indices {
            let box = min(sums[i..<i + 5].map { Int($0) }.reduce(0, +), 65535)
            let weight = share(max(0, min(none - box, none - full)), Int(shares[i / 8]))
            added.total[i] += Int16(share(8 * Int(difference[i]), weight))
            added.weights[i] += UInt16(weight)
        }
        return added
    }

    /// Floats round differently in every other order, so the order is the kernel's.
    package static func resolveRow(_ reference: [UInt8], _ added: Added, ownWeight: Int) -> [Int16] {
        reference.indices.map { i in
            let total = Float(added.total[i]), weight = Float(added.weights[i])
            let mean = (total + weight * (0.5 / Float(ownWeight))) * 16384 / (weight + Float(ownWeight))
            let rounded = (Float(64 * Int(reference[i])) + mean + 1024.5).rounded(.down) - 1024
            return Int16(max(-1024, min(rounded, 32767)))
        }
    }
}
