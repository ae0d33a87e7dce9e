// SPDX-License-Identifier: MIT
// Halves the size of pictures.

extension Reference {
    /// `count` samples in Q4.
    package static func halveBytes(_ rows: Grid<UInt8>, count: Int) -> [UInt16] {
        halves(rows, count).map { UInt16(($0 * 16).rounded(.toNearestOrAwayFromZero)) }
    }

    package static func halveWords(_ rows: Grid<UInt16>, count: Int) -> [UInt16] {
        halves(rows, count).map { UInt16($0.rounded(.toNearestOrAwayFromZero)) }
    }

    /// Weighted means over 4x4 samples, weights 1 3 3 1 in both directions. Exact in this precision.
    private static func halves<S: BinaryInteger>(_ rows: Grid<S>, _ count: Int) -> [Double] {
        let weights = [1, 3, 3, 1]
        return (0..<count).map { i in
            var sum = 0
            for (v, down) in weights.enumerated() {
                for (u, across) in weights.enumerated() { sum += down * across * Int(rows[2 * i + u - 1, v - 1]) }
            }
            return Double(sum) / 64
        }
    }

    /// Means of cells of 8 samples by `height` rows, in Q4.
    package static func meanCells(_ rows: Grid<UInt8>, height: Int, cells: Int) -> [UInt16] {
        (0..<cells).map { cell in
            let samples = (0..<8 * height).map { Int(rows[8 * cell + $0 % 8, $0 / 8]) }
            return UInt16(16 * samples.reduce(0, +) / samples.count)
        }
    }
}
