// SPDX-License-Identifier: MIT
// From light to the sensor's numbers and back to colours: filters, noise, faulty pixels, white balance and matrix.

/// A sensor and its colours.
struct Sensor: Sendable {
    private let settings: WebcamSettings
    private let seed: UInt64
    private let noise: (shot: Float, read: Float)
    /// What each of the sensor's colours sees of red, green and blue, as rows that sum up to 1.
    private let seen: [SIMD4<Float>]
    /// The inverse.
    private let matrix: [SIMD4<Float>]
    /// The amplification of each of the sensor's colours to white.
    private let balance: SIMD4<Float>

    /// A small sensor's filters overlap; its red and blue see less of a lamp's light than its green.
    private static let overlap: [[Double]] = [[0.72, 0.23, 0.05], [0.15, 0.72, 0.13], [0.04, 0.28, 0.68]]
    private static let need = [1.9, 1.0, 1.6]

    init(_ settings: WebcamSettings, noise: (shot: Double, read: Double), seed: UInt64) {
        self.settings = settings
        self.seed = seed
        let factor = settings.gain
        self.noise = (Float(noise.shot * factor * factor), Float(noise.read * factor * factor))
        let share = settings.matrix
        let rows = (0..<3).map { row in
            (0..<3).map { (row == $0 ? 1 - share : 0) + share * Self.overlap[row][$0] }
        }
        func vector(_ row: [Double]) -> SIMD4<Float> { SIMD4(Float(row[0]), Float(row[1]), Float(row[2]), 0) }
        seen = rows.map(vector)
        matrix = Self.inverse(rows).map(vector)
        balance = vector(Self.need.map { 1 + share * ($0 - 1) })
    }

    private static func inverse(_ m: [[Double]]) -> [[Double]] {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (a, b) = ((row + 1) % 3, (row + 2) % 3), (c, d) = ((column + 1) % 3, (column + 2) % 3)
            return m[a][c] * m[b][d] - m[a][d] * m[b][c]
        }
        let determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2)
        return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
    }

    /// What a row of pixels reads, in full light 1 per colour. `key` chooses the noise; nil for none, and no faults.
    func read(
        _ light: UnsafePointer<SIMD4<Float>>, row y: Int, width: Int, key: UInt64?, _ normal: UnsafePointer<Float>,
        into planes: PicturePlanes
    ) {
        let rows = (planes.first.row(y), planes.second.row(y), planes.third.row(y))
        var shared: Float = 0
        if let key, settings.rows > 0 {
            shared = Float(settings.rows) * Self.draw(SceneMath.mixed(key ^ UInt64(y + 1) &* Self.rowStep), normal)
        }
        for x in 0..<width {
            let light = light[x]
            func sum(_ product: SIMD4<Float>) -> Float { (product.x + product.y) + product.z }
            var value = SIMD4(sum(seen[0] * light), sum(seen[1] * light), sum(seen[2] * light), 0) / balance
            if let key {
                let place = UInt64(y * width + x + 1)
                let bits = SceneMath.mixed(key &+ place &* SceneMath.step)
                let own = SceneMath.mixed(seed ^ place &* Self.pixelStep)
                value *= 1 + Float(settings.unevenness) * normal[Int(own & 0xFFF)]
                let lit = value.replacing(with: 0, where: value .< 0)
                let draw = SIMD4(
                    normal[Int(truncatingIfNeeded: bits & 0xFFF)],
                    normal[Int(truncatingIfNeeded: bits >> 20 & 0xFFF)],
                    normal[Int(truncatingIfNeeded: bits >> 40 & 0xFFF)], 0)
                value += SceneMath.root(lit * noise.shot + SIMD4(repeating: noise.read + 1e-12)) * draw
                value += shared
                // The hottest of hot pixels add a quarter of full light.
                if Double(own >> 40) * 0x1p-24 * 1e6 < settings.hotPixels {
                    value += 0.03 + 0.22 * Float(own >> 16 & 0xFFFF) * 0x1p-16
                }
            }
            guard settings.isMosaic else {
                (rows.0[x], rows.1[x], rows.2[x]) = (value.x, value.y, value.z)
                continue
            }
            rows.0[x] = value[Mosaic.color(x, y)]
        }
    }

    /// The colours of a row of pixels that were read, in full light 1.
    func develop(_ planes: PicturePlanes, row y: Int, width: Int, into light: UnsafeMutablePointer<SIMD4<Float>>) {
        let rows = (planes.first.row(y), planes.second.row(y), planes.third.row(y))
        let full = SIMD4<Float>(1, 1, 1, 0)
        for x in 0..<width {
            // What is amplified beyond white is white.
            let value = (SIMD4(rows.0[x], rows.1[x], rows.2[x], 0) * balance).clamped(
                lowerBound: -full, upperBound: full)
            func sum(_ product: SIMD4<Float>) -> Float { (product.x + product.y) + product.z }
            light[x] = SIMD4(sum(matrix[0] * value), sum(matrix[1] * value), sum(matrix[2] * value), 0)
        }
    }

    private static func draw(_ bits: UInt64, _ normal: UnsafePointer<Float>) -> Float { normal[Int(bits & 0xFFF)] }
    private static let rowStep: UInt64 = 0xD6E8_FEB8_6659_FD93
    private static let pixelStep: UInt64 = 0xA076_1D64_78BD_642F
}
