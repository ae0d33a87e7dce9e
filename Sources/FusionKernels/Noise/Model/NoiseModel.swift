// SPDX-License-Identifier: MIT
// A model of a plane's noise: its strength at each brightness, and its distribution over frequencies.

/// The noise of a plane of samples.
///
/// The variance depends on the brightness, through shot noise and the camera's tone curve. The spectrum does not:
/// cameras interpolate, and JPEG quantises, in light and shadow alike. An estimator refills the same model from shot
/// to shot.
public struct NoiseModel: Hashable, Codable, Sendable {
    /// The number of brightnesses with an entry of their own: one for each 8-bit code.
    public static let levels = 256
    /// The noise of rounding to codes alone, in squared codes.
    static let leastVariance: Float = 0.1
    /// Coefficients of a block's 8x8 cosine transform.
    public static let coefficients = 64

    /// The variance of a sample in squared codes, for each brightness in codes.
    public var variance: [Float]
    /// The noise power of each coefficient of an orthonormal 8x8 cosine transform, relative to white noise of the
    /// same variance, so that the mean is 1. Eight rows of vertical frequency, each from horizontal frequency 0 to 7.
    public var spectrum: [Float]
    /// The number of places on the scale of slopes.
    static let slopeSteps = 8
    /// By how much the variance is larger where the picture is steep. Cameras smooth noise away in flat places, but not
    /// at edges, which they also sharpen; and JPEG spends its bits there. Place 0 is flat; each further one is for
    /// slopes twice as steep, from half a code per pixel on. Edges differ: at seven of eight places the factor is
    /// smaller. Half of them lie near its square root, in the geometric middle between it and flat places.
    public internal(set) var slopeFactors = [Float](repeating: 1, count: NoiseModel.slopeSteps)
    /// The brightnesses, in codes, at which noise was measured. Outside this range it is assumed to stay as it is at
    /// the ends.
    public internal(set) var seen = 0...levels - 1

    /// Whether most of the samples it was measured on also held texture, which may be part of the estimate.
    var isTextured = false
    /// The bounds that decided the variance, or the slope factors, anywhere on the scale of brightness.
    var decidedBy: NoiseBounds = []

    /// White noise with the same variance at every brightness.
    public init(white variance: Float = 0) {
        self.variance = [Float](repeating: variance, count: Self.levels)
        spectrum = [Float](repeating: 1, count: Self.coefficients)
    }

    /// The variance at a brightness in codes. Brightnesses outside the scale count as its ends.
    @inlinable public func variance(at brightness: Float) -> Float {
        variance[Int(max(0, min(Float(Self.levels - 1), brightness)))]
    }

    /// Whether the variance depends on slopes.
    var dependsOnSlopes: Bool { slopeFactors.contains { $0 != 1 } }

    /// Writes the factor of each place of a `SlopeMap`, on straight lines between those known.
    func writeSlopeFactors(to table: UnsafeMutablePointer<Float>) {
        SlopeMap.write(slopeFactors, to: table)
    }

    /// Scales the spectrum to a mean of 1. An all-zero spectrum becomes white.
    mutating func normaliseSpectrum() {
        let mean = spectrum.reduce(0, +) / Float(Self.coefficients)
        for place in spectrum.indices { spectrum[place] = mean > 0 ? spectrum[place] / mean : 1 }
    }
}
