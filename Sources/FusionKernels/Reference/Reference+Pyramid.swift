// SPDX-License-Identifier: MIT
// Pictures at half the size.

extension Reference {
    package static func halveBytes(_ upper: [UInt8], _ lower: [UInt8]) -> [UInt16] {
        squares(upper, lower).map { UInt16($0 * 16 / 4) }
    }

    /// Halves are rounded up.
    package static func halveWords(_ upper: [UInt16], _ lower: [UInt16]) -> [UInt16] {
        squares(upper, lower).map { UInt16((Double($0) / 4).rounded()) }
    }

    /// The sums of squares of two by two.
    private static func squares<S: BinaryInteger>(_ upper: [S], _ lower: [S]) -> [Int] {
        let columns = zip(upper, lower).map { Int($0) + Int($1) }
        return stride(from: 0, to: columns.count, by: 2).map { columns[$0] + columns[$0 + 1] }
    }
}
