// SPDX-License-Identifier: MIT
// The scale of the kernels' cosine transform.

import Glibc

/// How much larger than the orthonormal ones the kernels' coefficients are (Cosine.h).
enum CosineScale {
    /// For a pair of frequencies.
    static func of(_ a: Int, _ b: Int) -> Float { Float(8 * factor(a) * factor(b)) }

    /// The share of one of them.
    static func factor(_ frequency: Int) -> Double {
        frequency == 0 ? 1 : 2.squareRoot() * cos(Double(frequency) * .pi / 16)
    }
}
