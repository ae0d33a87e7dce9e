// SPDX-License-Identifier: MIT
// How bright the light is, row by row.

/// Estimates by how much the light of a picture differs from that of a background. Each row has a factor of its own:
/// cameras expose one row after the other, so that lamps on mains power brighten some rows and darken others. Of each
/// row the middle one of all cells' factors counts, so that what moves before fewer than half of them changes nothing.
struct RowLight {
    /// The factor of each row.
    private(set) var factors: [Float]
    private let columns: Int
    private var ratios: [Float] = []
    private var known: [Float] = []

    /// Cells darker than this say little about the light.
    private static let dark: Float = 10
    /// Cells brighter than this may be clipped.
    static let clipped: Float = 245
    /// A row differs from the whole picture by no more than this factor: what does more covers most of the row.
    private static let mostApart: Float = 1.3

    init(columns: Int, rows: Int) {
        self.columns = columns
        factors = [Float](repeating: 1, count: rows)
    }

    /// Compares a picture with a background.
    mutating func fit(_ picture: [Float], to background: [Float]) {
        known.removeAll(keepingCapacity: true)
        for row in factors.indices {
            ratios.removeAll(keepingCapacity: true)
            for cell in row * columns..<(row + 1) * columns
            where background[cell] >= Self.dark && background[cell] < Self.clipped && picture[cell] < Self.clipped {
                ratios.append(picture[cell] / background[cell])
            }
            // 0: not known.
            factors[row] = ratios.count * 3 >= columns ? Self.middle(&ratios) : 0
            if factors[row] > 0 { known.append(factors[row]) }
        }
        let whole = known.isEmpty ? 1 : max(Self.middle(&known), 0.01)
        for row in factors.indices {
            let factor = factors[row] > 0 ? factors[row] : whole
            factors[row] = min(max(factor, whole / Self.mostApart), whole * Self.mostApart)
        }
    }

    private static func middle(_ values: inout [Float]) -> Float {
        values.sort()
        let half = values.count / 2
        return values.count % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2
    }
}
