// SPDX-License-Identifier: MIT
// Saturating arithmetic for numbers from a file or a catalogue, which may be arbitrary.

extension FixedWidthInteger {
    /// The sum, or the bound it exceeds.
    func plus(_ other: Self) -> Self {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the bound it exceeds.
    func minus(_ other: Self) -> Self {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or the bound it exceeds.
    func times(_ other: Self) -> Self {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        return isBeyond ? ((self < 0) != (other < 0) ? .min : .max) : product
    }
}
