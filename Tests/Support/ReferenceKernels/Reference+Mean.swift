// SPDX-License-Identifier: MIT
// The plain mean of frames.

extension Reference {
    package static func addRow(_ row: [UInt8], to sum: [UInt16]) -> [UInt16] {
        zip(sum, row).map { sum, sample in sum + UInt16(sample) }
    }

    /// Computed in integers, so that the kernel's floats are checked against the exact quotient, halves rounded up.
    package static func meanRow(_ sum: [UInt16], frames: Int) -> [UInt16] {
        sum.map { UInt16((2 * 256 * Int($0) + frames) / (2 * frames)) }
    }
}
