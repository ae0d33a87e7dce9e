// SPDX-License-Identifier: MIT
// How a spectrum falls from coarse to fine: what tells noise from texture.

/// The mean powers of a block's coarsest and finest coefficients, and of those next to the finest.
struct SpectrumShape {
    /// Up to 12, from 25, and from 56 up, of the squared distance from the mean brightness's coefficient.
    private static let coarsest = 1...12, middling = 25...55, finest = 56...98

    let coarse: Float
    let middle: Float
    let fine: Float

    init(_ powers: UnsafePointer<SIMD8<Float>>) {
        var (coarse, middle, fine) = (Float(0), Float(0), Float(0))
        var (coarseCount, middleCount, fineCount) = (Float(0), Float(0), Float(0))
        for down in 0..<8 {
            for across in 0..<8 {
                let distance = down &* down &+ across &* across
                if Self.coarsest.contains(distance) {
                    coarse += powers[down][across]
                    coarseCount += 1
                } else if Self.finest.contains(distance) {
                    fine += powers[down][across]
                    fineCount += 1
                } else if Self.middling.contains(distance) {
                    middle += powers[down][across]
                    middleCount += 1
                }
            }
        }
        (self.coarse, self.middle, self.fine) = (coarse / coarseCount, middle / middleCount, fine / fineCount)
    }

    /// Of a spectrum as in `NoiseModel`.
    init(_ spectrum: [Float]) {
        self = spectrum.withUnsafeBytes { spectrum in
            withUnsafeTemporaryAllocation(of: SIMD8<Float>.self, capacity: 8) { rows in
                for row in 0..<8 {
                    rows[row] = spectrum.loadUnaligned(fromByteOffset: 32 * row, as: SIMD8<Float>.self)
                }
                return SpectrumShape(rows.baseAddress!)
            }
        }
    }

    /// A sensor's own noise, as nothing smoothed it.
    var isWhite: Bool { coarse < 2.5 * fine }
    /// So much coarser than white that, beside white noise, it holds texture.
    var isCoarse: Bool { coarse > 4 * fine }
    /// As even at its fine end as a sensor's own noise: what lies above that is texture. What smooths noise, as demosaicking
    /// and JPEG do, leaves less the finer it is, down to what rounding adds. Much texture may reach further down: noise that
    /// is as smooth falls far faster there, but for the little that JPEG leaves.
    var isWhiteBelow: Bool {
        let least = SingleFrameNoise.leastVariance
        return middle < 1.6 * fine && fine > least || middle < 2.6 * fine && coarse > 30 * fine && fine > 2 * least
    }
    /// JPEG took the finest away, and most of it where it is calm.
    var isFlattened: Bool { coarse > 60 * fine }
    /// Smoother than any camera's noise of that variance: JPEG at its usual qualities leaves a three-hundredth of the finest
    /// where there is little, and more the more there is.
    func isTexture(_ variance: Float) -> Bool { coarse > min(400, max(60, 9000 / variance)) * fine }
}
