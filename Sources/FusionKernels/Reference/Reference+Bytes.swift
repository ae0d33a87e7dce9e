// SPDX-License-Identifier: MIT
// Rows of a still as bytes.

extension Reference {
    /// Divided, not shifted: what is below a whole number is rounded down.
    package static func byteRow(_ row: [UInt16], zero: Int, factor: Int, target: Int) -> [UInt8] {
        row.map { sample in
            let product = (Int(sample) - zero) * factor + target
            return UInt8(clamping: Int((Double(product) / 1_048_576).rounded(.down)))
        }
    }
}
