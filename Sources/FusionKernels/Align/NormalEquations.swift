// SPDX-License-Identifier: MIT
// The least-squares motion of many tiles, from their slopes and differences.

/// A shift and its growth: across with x, across with y, down with x, down with y.
struct MotionStep {
    var shiftX: Float
    var shiftY: Float
    var xx: Float = 0
    var xy: Float = 0
    var yx: Float = 0
    var yy: Float = 0
}

/// The normal equations for the motion of many tiles: a shift alone, or a shift and a matrix.
struct NormalEquations {
    /// Weighted sums of squared slopes across, of products of both slopes, and of squared slopes down; each times 1,
    /// x, y, xx, xy and yy.
    private var xx = SIMD8<Double>.zero
    private var xy = SIMD8<Double>.zero
    private var yy = SIMD8<Double>.zero
    /// Weighted sums of differences times slopes across and down; each times 1, x and y.
    private var across = SIMD4<Double>.zero
    private var down = SIMD4<Double>.zero

    /// Adds a tile at (x, y): its sums of products of slopes, and of slopes times differences.
    mutating func add(_ x: Float, _ y: Float, slopes: SIMD4<Float>, differences: SIMD2<Float>, weight: Float) {
        let (x, y) = (Double(x), Double(y))
        let powers = SIMD8<Double>(1, x, y, x * x, x * y, y * y, 0, 0) * Double(weight)
        xx += powers * Double(slopes.x)
        xy += powers * Double(slopes.y)
        yy += powers * Double(slopes.z)
        across += powers.lowHalf * Double(differences.x)
        down += powers.lowHalf * Double(differences.y)
    }

    /// The shift, or nil if the tiles do not determine it.
    func shift() -> MotionStep? {
        var system = LinearSystem(2)
        (system[0, 0], system[0, 1], system[1, 1]) = (xx[0], xy[0], yy[0])
        (system[right: 0], system[right: 1]) = (across[0], down[0])
        guard system.solve() else { return nil }
        return MotionStep(shiftX: Float(system[right: 0]), shiftY: Float(system[right: 1]))
    }

    /// The shift and the matrix, or nil if the tiles do not determine them.
    func shiftAndMatrix() -> MotionStep? {
        // The unknowns: coefficients of 1, x and y for the motion across, then for the motion down.
        var system = LinearSystem(6)
        for i in 0..<3 {
            for j in 0..<3 {
                // The index of the sum for the product of two of 1, x and y.
                let product = i + j + (min(i, j) > 0 ? 1 : 0)
                system[i, j] = xx[product]
                system[i, 3 + j] = xy[product]
                system[3 + i, 3 + j] = yy[product]
            }
            system[right: i] = across[i]
            system[right: 3 + i] = down[i]
        }
        guard system.solve() else { return nil }
        func found(_ place: Int) -> Float { Float(system[right: place]) }
        return MotionStep(
            shiftX: found(0), shiftY: found(3), xx: found(1), xy: found(2), yx: found(4), yy: found(5))
    }
}

/// Up to six linear equations in as many unknowns. The matrix is symmetric (only the part right of the diagonal is
/// read), and made positive definite by a small addition to the diagonal.
struct LinearSystem {
    private static let most = 6
    private let count: Int
    private var matrix = InlineArray<36, Double>(repeating: 0)
    private var right = InlineArray<6, Double>(repeating: 0)

    init(_ count: Int) { self.count = count }

    subscript(row: Int, column: Int) -> Double {
        get { matrix[row * Self.most + column] }
        set { matrix[row * Self.most + column] = newValue }
    }

    /// The right-hand side; after `solve`, the unknowns.
    subscript(right place: Int) -> Double {
        get { right[place] }
        set { right[place] = newValue }
    }

    /// Solves the system; returns false if it does not determine the unknowns.
    mutating func solve() -> Bool {
        for i in 0..<count {
            self[i, i] = self[i, i] * 1.0001 + 1
            for j in 0..<i { self[i, j] = self[j, i] }
        }
        for i in 0..<count {
            guard self[i, i] > 1e-3 else { return false }
            for j in i + 1..<max(count, i + 1) {
                let factor = self[j, i] / self[i, i]
                for k in i..<count { self[j, k] -= factor * self[i, k] }
                right[j] -= factor * right[i]
            }
        }
        for i in Swift.stride(from: count - 1, through: 0, by: -1) {
            for k in i + 1..<max(count, i + 1) { right[i] -= self[i, k] * right[k] }
            right[i] /= self[i, i]
        }
        return true
    }
}
