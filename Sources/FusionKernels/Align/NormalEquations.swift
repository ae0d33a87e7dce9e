// SPDX-License-Identifier: MIT
// The motion that explains many tiles' slopes and differences best.

/// The least-squares motion of many tiles: a shift alone, or a shift and a matrix.
struct NormalEquations {
    /// For the slopes' squares across, their products and their squares down: sums times 1, x, y, x x, x y and y y.
    private var xx = SIMD8<Double>.zero
    private var xy = SIMD8<Double>.zero
    private var yy = SIMD8<Double>.zero
    /// For differences times slopes across and down: sums times 1, x and y.
    private var across = SIMD4<Double>.zero
    private var down = SIMD4<Double>.zero

    /// Adds a tile at (x, y): its sums of slopes, and of slopes times differences.
    mutating func add(_ x: Float, _ y: Float, slopes: SIMD4<Float>, differences: SIMD2<Float>, weight: Float) {
        let (x, y) = (Double(x), Double(y))
        let powers = SIMD8<Double>(1, x, y, x * x, x * y, y * y, 0, 0) * Double(weight)
        xx += powers * Double(slopes.x)
        xy += powers * Double(slopes.y)
        yy += powers * Double(slopes.z)
        across += powers.lowHalf * Double(differences.x)
        down += powers.lowHalf * Double(differences.y)
    }

    /// The shift; nil where the tiles do not tell it.
    func shift() -> [Float]? {
        LinearSystem([[xx[0], xy[0]], [xy[0], yy[0]]], [across[0], down[0]]).solved()
    }

    /// The shift across and down, and how they grow: across with x, across with y, down with x, down with y. Nil where
    /// the tiles do not tell.
    func shiftAndMatrix() -> [Float]? {
        // Which of the sums belongs to the products of 1, x and y.
        let product = [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
        var rows: [[Double]] = [], right: [Double] = []
        for (axis, sums) in [[xx, xy], [xy, yy]].enumerated() {
            for i in 0..<3 {
                rows.append((0..<6).map { sums[$0 / 3][product[i][$0 % 3]] })
                right.append(axis == 0 ? across[i] : down[i])
            }
        }
        guard let found = LinearSystem(rows, right).solved() else { return nil }
        return [found[0], found[3], found[1], found[2], found[4], found[5]]
    }
}

/// A few equations in as many unknowns, symmetric and (a little is added to see to it) positive.
struct LinearSystem {
    private var rows: [[Double]]
    private var right: [Double]

    init(_ rows: [[Double]], _ right: [Double]) { (self.rows, self.right) = (rows, right) }

    /// The unknowns; nil where the equations do not tell them.
    consuming func solved() -> [Float]? {
        let count = right.count
        for i in 0..<count { rows[i][i] = rows[i][i] * 1.0001 + 1 }
        for i in 0..<count {
            let pivot = rows[i][i]
            guard pivot > 1e-3 else { return nil }
            for j in i + 1..<max(count, i + 1) {
                let factor = rows[j][i] / pivot
                for k in i..<count { rows[j][k] -= factor * rows[i][k] }
                right[j] -= factor * right[i]
            }
        }
        for i in Swift.stride(from: count - 1, through: 0, by: -1) {
            for k in i + 1..<max(count, i + 1) { right[i] -= rows[i][k] * right[k] }
            right[i] /= rows[i][i]
        }
        return right.map { Float($0) }
    }
}
