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
}
