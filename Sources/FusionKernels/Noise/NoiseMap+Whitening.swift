// SPDX-License-Identifier: MIT
// The spectra of noise in the scale of the kernels' cosine transform.

extension NoiseMap {
    /// For each spectrum the reciprocal noise powers of samples in codes times 64, in the scale of Cosine.h.
    func whiten(into reciprocals: UnsafeMutableBufferPointer<Float>) {
        precondition(spectra.count <= Self.mostSpectra)
        for (index, spectrum) in spectra.enumerated() {
            for across in 0..<8 {
                for down in 0..<8 {
                    let scale = 64 * CosineScale.of(across, down)
                    // A power measured as almost nothing is not worth believing: no coefficient is without noise.
                    let power = max(spectrum[down * 8 + across], 1e-3)
                    reciprocals[index * 64 + across * 8 + down] = across + down == 0 ? 0 : 1 / (scale * scale * power)
                }
            }
        }
    }

    /// How many tables a spectrum has for the kernels of 16 bits: eight for each of two octaves of variance.
    static let measures = 16

    /// For each spectrum and each of those steps what makes coefficients eighths of a standard deviation (Shrink.h).
    func measure(into tables: UnsafeMutableBufferPointer<Int16>) {
        precondition(spectra.count <= Self.mostSpectra)
        for (index, spectrum) in spectra.enumerated() {
            for across in 0..<8 {
                for down in 0..<8 {
                    // Of the noise of samples in codes times 2, in deviations of 1.
                    let scale = 2 * CosineScale.of(across, 0)
                    let deviation = scale * max(spectrum[down * 8 + across], 1e-3).squareRoot()
                    // The least step is of variances of a 256th, whose coefficients are multiplied by 256 first.
                    let factor = 32768 * 8 / (deviation * 256)
                    let place = index * Self.measures * NoiseModel.coefficients + across * 8 + down
                    for (step, root) in Self.roots.enumerated() {
                        tables[place + step * NoiseModel.coefficients] =
                            across + down == 0 ? 0 : Int16(min(factor * root, 32767))
                    }
                }
            }
        }
    }

    /// One over the standard deviation in the middle of each of the steps from a variance of a 256th on.
    private static let roots: [Float] = (0..<measures).map { step in
        let octave: Float = step < 8 ? 1 : 2
        return (256 / (octave * (1 + (Float(step % 8) + 0.5) / 8))).squareRoot()
    }
}
