// SPDX-License-Identifier: MIT
// What is known of a plane's noise: how much at each brightness, and how it is spread over frequencies.

/// The noise of a plane of samples.
///
/// Its variance depends on the brightness (shot noise, and the camera's tone curve), its spectrum does not: cameras
/// interpolate and JPEG quantises alike in light and shadow. Kept between shots, an estimator fills it in place.
public struct NoiseModel: Sendable, Equatable {
    /// How many brightnesses have an entry of their own: each code of 8 bits.
    public static let levels = 256
    /// Of rounding to codes alone, in squared codes.
    static let leastVariance: Float = 0.1
    /// Coefficients of a block's cosine transform: 8 by 8.
    public static let coefficients = 64

    /// The variance of a sample in squared codes, for each brightness in codes.
    public var variance: [Float]
    /// The noise power of each coefficient of an orthonormal 8x8 cosine transform relative to white noise of the same
    /// variance, so that the mean is 1: eight rows of vertical frequency, each from horizontal frequency 0 to 7.
    public var spectrum: [Float]
    /// The brightnesses it was seen at, in codes: beyond them it is taken to stay what it is at the ends.
    public internal(set) var seen = 0...levels - 1

    /// Whether most of what it was seen in held texture, too, which may be in it.
    var isTextured = false

    /// White noise of one variance at any brightness.
    public init(white variance: Float = 0) {
        self.variance = [Float](repeating: variance, count: Self.levels)
        spectrum = [Float](repeating: 1, count: Self.coefficients)
    }

    /// The variance at a brightness in codes, those outside the scale taken as its ends.
    @inlinable public func variance(at brightness: Float) -> Float {
        variance[Int(max(0, min(Float(Self.levels - 1), brightness)))]
    }

    /// Scales the spectrum to a mean of 1; one that is nothing becomes white.
    mutating func normaliseSpectrum() {
        let mean = spectrum.reduce(0, +) / Float(Self.coefficients)
        for place in spectrum.indices { spectrum[place] = mean > 0 ? spectrum[place] / mean : 1 }
    }
}
