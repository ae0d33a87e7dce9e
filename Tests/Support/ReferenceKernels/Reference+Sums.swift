// SPDX-License-Identifier: MIT
// Sums over small squares.

extension Reference {
    /// The sum of the differences, and the sum of their squares.
    package static func compareSquares(_ a: Grid<UInt8>, _ b: Grid<UInt8>) -> [Int32] {
        let differences = (0..<256).map { Int(a[$0 % 16, $0 / 16]) - Int(b[$0 % 16, $0 / 16]) }
        return [Int32(differences.reduce(0, +)), Int32(differences.map { $0 * $0 }.reduce(0, +))]
    }

    package static func rowDistance(_ a: [UInt16], _ b: [UInt16], lift: Int) -> UInt32 {
        UInt32(zip(a, b).map { abs(Int($0) - Int($1) - lift) }.reduce(0, +))
    }
}
