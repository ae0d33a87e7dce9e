// SPDX-License-Identifier: MIT
// How a spectrum falls from coarse to fine frequencies, which distinguishes noise from texture.

/// The mean powers of a block's coarsest coefficients, its finest ones, and the ones in between.
struct SpectrumShape {
    /// Bands by squared distance from the coefficient of the mean.
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
        self.coarse = coarse / coarseCount
        self.middle = middle / middleCount
        self.fine = fine / fineCount
    }

    /// The shape of a spectrum given as in `NoiseModel`.
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

    /// Whether it is a sensor's own noise, which nothing has smoothed.
    var isWhite: Bool { coarse < 2.5 * fine }
    /// Whether it is so much coarser than white that, if the noise is white, it holds texture.
    var isCoarse: Bool { coarse > 4 * fine }
    /// Whether its fine end is as flat as a sensor's own noise, so that everything above that level is texture.
    /// Smoothing, as by demosaicking and JPEG, leaves less power the finer the frequency, down to what rounding adds.
    /// Strong texture may reach further into the fine end (the second condition): noise as smooth as that would fall
    /// far faster there, except for the little that JPEG leaves.
    var isWhiteBelow: Bool {
        let least = SingleFrameNoise.leastVariance
        return middle < 1.6 * fine && fine > least || middle < 2.6 * fine && coarse > 30 * fine && fine > 2 * least
    }
    /// Whether JPEG has removed the finest coefficients, and with them most of the noise in calm places.
    var isFlattened: Bool { coarse > 60 * fine }
    /// Whether it is smoother than any camera's noise of that variance. At its usual qualities JPEG leaves 1/300 of
    /// the power in the finest coefficients of weak noise, and more of stronger noise.
    func isTexture(_ variance: Float) -> Bool { coarse > min(400, max(60, 9000 / variance)) * fine }
}
