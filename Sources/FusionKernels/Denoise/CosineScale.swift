// SPDX-License-Identifier: MIT
// The scale of the kernels' cosine transform.

import Glibc

/// The ratio of the kernels' coefficients to the orthonormal ones (Cosine.h).
enum CosineScale {
    /// The ratio for a pair of frequencies.
    static func of(_ a: Int, _ b: Int) -> Float { Float(8 * factor(a) * factor(b)) }

    /// The part of the ratio that one frequency contributes.
    private static func factor(_ frequency: Int) -> Double {
        frequency == 0 ? 1 : 2.squareRoot() * cos(Double(frequency) * .pi / 16)
    }
}
