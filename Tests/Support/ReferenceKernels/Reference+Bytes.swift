// SPDX-License-Identifier: MIT
// Converts rows of a still to bytes.

extension Reference {
    /// Uses division rather than a shift; the result is rounded down.
    package static func byteRow(_ row: [UInt16], zero: Int, factor: Int, target: Int) -> [UInt8] {
        row.map { sample in
            let product = (Int(sample) - zero) * factor + target
            return UInt8(clamping: Int((Double(product) / 1_048_576).rounded(.down)))
        }
    }
}
