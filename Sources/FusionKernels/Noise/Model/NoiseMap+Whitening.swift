// SPDX-License-Identifier: MIT
// Converts noise spectra to the scale of the kernels' cosine transform.

extension NoiseMap {
    /// For each spectrum, the reciprocals of the noise powers of samples in codes times 64, in the scale of Cosine.h.
    func whiten(into reciprocals: UnsafeMutableBufferPointer<Float>) {
        precondition(spectra.count <= Self.maxSpectra)
        for (index, spectrum) in spectra.enumerated() {
            for across in 0..<8 {
                for down in 0..<8 {
                    let scale = 64 * CosineScale.of(across, down)
                    // A measured power close to zero is not credible: no coefficient is free of noise.
                    let power = max(spectrum[down * 8 + across], 1e-3)
                    reciprocals[index * 64 + across * 8 + down] = across + down == 0 ? 0 : 1 / (scale * scale * power)
                }
            }
        }
    }

    /// Tables per spectrum for the 16-bit kernels: eight steps in each of two octaves of variance.
    static let measures = 16

    /// For each spectrum and each step, the factors that convert coefficients to eighths of a standard deviation
    /// (Shrink.h).
    func measure(into tables: UnsafeMutableBufferPointer<Int16>) {
        precondition(spectra.count <= Self.maxSpectra)
        for (index, spectrum) in spectra.enumerated() {
            for across in 0..<8 {
                for down in 0..<8 {
                    // The standard deviation of the noise for samples in codes times 2 and a variance of 1.
                    let scale = 2 * CosineScale.of(across, 0)
                    let deviation = scale * max(spectrum[down * 8 + across], 1e-3).squareRoot()
                    // The lowest step is for variances of 1/256; its coefficients are first multiplied by 256.
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

    /// The reciprocal of the standard deviation at the middle of each step, starting at a variance of 1/256.
    private static let roots: [Float] = (0..<measures).map { step in
        let octave: Float = step < 8 ? 1 : 2
        return (256 / (octave * (1 + (Float(step % 8) + 0.5) / 8))).squareRoot()
    }
}
