// SPDX-License-Identifier: MIT
// Moments and spectra of tiles of 8x8 samples.

extension Reference {
    package static func tileMoments(_ rows: Grid<UInt8>, tiles: Int) -> (sums: [UInt16], squares: [UInt32]) {
        let samples = (0..<tiles).map { tile in
            (0..<64).map { Int(rows[8 * tile + $0 % 8, $0 / 8]) }
        }
        return (
            samples.map { UInt16($0.reduce(0, +)) }, samples.map { tile in UInt32(tile.reduce(0) { $0 + $1 * $1 }) }
        )
    }

    package static func tilePowers(_ rows: Grid<UInt8>, scales: [Float]) -> [Float] {
        let columns = (0..<8).flatMap { x in cosineForward((0..<8).map { Float(rows[x, $0]) }) }
        return zip(eachRow(columns, cosineForward), scales).map { $0 * $0 * $1 }
    }

    package static func addPowers(
        _ a: Grid<UInt8>, _ b: Grid<UInt8>, mean: Float, weight: Float, to powers: [Float]
    ) -> [Float] {
        let columns = (0..<8).flatMap { x in
            cosineForward((0..<8).map { Float(a[x, $0]) - Float(b[x, $0]) - mean })
        }
        return zip(eachRow(columns, cosineForward), powers).map { $1 + $0 * $0 * weight }
    }
}
