// SPDX-License-Identifier: MIT
// Finds texture that is hidden by noise.

extension Reference {
    /// Each cell has 128 numbers: 64 powers and 64 counts.
    package static func textureSum(
        _ strip: [Float], tiles: Int, variance: [Float], spectra: [Float], spectrum: [UInt8], cells: [Float]
    ) -> [Float] {
        var cells = cells
        for tile in 0..<tiles {
            let column = 4 + 8 * tile
            let coefficients = eachRow(Array(strip[8 * column..<8 * column + 64]), cosineForward)
            let precision = 1 / (variance[tile] + 1e-6)
            for i in 0..<64 {
                let whiten = spectra[64 * Int(spectrum[tile]) + i] * precision
                let power = coefficients[i] * coefficients[i] * whiten
                guard power < 3 else { continue }
                cells[128 * (tile / 4) + i] += power
                cells[128 * (tile / 4) + 64 + i] += 1
            }
        }
        return cells
    }

    /// The floors: 64 numbers per cell.
    package static func textureFloors(above: [Float], here: [Float], below: [Float], cells: Int) -> [Float] {
        (0..<cells).flatMap { cell -> [Float] in
            let columns = [max(cell - 1, 0), cell, min(cell + 1, cells - 1)]
            var sums = [Float](repeating: 0, count: 128)
            for (column, weight) in zip(columns, [1, 2, 1] as [Float]) {
                for i in 0..<128 {
                    let at = 128 * column + i
                    sums[i] += (above[at] + here[at] * 2 + below[at]) * weight
                }
            }
            let power = gatherBlock([0] + sums[1..<64]), count = gatherBlock([0] + sums[65...])
            return zip(power, count).map { power, count in
                min(max((power / (count * 0.66366 + 1e-6) - 1.1) * 2.5, 0), 0.7)
            }
        }
    }
}
