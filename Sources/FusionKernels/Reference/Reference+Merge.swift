// SPDX-License-Identifier: MIT
// Weighing another frame's samples, and adding them up.

extension Reference {
    /// Another frame's sample, in Q5, against the reference's.
    private static func difference(_ warped: Int16, _ reference: UInt8) -> Int { Int(warped) - 32 * Int(reference) }

    private static func share(_ value: Int, _ of65536: Int) -> Int {
        Int((Double(value) * Double(of65536) / 65536).rounded(.down))
    }

    package static func squareDifferences(_ reference: [UInt8], _ warped: [Int16], scale: [Int16]) -> [UInt16] {
        reference.indices.map { i in
            let scaled = min(abs(share(difference(warped[i], reference[i]), Int(scale[i]))), 51)
            return UInt16(scaled * scaled)
        }
    }

    package static func addSquareRows(entering: [UInt16], leaving: [UInt16], to sums: [UInt16]) -> [UInt16] {
        sums.indices.map { UInt16((Int(sums[$0]) + Int(entering[$0]) + 65536 - Int(leaving[$0])) % 65536) }
    }

    /// What was added up of other frames: weighted differences and weights.
    package struct Added {
        package var total: [Int16], weights: [UInt16]
        package init(total: [Int16], weights: [UInt16]) { (self.total, self.weights) = (total, weights) }
    }

    package static func addWeighted(
        _ reference: [UInt8], _ warped: [Int16], sums: [UInt16], shares: [UInt16], full: Int, none: Int, to added: Added
    ) -> Added {
        var added = added
        let steps = none - full
        for i in reference.indices {
            let box = sums[i..<i + 5].map { Int($0) }.reduce(0, +)
            let left = box <= full ? steps : box >= none ? 0 : none - box
            let weight = share(left * (32767 / steps), Int(shares[i]))
            let held = max(-4095, min(difference(warped[i], reference[i]), 4095))
            added.total[i] += Int16(share(held, weight))
            added.weights[i] += UInt16(weight / 16)
        }
        return added
    }

    /// Floats round differently in every other order, so the order is the kernel's.
    package static func resolveRow(_ reference: [UInt8], _ added: Added, ownWeight: Int) -> [Int16] {
        reference.indices.map { i in
            let total = Float(added.total[i]), weight = Float(added.weights[i])
            let mean = (total + weight * (0.5 / 2025)) * 8192 / (weight + Float(ownWeight))
            let rounded = (Float(64 * Int(reference[i])) + mean + 1024.5).rounded(.down) - 1024
            return Int16(max(-1024, min(rounded, 32767)))
        }
    }
}
