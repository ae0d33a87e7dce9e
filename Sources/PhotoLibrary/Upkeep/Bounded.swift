// SPDX-License-Identifier: MIT
// Sums of numbers that a file or a catalogue says, which may be any: at their bounds they stay.

extension FixedWidthInteger {
    /// The sum, or the bound that it is beyond.
    func plus(_ other: Self) -> Self {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the bound that it is beyond.
    func minus(_ other: Self) -> Self {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or the bound that it is beyond.
    func times(_ other: Self) -> Self {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        return isBeyond ? ((self < 0) != (other < 0) ? .min : .max) : product
    }
}
